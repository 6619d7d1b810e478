import assert from "node:assert/strict";
import { test } from "node:test";
import type { WalkDay } from "../api/types";
import { extent, held, heldSentence, outside } from "./walk";

const plain = (s: string) => s.replace(/[\u00a0\u202f]/g, " ");
const day = (more: Partial<WalkDay> = {}): WalkDay => ({
  day: "2026-11-24", train_n: 897, n: 838, hedge_after_ms: 610.9, expected_ratio: 0.1, realised_ratio: 0.08, low: 0.07, high: 0.13, ...more,
});

test("a bound that is not known bounds nothing", () => {
  assert.deepEqual([outside(0.5, null, null), outside(0.5, 0.6, null), outside(0.5, null, 0.4), outside(0.1, 0.1, 0.1)], [false, true, true, false]);
});

test("a day without rows has nothing realised, and is not outside", () => {
  const [d] = held([day({ n: 0, realised_ratio: 0 })]);
  assert.equal(d!.realised, null);
  assert.equal(d!.out, false);
});

test("the sentence names the days outside", () => {
  assert.equal(plain(heldSentence(held([day(), day({ day: "2026-11-25", realised_ratio: 0.2 })]))),
    "1 of 2 days ended inside the predicted interval; outside: 2026-11-25 with 20 % (predicted 7 % to 13 %).");
  assert.match(heldSentence(held([day({ n: 0 })])), /^No day has/);
  assert.match(heldSentence([]), /^No day has/);
});

test("the axis holds everything that is shown", () => {
  assert.ok(extent(held([day({ realised_ratio: 0.4 })])) > 0.4);
  assert.equal(extent([]), 1);
});
