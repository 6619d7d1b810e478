import assert from "node:assert/strict";
import { test } from "node:test";
import { ticks, toPixel, toValue } from "./scale";

const s = { lo: 10, hi: 1000, from: 0, to: 200 };

test("pixel and value are inverse", () => {
  for (const v of [10, 33, 100, 999]) assert.ok(Math.abs(toValue(s, toPixel(s, v)) - v) < 1e-9);
  assert.ok(Math.abs(toPixel(s, 100) - 100) < 1e-9);
});

test("values stay inside", () => {
  assert.ok(Math.abs(toValue(s, -50) - 10) < 1e-9);
  assert.ok(Math.abs(toValue(s, 900) - 1000) < 1e-9);
});

test("ticks are round", () => assert.deepEqual(ticks(s), [10, 20, 50, 100, 200, 500, 1000]));
