// What hedging really did, in words.

import type { ObservedKey, Percentiles, Proportion } from "../api/types";
import { count, quantity, reached, share, words } from "./format";

/** proportion writes a share with its interval and what it is a share of. */
export function proportion(p: Proportion): string {
  if (p.share === null) return `–, n ${count(p.of)}`;
  return `${share(p.share)} (${share(p.low)} … ${share(p.high)}), n ${count(p.of)}`;
}

/** counted writes how many of how many. */
export function counted(p: Proportion): string {
  return `${count(p.count)} of ${count(p.of)}`;
}

/** really are the keys with a hedge delay in force: the others were never hedged. */
export function really(keys: ObservedKey[]): ObservedKey[] {
  return keys.filter((k) => k.with_hedge_after > 0 || k.backups > 0);
}

/** tailOf writes P95 or P99 of a law, also where it was not reached. */
export function tailOf(p: Percentiles, of: "p95" | "p99"): string {
  return reached(p[`${of}_ms`], p.at_least_ms[of], "ms");
}

/** bracket writes between what the percentile without hedging must lie; empty where nothing is known. */
export function bracket(k: ObservedKey, of: "p95" | "p99"): string {
  const low = k.unhedged_bounds[`at_once_${of}_ms`], high = k.unhedged_bounds[`never_${of}_ms`];
  if (low === null && high === null) return "";
  return low === high ? "" : `(${quantity(low, "ms")} … ${high === null ? "not reached" : quantity(high, "ms")})`;
}

/** causeTone says how a diagnosis is coloured; its words always stand beside it. */
export function causeTone(cause: string): string {
  if (cause === "within_chance") return "good";
  return cause === "no_data" ? "warn" : "bad";
}

/** cause names a diagnosis. */
export function cause(c: string): string {
  return c === "no_data" ? "nothing to compare with" : words(c);
}

/** tokens writes what backups added: counted and estimated apart. */
export function tokens(k: ObservedKey): string {
  const e = k.extra_tokens;
  return `at least ${share(e.input_share_at_least)} more input: ${count(e.measured_input)} counted${e.backups_without_count > 0 ? `, ${count(e.estimated_input_at_least)} estimated for ${count(e.backups_without_count)} backups without a count` : ""}; output ${count(e.measured_output)} counted`;
}
