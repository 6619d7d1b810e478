import assert from "node:assert/strict";
import { test } from "node:test";
import type { Latency, Point } from "../api/types";
import { lines, sentence } from "./lines";

const point = (at: string, values: (number | null)[], open = false): Point =>
  ({ at, n: 40, censored: 0, failures: 0, open, values, below_min_n: values.map((v) => v === null) });

const answer = (series: Latency["series"]): Latency => ({
  meta: { from: "", to: "", step_s: 60, metric: null, n: 80, censored: 0, left_out: {}, kaplan_meier: false, clock: null, start_points: [], sources: [], table: "requests", rows_read: 80, elapsed_ms: 1, approximation: "exact", warnings: [] },
  quantiles: [0.5, 0.99], unit: "ms", series,
});

test("null stays a gap and the open bucket is marked", () => {
  const l = lines(answer([{ key: {}, n: 80, points: [point("2026-11-30T00:00:00Z", [1, null]), point("2026-11-30T00:01:00Z", [2, 9], true)] }]));
  assert.deepEqual(l.lines.map((x) => x.values), [[1, 2], [null, 9]]);
  assert.equal(l.openFrom, 1);
  assert.deepEqual(l.lines.map((x) => x.label), ["p50", "p99"]);
});

test("a group that misses a bucket has a gap there", () => {
  const l = lines(answer([
    { key: { channel: "a" }, n: 40, points: [point("2026-11-30T00:00:00Z", [1, 5]), point("2026-11-30T00:01:00Z", [1, 6])] },
    { key: { channel: null }, n: 40, points: [point("2026-11-30T00:01:00Z", [1, 7])] },
  ]));
  assert.deepEqual(l.lines.map((x) => [x.label, x.values]), [["p99 a", [5, 6]], ["p99 (not recorded)", [null, 7]]]);
});

test("the sentence names ranges and missing lines", () => {
  const s = sentence(answer([{ key: {}, n: 80, points: [point("2026-11-30T00:00:00Z", [100, null])] }]));
  assert.match(s, /p50 between 100 ms and 100 ms/);
  assert.match(s, /p99 has no bucket with enough rows/);
});
