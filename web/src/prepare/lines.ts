import type { Latency, Point } from "../api/types";
import { count, name, quantile, quantity } from "./format";

/** Lines are what the time charts draw: bucket starts in seconds, one list of values a line, and the rows behind them. */
export interface Lines {
  at: number[]; lines: Line[];
  /** The first bucket that is not over yet; null where all are. */
  openFrom: number | null;
  /** The last bucket that is over; null where none is. */
  last: number | null;
  /** Rows and failures of each bucket, over all groups; an absent bucket has none. */
  n: number[]; failures: number[];
  /** Groups that there was no colour for. */
  hidden: number;
}

/** Line is one quantile, or one group. Null is a gap; open holds the part that is not over, joined to the rest. */
export interface Line {
  label: string; tone: string; dash: number[];
  values: (number | null)[]; open: (number | null)[]; n: (number | null)[];
}

const looks: Record<string, { tone: string; dash: number[] }> = {
  p50: { tone: "p50", dash: [] }, p90: { tone: "p90", dash: [2, 3] }, p95: { tone: "p95", dash: [] }, p99: { tone: "p99", dash: [7, 3] },
};
const palette = ["p50", "p95", "good", "p99", "g5", "p90", "g7", "soft"];
const dashes = [[], [7, 3], [2, 3], [9, 3, 2, 3]];

/**
 * lines turns a latency answer into lines: one per quantile, or with groups one
 * per group at the largest quantile asked.
 */
export function lines(a: Latency): Lines {
  const times = new Set<number>();
  for (const s of a.series) for (const p of s.points) times.add(Date.parse(p.at) / 1000);
  const at = grid([...times].sort((x, y) => x - y), a);
  const index = new Map(at.map((t, i) => [t, i]));
  const open = new Set<number>();
  const n = at.map(() => 0), failures = at.map(() => 0);
  const grouped = a.series.some((s) => Object.keys(s.key).length > 0);
  const out: Line[] = [];
  a.series.forEach((s, g) => {
    for (const p of s.points) {
      const i = index.get(Date.parse(p.at) / 1000)!;
      n[i]! += p.n;
      failures[i]! += p.failures;
      if (p.open) open.add(i);
    }
    if (g >= palette.length) return;
    for (let q = grouped ? a.quantiles.length - 1 : 0; q < a.quantiles.length; q++) out.push(line(a, s, g, q, grouped, at, index));
  });
  const openFrom = open.size === 0 ? null : Math.min(...open);
  if (openFrom !== null) for (const l of out) split(l, openFrom);
  const over = openFrom ?? at.length;
  return { at, lines: out, openFrom, last: over === 0 ? null : over - 1, n, failures, hidden: grouped ? Math.max(0, a.series.length - palette.length) : 0 };
}

/** grid is every bucket of the window: answers leave out those without rows, and a line must not pass over them. */
function grid(known: number[], a: Latency): number[] {
  const step = a.meta.step_s;
  if (known.length === 0 || !step) return known;
  const from = Date.parse(a.meta.from) / 1000, to = Date.parse(a.meta.to) / 1000;
  const first = known[0]! - Math.max(0, Math.floor((known[0]! - from) / step)) * step;
  const out: number[] = [];
  for (let t = first; t < Math.max(to, known[known.length - 1]! + 1); t += step) out.push(t);
  return known.every((t) => (t - first) % step === 0) ? out : known;
}

function line(a: Latency, s: { key: Record<string, string | null>; points: Point[] }, g: number, q: number, grouped: boolean, at: number[], index: Map<number, number>): Line {
  const label = quantile(a.quantiles[q]!);
  const look = grouped ? { tone: palette[g]!, dash: dashes[Math.floor(g / 2) % dashes.length]! } : looks[label] ?? { tone: palette[q % palette.length]!, dash: [] };
  const l: Line = { label: grouped ? Object.values(s.key).map(name).join(" · ") : label, ...look, values: blank(at), open: blank(at), n: blank(at) };
  for (const p of s.points) {
    const i = index.get(Date.parse(p.at) / 1000)!;
    l.values[i] = p.values[q] ?? null;
    l.n[i] = p.n;
  }
  return l;
}

/** split moves the values of unfinished buckets to open, with the bucket before as their start. */
function split(l: Line, from: number): void {
  for (let i = from; i < l.values.length; i++) {
    l.open[i] = l.values[i]!;
    l.values[i] = null;
  }
  if (from > 0) l.open[from - 1] = l.values[from - 1]!;
}

function blank(at: number[]): (number | null)[] {
  return at.map(() => null);
}

/** valueAt reads a line at a bucket, whether that is over or not. */
export function valueAt(l: Line, i: number): number | null {
  return l.values[i] ?? l.open[i] ?? null;
}

/** lonely lists the values without a neighbour, which a line would not show. */
export function lonely(values: (number | null)[]): number[] {
  return values.flatMap((v, i) => (v !== null && (values[i - 1] ?? null) === null && (values[i + 1] ?? null) === null ? [i] : []));
}

/** sentence says in one line what a chart shows, for people who can't see it. */
export function sentence(a: Latency): string {
  const l = lines(a);
  const title = a.meta.metric?.title ?? "The metric";
  const q = quantile(a.quantiles[a.quantiles.length - 1] ?? 0);
  const grouped = a.series.some((s) => Object.keys(s.key).length > 0);
  const parts = l.lines.map((line) => {
    const known = line.values.filter((v): v is number => v !== null);
    const label = grouped ? `${q} of ${line.label}` : line.label;
    if (known.length === 0) return `${label} has no finished bucket with enough rows`;
    const last = known[known.length - 1]!;
    return `${label} between ${quantity(Math.min(...known), a.unit)} and ${quantity(Math.max(...known), a.unit)}, last ${quantity(last, a.unit)}`;
  });
  return `${title} over ${count(l.at.length)} buckets, n ${count(a.meta.n)}: ${parts.join("; ")}.`;
}
