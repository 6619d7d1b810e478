import type { Meta } from "../api/types";
import { count } from "./format";

/** provenance says in short parts how many rows stand behind an answer and from where they count. */
export function provenance(m: Meta): string[] {
  const parts = [`n = ${count(m.n)}`];
  if (m.metric) parts.push(span(m));
  if (m.censored > 0) parts.push(`${count(m.censored)} censored${m.kaplan_meier ? " (Kaplan–Meier)" : ""}`);
  const left = Object.entries(m.left_out).filter(([, n]) => n > 0);
  if (left.length > 0) parts.push(`left out: ${left.map(([why, n]) => `${count(n)} ${why.replaceAll("_", " ")}`).join(", ")}`);
  if (m.start_points.length > 0) parts.push(`clock starts at ${m.start_points.join(" and ")}`);
  return parts;
}

function span(m: Meta): string {
  const { name, start, end, unit } = m.metric!;
  return start ? `${name} (${start} → ${end}, ${unit})` : `${name} (${unit || "no unit"})`;
}
