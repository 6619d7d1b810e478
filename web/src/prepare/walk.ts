// Days on which a delay learned before was held against what happened.

import type { WalkDay } from "../api/types";
import { count, quantity, share } from "./format";

/** Held is one day: what was predicted, with its interval, and what happened; null where it is not known. */
export interface Held {
  day: string; low: number | null; high: number | null; predicted: number | null; realised: number | null;
  /** Whether what happened lies outside the interval. */
  out: boolean; note: string;
}

/** held lists the days of a walk-forward. */
export function held(days: WalkDay[]): Held[] {
  return days.map((d) => ({
    day: d.day, low: d.low, high: d.high, predicted: d.expected_ratio, realised: d.n > 0 ? d.realised_ratio : null,
    out: d.n > 0 && outside(d.realised_ratio, d.low, d.high),
    note: `${quantity(d.hedge_after_ms, "ms")} from n ${count(d.train_n)}, held against n ${count(d.n)}`,
  }));
}

/** outside says whether a value misses an interval; a bound that is null bounds nothing. */
export function outside(v: number, low: number | null, high: number | null): boolean {
  return (low !== null && v < low) || (high !== null && v > high);
}

/** heldSentence sums days up. */
export function heldSentence(days: Held[], write: (v: number | null) => string = share): string {
  const known = days.filter((d) => d.realised !== null);
  if (known.length === 0) return "No day has both a prediction and rows to hold it against.";
  const out = known.filter((d) => d.out);
  const worst = out[0];
  return `${known.length - out.length} of ${known.length} days ended inside the predicted interval${worst ? `; outside: ${out.map((d) => `${d.day} with ${write(d.realised)} (predicted ${write(d.low)} to ${write(d.high)})`).join(", ")}` : ""}.`;
}

/** extent is the axis of days: from zero to a little above everything shown. */
export function extent(days: Held[]): number {
  return Math.max(0, ...days.flatMap((d) => [d.high, d.predicted, d.realised]).filter((v): v is number => v !== null)) * 1.1 || 1;
}
