import assert from "node:assert/strict";
import { test } from "node:test";
import type { Advice, CurvePoint } from "../api/types";
import { advice, bounds, cases, curveSentence, keyFilters, keyName, nearest, next, stepped, tally, target, tenth, verdictSign, verdictTone } from "./hedge";

const plain = (s: string) => s.replace(/[\u00a0\u202f]/g, " ");

const curve: CurvePoint[] = [100, 200, 400, 800].map((d) => ({
  hedge_after_ms: d, trigger_ratio: 40 / d, win_chance: null, independent: { p95_ms: d, p99_ms: null, p95_at_least_ms: null, p99_at_least_ms: 900 }, pessimistic: null,
}));

const percentiles = { p50_ms: null, p75_ms: null, p90_ms: null, p95_ms: null, p99_ms: null, below_min_n: [], at_least_ms: {} };

const given = (more: Partial<Advice> = {}): Advice => ({
  key: { model: "m", route: null }, model: "m", route: null, metric: "first_response_ms", clock: "dispatch", n: 1000, observed: 1000, censored: 0, left_out: {},
  failures: 0, failure_share: 0, hedge_after_ms: 590, interval: { low_ms: 576, high_ms: 607 }, configured_hedge_after_ms: null, trigger_ratio: 0.1,
  trigger_interval: { low: 0.08, high: 0.128, next_n: 1000, method: "beta-binomial" }, target_q: 0.99, before: percentiles,
  after: { independent: null, measured: null, pessimistic: null, unavailable: { measured: "needs pairs" } }, win_chance: 0.3, cost: null,
  verdict: "hedge", reasons: [], notes: [], halves: null, ...more,
});

test("nearest is on a log scale", () => {
  assert.equal(nearest(curve, 290)!.hedge_after_ms, 400);
  assert.equal(nearest(curve, 270)!.hedge_after_ms, 200);
  assert.equal(nearest([], 1), null);
});

test("steps stay inside the curve", () => {
  assert.equal(stepped(curve, 390, 1), 800);
  assert.equal(stepped(curve, 800, 1), 800);
  assert.equal(stepped(curve, 100, -5), 100);
  assert.deepEqual(bounds(curve), [100, 800]);
  assert.equal(bounds([]), null);
});

test("a key without advice starts where a tenth still waits, or at the end", () => {
  assert.equal(tenth(curve), 400);
  assert.equal(tenth(curve.slice(0, 2)), 200);
  assert.equal(tenth([]), null);
});

test("a part that was not recorded can be asked for", () => {
  assert.deepEqual(keyFilters({ model: "m", route: null }), ["model=m", "route=(missing)"]);
  assert.equal(keyName({ model: "m", route: null }), "m · (not recorded)");
});

test("only hedge is green, and each tone has a shape", () => {
  assert.deepEqual(["hedge", "do_not_hedge", "insufficient_data", "unsafe", "unstable"].map(verdictTone), ["good", "warn", "warn", "bad", "bad"]);
  assert.equal(new Set(["hedge", "do_not_hedge", "unsafe"].map(verdictSign)).size, 3);
  assert.deepEqual(tally([given(), given({ verdict: "unsafe" }), given()]), [["hedge", 2], ["unsafe", 1]]);
});

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
