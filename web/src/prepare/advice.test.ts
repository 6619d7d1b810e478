import assert from "node:assert/strict";
import { test } from "node:test";
import { advice, cases, change, configured, curveSentence, lastWeek, money, next, savedNote, singleR, target } from "./advice";
import { curve, given } from "./fixture";

const plain = (s: string) => s.replace(/[\u00a0\u202f]/g, " ");

test("advice never recommends what the verdict does not", () => {
  assert.equal(plain(advice(given())), "Send a backup after 590 ms (95 %: 576 ms to 607 ms) without a first token.");
  assert.match(plain(advice(given({ verdict: "do_not_hedge" }))), /^P90 of the first-token wait is 590 ms .* would not pay\.$/);
  assert.match(plain(advice(given({ verdict: "insufficient_data" }))), /: too few rows to say/);
  assert.match(advice(given({ hedge_after_ms: null, verdict: "insufficient_data" })), /^No delay/);
  assert.match(plain(advice(given({ interval: { low_ms: 576, high_ms: null } }))), /after 590 ms without/);
});

test("the next window's ratio has its interval, the target its name", () => {
  assert.equal(plain(next(given())), "Triggers for 10 %; next 1 000 requests: 8 % to 12.8 %");
  assert.equal(next(given({ trigger_ratio: null })), "");
  assert.equal(target(given()), "P99");
  assert.match(target(given({ target_q: null })), /too few rows/);
});

test("a case without numbers says why", () => {
  assert.deepEqual(cases(given()).map((c) => [c.name, c.hedged, c.why]), [["independent", null, ""], ["measured", null, "needs pairs"], ["pessimistic", null, ""]]);
});

test("the curve's sentence names share and tail", () => {
  assert.equal(plain(curveSentence(curve, given(), 410)), "Of 1 000 requests 10 % still wait after 410 ms; with a backup then P95 400 ms, P99 ≥ 900 ms if independent.");
  assert.equal(curveSentence([], given(), 410), "No curve.");
});

test("a measured case says which pairs it stands on", () => {
  const h = { ...given().before, p95_interval: { low_ms: 1, high_ms: 2 }, p99_interval: { low_ms: 1, high_ms: 2 }, win_chance: 0.3, rho: null, gain_ms: 1, gain_at_least_ms: null, gain_low_ms: 0, gain_high_ms: 2, enough_share: 1, seconds_saved_per_week: 3 };
  const titled = (pairs: number | null, kind: string | null, channels: string[] | null) =>
    plain(cases(given({ after: { independent: null, pessimistic: null, unavailable: {}, measured: { ...h, pairs, pair_kind: kind, paired_channels: channels } } }))[1]!.title);
  assert.equal(titled(150, "hedged", null), "Measured, n 150 requests really hedged");
  assert.equal(titled(60, "same_minute", ["ch-1", "ch-4"]), "Measured, n 60 same-minute pairs, ch-1 and ch-4");
  assert.equal(titled(null, null, null), "Measured pairs");
});

test("the delay in force stands beside the advised one", () => {
  assert.equal(configured(given()), "none set for this route");
  assert.equal(configured(given({ configured_hedge_after_ms: 600 })), "within the advice's interval");
  assert.equal(plain(configured(given({ configured_hedge_after_ms: 295 }))), "50 % below the advice");
  assert.equal(plain(configured(given({ configured_hedge_after_ms: 885 }))), "50 % above the advice");
  assert.equal(configured(given({ configured_hedge_after_ms: 885, hedge_after_ms: null })), "");
});

test("a change has its unit once where all share it, and a dash where there is nothing", () => {
  const law = (p99: number | null) => ({ ...given().before, p99_ms: p99, at_least_ms: {} });
  const hedged = (p99: number) => ({ ...law(p99), p95_interval: { low_ms: null, high_ms: null }, p99_interval: { low_ms: null, high_ms: null }, win_chance: null, rho: null, gain_ms: null, gain_at_least_ms: null, gain_low_ms: null, gain_high_ms: null, enough_share: null, seconds_saved_per_week: null, pairs: null, pair_kind: null, paired_channels: null });
  const of = (was: number | null, free: number, tied: number) => plain(change(given({ before: law(was), after: { independent: hedged(free), measured: null, pessimistic: hedged(tied), unavailable: {} } }), "p99"));
  assert.equal(of(2199, 1013, 1284), "2199 → 1013 / 1284 ms");
  assert.equal(of(12_000, 1013, 1284), "12 s → 1013 ms / 1284 ms");
  assert.equal(of(null, 1013, 1284), "– → 1013 ms / 1284 ms");
  assert.equal(plain(change(given(), "p99")), "– → – / –");
});

test("money is a range in its currency, and nothing without prices", () => {
  const cost = { hedges: 1, known_tokens: 1, extra_input_tokens: 1, extra_input_share: 0.1, extra_output_tokens_low: 0, extra_output_tokens_high: 1, currency: "USD", money_low: 1.5, money_high: 2.5, money_share_low: 0.01, money_share_high: 0.05 };
  assert.equal(plain(money(cost)), "1.5 … 2.5 USD, 5 % more at most");
  assert.equal(plain(money({ ...cost, money_low: 2.5, money_share_high: null })), "2.5 USD");
  assert.equal(money({ ...cost, money_low: null, money_high: null }), "");
});

test("the advice before says whether its change is noise", () => {
  const l = { advice_id: "a", made_at: "", to: "2026-11-23T00:00:00.000Z", hedge_after_ms: 600, verdict: "do_not_hedge", trigger_ratio: 0.1, change_ms: -8, change_share: -0.0133, beyond_interval: false };
  assert.equal(plain(lastWeek(l)), "2026-11-23, do not hedge; −1.33 % since, within noise");
  assert.match(plain(lastWeek({ ...l, change_share: 0.5, beyond_interval: true })), /\+50 % since, more than noise$/);
  assert.equal(lastWeek({ ...l, change_share: null, beyond_interval: null }), "2026-11-23, do not hedge");
});

test("what a key would save says by which case", () => {
  assert.equal(savedNote(given()), "not known");
  assert.equal(savedNote(given({ seconds_saved_case: "measured" })), "of waiting a week, measured case");
});

test("a backup by chance says when, how often and to what end", () => {
  assert.equal(plain(singleR({ hedge_after_ms: 500, q: 0.667, sent_ratio: 0.1, target_ms: 700 })), "After 500 ms send a backup for 66.7 % of those still waiting: 10 % of all requests, P95 700 ms if independent.");
  assert.doesNotMatch(singleR({ hedge_after_ms: 500, q: 0.667, sent_ratio: 0.1, target_ms: null }), /P95/);
});
