// Days on which a delay learned before was held against what happened.

import { share } from "./format";

/** Held is one day: what was predicted, with its interval, and what happened; null where it is not known. */
export interface Held {
  day: string; low: number | null; high: number | null; predicted: number | null; realised: number | null;
  /** Whether what happened lies outside the interval. */
  out: boolean;
  /** Requests of the day, and those that the delay in ms was learned from. */
  n: number; trainN: number; delay: number;
}

/** outside says whether a value misses an interval; a bound that is null bounds nothing. */
export function outside(v: number, low: number | null, high: number | null): boolean {
  return (low !== null && v < low) || (high !== null && v > high);
}

/** heldSentence sums days up. */
export function heldSentence(days: Held[]): string {
  const known = days.filter((d) => d.realised !== null);
  if (known.length === 0) return "No day has both a prediction and rows to hold it against.";
  const out = known.filter((d) => d.out);
  return `${known.length - out.length} of ${known.length} days ended inside the predicted interval${out.length > 0 ? `; outside: ${out.map((d) => `${d.day} with ${share(d.realised)} (predicted ${share(d.low)} to ${share(d.high)})`).join(", ")}` : ""}.`;
}

/** extent is the axis of days: from zero to a little above everything shown. */
export function extent(days: Held[]): number {
  return Math.max(0, ...days.flatMap((d) => [d.high, d.predicted, d.realised]).filter((v): v is number => v !== null)) * 1.1 || 1;
}
