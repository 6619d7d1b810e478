import type { Advice, CurvePoint, Key } from "../api/types";
import { name } from "./format";

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

/** fitting is the smallest delay of a curve after which at most a share of the requests is still waiting; the last one where none is. */
export function fitting(curve: CurvePoint[], budget: number): number | null {
  return (curve.find((p) => p.trigger_ratio <= budget) ?? curve[curve.length - 1])?.hedge_after_ms ?? null;
}

/** budgets are the ends of the budget slider, as shares: from the rarest hedge that the curve can tell to half of the requests. */
export function budgets(curve: CurvePoint[]): [number, number] {
  const least = Math.min(...curve.map((p) => p.trigger_ratio).filter((r) => r > 0), 0.1);
  return [Math.max(0.001, least), 0.5];
}

/** budgetAt reads a slider's position, 0 to 1, as a share on a logarithmic scale. */
export function budgetAt([lo, hi]: [number, number], position: number): number {
  return lo * (hi / lo) ** position;
}

/** positionOf is the inverse of budgetAt, kept on the slider. */
export function positionOf([lo, hi]: [number, number], budget: number): number {
  return budget <= lo ? 0 : Math.min(1, Math.log(budget / lo) / Math.log(hi / lo));
}

/** perMinute scales an answer's hedges a minute to another share of hedged requests. */
export function perMinute(s: { hedges_per_min: number | null; trigger_ratio: number | null }, trigger: number): number | null {
  return s.hedges_per_min === null || !s.trigger_ratio ? null : (s.hedges_per_min / s.trigger_ratio) * trigger;
}

/** groupings are the offered kinds of keys: what the API calls by. */
export const groupings: [string, string][] = [
  ["model,route", "model × route"], ["model,route,region", "model × route × region"], ["model,route,input_band", "model × route × input size"],
  ["provider", "provider"], ["provider,model", "provider × model"], ["model", "model"], ["route", "route"], ["channel", "channel"],
];

/** grouping names a kind of key in words. */
export function grouping(by: string): string {
  return groupings.find(([g]) => g === by)?.[1] ?? by.split(",").join(" × ");
}
