import type { Advice, CurvePoint, Key, Simulated } from "../api/types";
import { name, quantity, share } from "./format";

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

/** cases lists the three assumptions in reading order, each with its numbers or the reason why there are none. */
export function cases(s: Simulated | Advice) {
  const title: Record<string, string> = {
    independent: "Independent backup", measured: "Measured pairs", pessimistic: "Pessimistic (correlated)",
  };
  return (["independent", "measured", "pessimistic"] as const).map((c) => ({
    name: c, title: title[c]!, hedged: s.after[c], why: s.after.unavailable[c] ?? "",
  }));
}

/** advice writes one key's advice as a sentence. */
export function advice(a: Advice): string {
  if (a.hedge_after_ms === null) return a.reasons[0] ?? "No advice.";
  const range = a.interval.low_ms !== null && a.interval.high_ms !== null
    ? ` (95 %: ${quantity(a.interval.low_ms, "ms")} to ${quantity(a.interval.high_ms, "ms")})` : "";
  return `Send a backup after ${quantity(a.hedge_after_ms, "ms")}${range} without a first token; it would trigger for ${share(a.trigger_ratio)} of requests.`;
}
