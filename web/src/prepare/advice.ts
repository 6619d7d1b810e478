import type { Advice, Cost, CurveAfter, CurvePoint, Hedged, LastAdvice, Percentiles, Simulated, SingleR } from "../api/types";
import { count, number, quantile, quantity, reached, share, words } from "./format";
import { nearest } from "./hedge";

/** Case is one assumption about how backup and primary go together; why says why it has no numbers. */
export interface Case { name: string; title: string; hedged: Hedged | null; why: string }

/** cases lists the three assumptions in reading order. */
export function cases(s: Simulated | Advice): Case[] {
  const rho = s.after.pessimistic?.rho;
  const title: Record<string, string> = {
    independent: "Independent backup", measured: `Measured${pairs(s.after.measured)}`, pessimistic: `Pessimistic${rho === null || rho === undefined ? "" : `, correlated ρ ${rho}`}`,
  };
  return (["independent", "measured", "pessimistic"] as const).map((c) => ({
    name: c, title: title[c]!, hedged: s.after[c], why: s.after.unavailable[c] ?? "",
  }));
}

/** pairs says which pairs a measured case stands on. */
function pairs(h: Hedged | null): string {
  if (!h || h.pairs === null) return " pairs";
  const kind = h.pair_kind === "hedged" ? "requests really hedged" : `same-minute pairs${h.paired_channels?.length ? `, ${h.paired_channels.join(" and ")}` : ""}`;
  return `, n ${count(h.pairs)} ${kind}`;
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

/** change writes a percentile without hedging and with it, independent and pessimistic; the unit stands once where all share it. */
export function change(a: Advice, of: "p95" | "p99"): string {
  const all = [tail(a.before, of), tail(a.after.independent, of), tail(a.after.pessimistic, of)];
  const unit = "\u00a0ms";
  const [was, free, tied] = all.every((v) => v.endsWith(unit)) ? [all[0]!.slice(0, -3), all[1]!.slice(0, -3), all[2]!] : all;
  return `${was} → ${free} / ${tied}`;
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

/** configured sets the delay in force beside the advised one. */
export function configured(a: Advice): string {
  const c = a.configured_hedge_after_ms;
  if (c === null) return "none set for this route";
  if (a.hedge_after_ms === null) return "";
  const off = c / a.hedge_after_ms - 1;
  const inside = a.interval.low_ms !== null && a.interval.high_ms !== null && c >= a.interval.low_ms && c <= a.interval.high_ms;
  return inside ? "within the advice's interval" : `${share(Math.abs(off))} ${off < 0 ? "below" : "above"} the advice`;
}

/** lastWeek says how the advice before compares with today's: a change inside the interval is noise. */
export function lastWeek(l: LastAdvice): string {
  const moved = l.change_share === null ? "" : `${l.change_share < 0 ? "−" : "+"}${share(Math.abs(l.change_share))} since`;
  const beyond = l.beyond_interval === null ? "" : l.beyond_interval ? ", more than noise" : ", within noise";
  return `${l.to.slice(0, 10)}, ${words(l.verdict)}${moved && `; ${moved}${beyond}`}`;
}

/** money writes the extra cost as a range, with its share; empty without prices. */
export function money(c: Cost): string {
  if (c.money_low === null || c.money_high === null) return "";
  const amount = (v: number) => `${number(v)}${c.currency ? `\u00a0${c.currency}` : ""}`;
  const range = c.money_low === c.money_high ? amount(c.money_high) : `${number(c.money_low)} … ${amount(c.money_high)}`;
  return c.money_share_high === null ? range : `${range}, ${share(c.money_share_high)} more at most`;
}

/** savedNote says what seconds saved stand on. */
export function savedNote(a: Advice): string {
  return a.seconds_saved_case === null ? "not known" : `of waiting a week, ${a.seconds_saved_case} case`;
}

/** singleR writes the policy that sends its backup by chance. */
export function singleR(r: SingleR): string {
  return `After ${quantity(r.hedge_after_ms, "ms")} send a backup for ${share(r.q)} of those still waiting: ${share(r.sent_ratio)} of all requests${r.target_ms === null ? "" : `, P95 ${quantity(r.target_ms, "ms")} if independent`}.`;
}
