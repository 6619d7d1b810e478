import assert from "node:assert/strict";
import { test } from "node:test";
import type { Backtest, Outcome, RuleTested, Tested } from "../api/types";
import { chosenRule, pair, ruleTitle, shownOf, testedDays, verdictOf } from "./backtest";
import { meta } from "./fixture";
import { extent, heldSentence, outside } from "./walk";

const plain = (s: string) => s.replace(/[\u00a0\u202f]/g, " ");
const day = { day: "2026-11-24", train_n: 897, n: 838, hedge_after_ms: 610.9, q: 1, predicted_ratio: 0.1, realised_ratio: 0.08, low: 0.07, high: 0.13 };
const outcome: Outcome = { trigger_ratio: 0.1, sent_ratio: 0.1, before_p95_ms: 1, before_p99_ms: 2, p95_ms: 1, p99_ms: 2, pessimistic_p95_ms: 1, pessimistic_p99_ms: 2, win_rate: null, hedges: 3, extra_input_tokens: 4, extra_input_share: 0.1 };
const tested = (more: Partial<Tested> = {}): Tested => ({ key: null, n: 838, skipped_days: 0, predicted: outcome, realised: outcome, low: 0.08, high: 0.12, p: 0.5, p_adjusted: 1, verdict: null, warning: null, days: [day], ...more });
const rule = (name: string, more: Partial<RuleTested> = {}): RuleTested => ({ rule: name, pooled: tested(), keys: [], insufficient_data: 0, unstable: 0, ...more });
const test_ = (rules: RuleTested[]): Backtest => ({ meta: meta(), by: ["model"], rules });

test("the rule of the address, else P90, else the first, else none", () => {
  const b = test_([rule("p50"), rule("p90"), rule("singler")]);
  assert.equal(chosenRule(b, "singler")!.rule, "singler");
  assert.equal(chosenRule(b, "nonsense")!.rule, "p90");
  assert.equal(chosenRule(test_([rule("2s")]), null)!.rule, "2s");
  assert.equal(chosenRule(test_([]), "p90"), null);
});

test("a key that was not tested is none, never the pool", () => {
  const mine = tested({ key: { model: "m" }, n: 5 }), r = rule("p90", { keys: [mine] });
  assert.equal(shownOf(r, "m")!.n, 5);
  assert.equal(shownOf(r, "other"), null);
  assert.equal(shownOf(r, null), r.pooled);
});

test("rules and verdicts have words", () => {
  assert.deepEqual(["p90", "singler", "1500ms"].map(ruleTitle), ["P90", "SingleR, by chance", "1500ms"]);
  assert.deepEqual([tested(), tested({ verdict: "unstable" }), tested({ realised: null }), null].map(verdictOf), ["held", "unstable", "too few rows", "not tested"]);
  assert.equal(plain(pair(0.1, 0.125, "share")), "10 → 12.5 %");
  assert.equal(plain(pair(null, 900, "ms")), "– → 900 ms");
  assert.equal(pair(null, undefined, "ms"), "–");
  assert.equal(plain(pair(800, 900, "ms")), "800 → 900 ms");
  assert.equal(plain(pair(800, 12_000, "ms")), "800 ms → 12 s");
});

test("a bound that is not known bounds nothing", () => {
  assert.deepEqual([outside(0.5, null, null), outside(0.5, 0.6, null), outside(0.5, null, 0.4), outside(0.1, 0.1, 0.1)], [false, true, true, false]);
});

test("a day without rows has nothing realised, and is not outside", () => {
  const [d] = testedDays(tested({ days: [{ ...day, n: 0, realised_ratio: 0 }] }));
  assert.deepEqual([d!.realised, d!.out], [null, false]);
});

test("the sentence names the days outside", () => {
  const days = testedDays(tested({ days: [day, { ...day, day: "2026-11-25", realised_ratio: 0.2 }] }));
  assert.equal(plain(heldSentence(days)), "1 of 2 days ended inside the predicted interval; outside: 2026-11-25 with 20 % (predicted 7 % to 13 %).");
  assert.ok(extent(days) > 0.2);
  assert.match(heldSentence([]), /^No day has/);
  assert.equal(extent([]), 1);
});
