import assert from "node:assert/strict";
import { test } from "node:test";
import type { Timeline } from "../api/types";
import { axis, lanes } from "./timeline";

const attempt = (offset: number, spans: [string, number, number][], timing: Record<string, number | null> = {}) =>
  ({ offset_ms: offset, timing, spans: spans.map(([stage, start_ms, end_ms]) => ({ stage, start_ms, end_ms, estimated: false })) }) as unknown as Timeline;

test("attempts share one axis from the first one's start", () => {
  const { lanes: l, totalMs } = lanes([attempt(0, [["headers", 0, 400]]), attempt(500, [["headers", 0, 500]], { first_response_ms: 250, upstream_done_ms: null })]);
  assert.equal(totalMs, 1000);
  assert.deepEqual(l[0]!.bars, [{ stage: "headers", left: 0, width: 0.4, ms: 400, estimated: false }]);
  assert.equal(l[1]!.bars[0]!.left, 0.5);
  assert.deepEqual(l[1]!.marks, [{ name: "first effective output", left: 0.75, ms: 250 }]);
});

test("an attempt without any time draws nothing and no NaN", () => {
  const { lanes: l, totalMs } = lanes([attempt(0, [])]);
  assert.equal(totalMs, 0);
  assert.deepEqual([l[0]!.bars, l[0]!.marks], [[], []]);
  assert.equal(lanes([attempt(0, [["local", 0, 0]])]).lanes[0]!.bars[0]!.left, 0);
});

test("the axis is round and short", () => {
  assert.deepEqual(axis(1000), [0, 200, 400, 600, 800, 1000]);
  assert.deepEqual(axis(23_200), [0, 5000, 10_000, 15_000, 20_000]);
  assert.deepEqual(axis(0), [0]);
  assert.ok(axis(50_000).length <= 7);
});
