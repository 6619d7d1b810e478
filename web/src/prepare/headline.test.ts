import assert from "node:assert/strict";
import { test } from "node:test";
import type { Figure } from "../api/types";
import { cards } from "./headline";

const figure = (metric: string, q: number): Figure => ({
  metric, title: metric, q, unit: "ms", start: "t0", end: "t4", now: 1, now_n: 9, before: null, before_n: 0, now_below_min_n: false, before_below_min_n: false, now_at_least: null, before_at_least: null,
});

test("figures of one metric share a card, in order", () => {
  const c = cards([figure("a", 0.5), figure("b", 0.5), figure("a", 0.95)]);
  assert.deepEqual(c.map((x) => [x.metric, x.figures.map((f) => f.q)]), [["a", [0.5, 0.95]], ["b", [0.5]]]);
  assert.deepEqual(cards([]), []);
});
