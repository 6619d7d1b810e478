import assert from "node:assert/strict";
import { test } from "node:test";
import { budgetAt, budgets, bounds, fitting, grouping, keyFilters, keyName, nearest, perMinute, positionOf, stepped, tally, tenth, verdictSign, verdictTone } from "./hedge";
import { curve, given } from "./fixture";

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

test("a budget takes the smallest delay that fits, and the last one where none does", () => {
  assert.equal(fitting(curve, 0.2), 200);
  assert.equal(fitting(curve, 0.19), 400);
  assert.equal(fitting(curve, 0.001), 800);
  assert.equal(fitting([], 0.1), null);
});

test("the budget slider is logarithmic and stays on its ends", () => {
  const ends = budgets(curve);
  assert.deepEqual(ends, [0.05, 0.5]);
  assert.equal(positionOf(ends, 0), 0);
  assert.equal(positionOf(ends, 0.9), 1);
  for (const at of [0, 0.3, 1]) assert.ok(Math.abs(positionOf(ends, budgetAt(ends, at)) - at) < 1e-9);
  assert.deepEqual(budgets([]), [0.1, 0.5]);
});

test("a rate of hedges scales with the share, and is unknown without one", () => {
  assert.equal(perMinute({ hedges_per_min: 3, trigger_ratio: 0.1 }, 0.2), 6);
  assert.equal(perMinute({ hedges_per_min: null, trigger_ratio: 0.1 }, 0.2), null);
  assert.equal(perMinute({ hedges_per_min: 0, trigger_ratio: 0 }, 0.2), null);
});

test("a kind of key has words, also one that is not offered", () => {
  assert.equal(grouping("model,route"), "model × route");
  assert.equal(grouping("gateway,model"), "gateway × model");
});
