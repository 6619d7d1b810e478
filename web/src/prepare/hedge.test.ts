import assert from "node:assert/strict";
import { test } from "node:test";
import type { CurvePoint } from "../api/types";
import { bounds, keyFilters, keyName, nearest, stepped, verdictTone } from "./hedge";

const curve: CurvePoint[] = [100, 200, 400, 800].map((d) => ({
  hedge_after_ms: d, trigger_ratio: 100 / d, win_chance: null, independent: { p95_ms: null, p99_ms: null }, pessimistic: null,
}));

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
});

test("a part that was not recorded can be asked for", () => {
  assert.deepEqual(keyFilters({ model: "m", route: null }), ["model=m", "route=(missing)"]);
  assert.equal(keyName({ model: "m", route: null }), "m · (not recorded)");
});

test("only hedge is green", () => {
  assert.deepEqual(["hedge", "do_not_hedge", "unsafe"].map(verdictTone), ["good", "warn", "bad"]);
});
