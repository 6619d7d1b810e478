// Rules for the delay, each held against the days after it was learned.

import type { Backtest, RuleTested, Tested } from "../api/types";
import { missing, quantity, share, words } from "./format";
import { keyName } from "./hedge";
import { outside, type Held } from "./walk";

/** ruleTitle names a rule as people say it. */
export function ruleTitle(rule: string): string {
  if (rule === "singler") return "SingleR, by chance";
  return /^p\d/.test(rule) ? rule.toUpperCase() : rule;
}

/** chosenRule is the rule that the address asks for, else P90, else the first. */
export function chosenRule(b: Backtest, rule: string | null): RuleTested | null {
  return b.rules.find((r) => r.rule === rule) ?? b.rules.find((r) => r.rule === "p90") ?? b.rules[0] ?? null;
}

/** shownOf is one key's test of a rule; null names all keys pooled, and null comes back where the key was not tested. */
export function shownOf(r: RuleTested, key: string | null): Tested | null {
  return key === null ? r.pooled : r.keys.find((k) => k.key !== null && keyName(k.key) === key) ?? null;
}

/** testedDays are the days of one key's test. */
export function testedDays(t: Tested): Held[] {
  return t.days.map((d) => ({
    day: d.day, low: d.low, high: d.high, predicted: d.predicted_ratio, realised: d.n > 0 ? d.realised_ratio : null,
    out: d.n > 0 && outside(d.realised_ratio, d.low, d.high), n: d.n, trainN: d.train_n, delay: d.hedge_after_ms,
  }));
}

/** verdictOf says how a rule held: whether the ratio of all days lies in its interval. */
export function verdictOf(t: Tested | null): string {
  if (t === null) return "not tested";
  if (t.realised === null) return "too few rows";
  if (t.verdict !== null) return words(t.verdict);
  return "held";
}

/** pair writes what was predicted and what happened. */
export function pair(predicted: number | null | undefined, realised: number | null | undefined, unit: "ms" | "share"): string {
  const [was, is] = unit === "share" ? [share(predicted), share(realised)] : [quantity(predicted, "ms"), quantity(realised, "ms")];
  if (is === missing && was === missing) return missing;
  const alike = /\u00a0(ms|%)$/.exec(is);
  return `${alike && was.endsWith(alike[0]) ? was.slice(0, -alike[0].length) : was} → ${is}`;
}
