import assert from "node:assert/strict";
import { test } from "node:test";
import { fewest, fewestGrouped, pointMinimum, widened } from "./steps";

test("point minima are those of the specification", () => {
  assert.deepEqual([0.9, 0.95, 0.99, 0.999].map(pointMinimum), [29, 59, 299, 2995]);
});

test("a busy stream keeps the API's step", () => assert.equal(widened(1_000_000, 86_400, 600, 0.99, fewest), null));

test("a quiet stream gets the smallest step with enough rows", () => {
  assert.equal(widened(5245, 86_400, 600, 0.9, fewest), "30m"); // 109 a bucket, twice 29 wanted
  assert.equal(widened(5245, 86_400, 600, 0.99, fewest), "1h"); // 598 would need 3 h: too few buckets
  assert.equal(widened(50_000, 7 * 86_400, 3600, 0.99, fewest), "3h");
});

test("groups may have fewer buckets", () => assert.equal(widened(660, 86_400, 600, 0.95, fewestGrouped), "3h"));

test("no step is wider than leaves a picture, and nothing is asked for nothing", () => {
  assert.equal(widened(10, 900, 5, 0.95, fewest), null);
  assert.equal(widened(0, 86_400, 600, 0.95, fewest), null);
});
