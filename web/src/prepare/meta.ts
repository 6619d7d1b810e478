import type { Meta, Metric } from "../api/types";
import { count, quantity, words } from "./format";

/** provenance says in short parts how many rows stand behind an answer and from where they count. */
export function provenance(m: Meta): string[] {
  const parts = [`n = ${count(m.n)}`];
  if (m.metric) parts.push(span(m.metric));
  if (m.censored > 0) parts.push(`${count(m.censored)} censored${m.kaplan_meier ? " (Kaplan–Meier)" : ""}`);
  const left = Object.entries(m.left_out).filter(([, n]) => n > 0);
  if (left.length > 0) parts.push(`left out: ${left.map(([why, n]) => `${count(n)} ${words(why)}`).join(", ")}`);
  if (m.start_points.length > 0) parts.push(`clock starts at ${m.start_points.join(" and ")}`);
  return parts;
}

/** cost says what an answer was computed from, and how exactly. */
export function cost(m: Meta): string {
  return `${m.table ? `${m.table}, ` : ""}${count(m.rows_read)} rows read in ${quantity(m.elapsed_ms, "ms")}, ${m.approximation}`;
}

/** span writes a metric's name with its start and end points and unit. */
export function span(m: Metric): string {
  return m.start ? `${m.name} (${m.start} → ${m.end}, ${m.unit})` : `${m.name} (${m.unit || "no unit"})`;
}

const instants: Record<string, string> = {
  t0: "request received", t1: "dispatch to the upstream", t2: "upstream headers", t3: "first stream event",
  t4: "first effective output", t5: "first visible text", t6: "upstream done", t7: "handler finished", own: "a stage of its own",
};

/** points explains a metric's start and end in words. */
export function points(start: string, end: string): string {
  if (!start) return "";
  return start === end ? instants[start] ?? start : `${start} ${instants[start] ?? ""} → ${end} ${instants[end] ?? ""}`;
}

/** warnings drops repeats and what the page says at its top already. */
export function warnings(m: Meta, notice: string | null): string[] {
  return [...new Set(m.warnings)].filter((w) => w !== notice);
}
