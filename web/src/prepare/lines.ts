import type { Latency } from "../api/types";
import { count, name, quantile, quantity } from "./format";

/** Lines are what a time chart draws: seconds and one list of values a line. */
export interface Lines { at: number[]; lines: Line[]; openFrom: number | null }

export interface Line { label: string; tone: string; values: (number | null)[]; n: (number | null)[] }

const tones: Record<string, string> = { p50: "p50", p90: "p90", p95: "p95", p99: "p99" };
const palette = ["p50", "p95", "accent", "p99", "p90", "good", "soft", "warn"];

/**
 * lines turns a latency answer into lines: one per quantile, or with groups one
 * per group at the largest quantile asked. Null stays a gap.
 */
export function lines(a: Latency): Lines {
  const times = new Set<number>();
  for (const s of a.series) for (const p of s.points) times.add(Date.parse(p.at) / 1000);
  const at = [...times].sort((x, y) => x - y);
  const index = new Map(at.map((t, i) => [t, i]));
  let openFrom: number | null = null;
  const grouped = a.series.some((s) => Object.keys(s.key).length > 0);
  const out: Line[] = [];
  a.series.slice(0, palette.length).forEach((s, g) => {
    const from = grouped ? a.quantiles.length - 1 : 0;
    for (let q = from; q < a.quantiles.length; q++) {
      const label = quantile(a.quantiles[q]!);
      const line: Line = {
        label: grouped ? `${label} ${Object.values(s.key).map(name).join(" · ")}` : label,
        tone: grouped ? palette[g]! : tones[label] ?? palette[q % palette.length]!,
        values: at.map(() => null), n: at.map(() => null),
      };
      for (const p of s.points) {
        const i = index.get(Date.parse(p.at) / 1000)!;
        line.values[i] = p.values[q] ?? null;
        line.n[i] = p.n;
        if (p.open) openFrom = openFrom === null ? i : Math.min(openFrom, i);
      }
      out.push(line);
    }
  });
  return { at, lines: out, openFrom };
}

/** sentence says in one line what a chart shows, for people who can't see it. */
export function sentence(a: Latency): string {
  const l = lines(a);
  const title = a.meta.metric?.title ?? "The metric";
  const parts = l.lines.map((line) => {
    const known = line.values.filter((v): v is number => v !== null);
    if (known.length === 0) return `${line.label} has no bucket with enough rows`;
    return `${line.label} between ${quantity(Math.min(...known), a.unit)} and ${quantity(Math.max(...known), a.unit)}`;
  });
  return `${title} over ${count(l.at.length)} buckets, n ${count(a.meta.n)}: ${parts.join("; ")}.`;
}
