import assert from "node:assert/strict";
import { test } from "node:test";
import type { Latency, Point } from "../api/types";
import { meta } from "./fixture";
import { lines, lonely, sentence, valueAt } from "./lines";

const point = (at: string, values: (number | null)[], open = false): Point =>
  ({ at, n: 40, censored: 0, failures: 1, open, values, below_min_n: values.map((v) => v === null), at_least: values.map(() => null) });

const answer = (series: Latency["series"], more: Partial<Latency["meta"]> = { step_s: null }): Latency => ({ meta: meta(more), quantiles: [0.5, 0.99], unit: "ms", series });

const first = "2026-11-30T00:00:00Z", second = "2026-11-30T00:01:00Z", third = "2026-11-30T00:02:00Z";

test("null stays a gap and the open bucket is dotted, joined to the last finished one", () => {
  const l = lines(answer([{ key: {}, n: 80, points: [point(first, [1, null]), point(second, [2, 9]), point(third, [3, 8], true)] }]));
  assert.deepEqual(l.lines.map((x) => x.values), [[1, 2, null], [null, 9, null]]);
  assert.deepEqual(l.lines.map((x) => x.open), [[null, 2, 3], [null, 9, 8]]);
  assert.equal(l.openFrom, 2);
  assert.equal(l.last, 1);
  assert.equal(valueAt(l.lines[0]!, 2), 3);
  assert.deepEqual(l.lines.map((x) => x.label), ["p50", "p99"]);
});

test("buckets without rows are gaps, also where the answer leaves them out", () => {
  const window = { from: "2026-11-29T23:58:30Z", to: "2026-11-30T00:04:00Z", step_s: 60 };
  const l = lines(answer([{ key: {}, n: 80, points: [point(first, [1, 2]), point(third, [3, 4])] }], window));
  assert.equal(l.at[0], Date.parse("2026-11-29T23:59:00Z") / 1000);
  assert.deepEqual(l.lines[0]!.values, [null, 1, null, 3, null]);
  assert.deepEqual(l.n, [0, 40, 0, 40, 0]);
  assert.equal(l.last, 4);
});

test("a group that misses a bucket has a gap there, and rows add up", () => {
  const l = lines(answer([
    { key: { channel: "a" }, n: 40, points: [point(first, [1, 5]), point(second, [1, 6])] },
    { key: { channel: null }, n: 40, points: [point(second, [1, 7])] },
  ]));
  assert.deepEqual(l.lines.map((x) => [x.label, x.values]), [["a", [5, 6]], ["(not recorded)", [null, 7]]]);
  assert.deepEqual(l.n, [40, 80]);
  assert.deepEqual(l.failures, [1, 2]);
});

test("groups beyond the colours are counted, not dropped in silence", () => {
  const l = lines(answer(Array.from({ length: 11 }, (_, i) => ({ key: { model: `m${i}` }, n: 40, points: [point(first, [1, 2])] }))));
  assert.equal(l.lines.length, 8);
  assert.equal(l.hidden, 3);
  assert.deepEqual(l.n, [440]);
  assert.equal(new Set(l.lines.map((x) => x.tone + x.dash)).size, 8, "each line looks its own way");
});

test("nothing at all is no line", () => {
  const l = lines(answer([]));
  assert.deepEqual([l.at, l.lines, l.openFrom, l.last], [[], [], null, null]);
});

test("only unfinished buckets have no last finished one", () => {
  const l = lines(answer([{ key: {}, n: 40, points: [point(first, [1, 2], true)] }]));
  assert.equal(l.last, null);
  assert.deepEqual(l.lines[0]!.open, [1]);
});

test("values without neighbours are found", () => {
  assert.deepEqual(lonely([1, null, 2, 3, null, 4]), [0, 5]);
  assert.deepEqual(lonely([null, 7, null]), [1]);
  assert.deepEqual(lonely([]), []);
});

test("the sentence names ranges and missing lines", () => {
  const s = sentence(answer([{ key: {}, n: 80, points: [point(first, [100, null])] }])).replace(/\u00a0/g, " ");
  assert.match(s, /p50 between 100 ms and 100 ms, last 100 ms/);
  assert.match(s, /p99 has no finished bucket with enough rows/);
});
