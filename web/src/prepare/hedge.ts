import type { Advice, CurveAfter, CurvePoint, Hedged, Key, Percentiles, Simulated } from "../api/types";
import { count, name, quantile, quantity, reached, share, words } from "./format";

/** keyName writes a key as "model · route". */
export function keyName(key: Key): string {
  return Object.values(key).map(name).join(" · ");
}

/** keyFilters are the where parameters that select one key's rows. */
export function keyFilters(key: Key): string[] {
  return Object.entries(key).map(([d, v]) => `${d}=${v === null || v === "" ? "(missing)" : v}`);
}

/** verdictTone says how a verdict is coloured; the word itself always stands beside it. */
export function verdictTone(verdict: string): string {
  if (verdict === "hedge") return "good";
  return verdict === "unsafe" || verdict === "unstable" ? "bad" : "warn";
}

/** verdictSign is a shape for each tone, so that colour alone carries nothing. */
export function verdictSign(verdict: string): string {
  return { good: "✓", warn: "–", bad: "!" }[verdictTone(verdict)]!;
}

/** tally counts the verdicts, most frequent first. */
export function tally(keys: Advice[]): [string, number][] {
  const out = new Map<string, number>();
  for (const k of keys) out.set(k.verdict, (out.get(k.verdict) ?? 0) + 1);
  return [...out].sort((a, b) => b[1] - a[1] || a[0].localeCompare(b[0]));
}

/** nearest finds the curve point whose delay is closest on a log scale. */
export function nearest(curve: CurvePoint[], ms: number): CurvePoint | null {
  let best: CurvePoint | null = null;
  for (const p of curve) {
    if (best === null || distance(p, ms) < distance(best, ms)) best = p;
  }
  return best;
}

function distance(p: CurvePoint, ms: number): number {
  return Math.abs(Math.log(p.hedge_after_ms / ms));
}

/** bounds are the smallest and largest delay of a curve. */
export function bounds(curve: CurvePoint[]): [number, number] | null {
  const ds = curve.map((p) => p.hedge_after_ms).filter((d) => d > 0);
  return ds.length === 0 ? null : [Math.min(...ds), Math.max(...ds)];
}

/** stepped moves a delay along the curve by whole points, staying inside. */
export function stepped(curve: CurvePoint[], ms: number, by: number): number {
  const at = curve.indexOf(nearest(curve, ms)!);
  const next = Math.min(curve.length - 1, Math.max(0, at + by));
  return curve[next]!.hedge_after_ms;
}

/** tenth is the first delay of a curve that at most a tenth of the requests outlast: where a key without advice starts. */
export function tenth(curve: CurvePoint[]): number | null {
  return (curve.find((p) => p.trigger_ratio <= 0.1) ?? curve[curve.length - 1])?.hedge_after_ms ?? null;
}

/** Case is one assumption about how backup and primary go together; why says why it has no numbers. */
export interface Case { name: string; title: string; hedged: Hedged | null; why: string }

/** cases lists the three assumptions in reading order. */
export function cases(s: Simulated | Advice): Case[] {
  const rho = s.after.pessimistic?.rho;
  const title: Record<string, string> = {
    independent: "Independent backup", measured: "Measured pairs", pessimistic: `Pessimistic${rho === null || rho === undefined ? "" : `, correlated ρ ${rho}`}`,
  };
  return (["independent", "measured", "pessimistic"] as const).map((c) => ({
    name: c, title: title[c]!, hedged: s.after[c], why: s.after.unavailable[c] ?? "",
  }));
}

const instead: Record<string, string> = {
  do_not_hedge: "a backup sent then would not pay", insufficient_data: "too few rows to say whether a backup would pay",
  unsafe: "no backup may be sent", unstable: "the wait moves too much for last week's delay to hold", censored: "too many waits have no end for a delay to be told",
};

/** advice writes one key's advice as a sentence. */
export function advice(a: Advice): string {
  if (a.hedge_after_ms === null) return "No delay can be advised from these rows.";
  const range = a.interval.low_ms !== null && a.interval.high_ms !== null
    ? ` (95 %: ${quantity(a.interval.low_ms, "ms")} to ${quantity(a.interval.high_ms, "ms")})` : "";
  const p90 = `P90 of the first-token wait is ${quantity(a.hedge_after_ms, "ms")}${range}`;
  if (a.verdict !== "hedge") return `${p90}: ${instead[a.verdict] ?? words(a.verdict)}.`;
  return `Send a backup after ${quantity(a.hedge_after_ms, "ms")}${range} without a first token.`;
}

/** next says how many of the next window's requests are expected to be hedged. */
export function next(a: Advice): string {
  const t = a.trigger_interval;
  if (a.trigger_ratio === null) return "";
  const range = t.low !== null && t.high !== null ? `; next ${count(t.next_n)} requests: ${share(t.low)} to ${share(t.high)}` : "";
  return `Triggers for ${share(a.trigger_ratio)}${range}`;
}

/** target names the quantile that a verdict is about. */
export function target(a: { target_q: number | null }): string {
  return a.target_q === null ? "no quantile: too few rows" : quantile(a.target_q).toUpperCase();
}

/** tail writes P95 or P99 of a law, also where it was not reached. */
export function tail(p: Percentiles | null, of: "p90" | "p95" | "p99"): string {
  return reached(p?.[`${of}_ms`], p?.at_least_ms[of], "ms");
}

/** few says whether a percentile stands on fewer rows than its minimum. */
export function few(p: Percentiles, quantileName: string): boolean {
  return p.below_min_n.includes(quantileName);
}

/** curveSentence says what the exceedance drawing shows. */
export function curveSentence(curve: CurvePoint[], a: Advice, d: number): string {
  const at = nearest(curve, d);
  if (!at) return "No curve.";
  const tail = (c: CurveAfter) => `P95 ${reached(c.p95_ms, c.p95_at_least_ms, "ms")}, P99 ${reached(c.p99_ms, c.p99_at_least_ms, "ms")}`;
  return `Of ${count(a.n)} requests ${share(at.trigger_ratio)} still wait after ${quantity(d, "ms")}; with a backup then ${tail(at.independent)} if independent${at.pessimistic ? `, ${tail(at.pessimistic)} if correlated` : ""}.`;
}
