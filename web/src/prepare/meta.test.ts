import assert from "node:assert/strict";
import { test } from "node:test";
import { meta } from "./fixture";
import { cost, points, provenance, span, warnings } from "./meta";

const metric = { name: "first_response_ms", title: "First", unit: "ms", start: "t0", end: "t4", higher_is_worse: true, asked: "" };

test("provenance names n, span, censored and what was left out", () => {
  const parts = provenance(meta({ metric, censored: 3, kaplan_meier: true, left_out: { failed: 2, not_stream: 0, not_primary: 1 }, start_points: ["handler"] }));
  assert.deepEqual(parts, ["n = 80", "first_response_ms (t0 → t4, ms)", "3 censored (Kaplan–Meier)", "left out: 2 failed, 1 not primary", "clock starts at handler"]);
  assert.deepEqual(provenance(meta()), ["n = 80"]);
});

test("a metric without span says its unit or that it has none", () => {
  assert.equal(span({ ...metric, name: "temperature", unit: "", start: "", end: "" }), "temperature (no unit)");
  assert.equal(points("t0", "t4"), "t0 request received → t4 first effective output");
  assert.equal(points("own", "own"), "a stage of its own");
  assert.equal(points("", ""), "");
});

test("a warning is said once, and not what the banner says", () => {
  assert.deepEqual(warnings(meta({ warnings: ["a", "b", "a", "sample"] }), "sample"), ["a", "b"]);
});

test("cost says table, rows, time and exactness", () => assert.match(cost(meta()), /^requests, 80 rows read in 1.ms, exact$/));
