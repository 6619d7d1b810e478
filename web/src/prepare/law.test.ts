import assert from "node:assert/strict";
import { test } from "node:test";
import type { CurvePoint } from "../api/types";
import { both, hedged, probit, quantileOf, survivors, traced } from "./law";

const none = { p95_ms: null, p99_ms: null, p95_at_least_ms: null, p99_at_least_ms: null };
const point = (d: number, s: number): CurvePoint => ({ hedge_after_ms: d, trigger_ratio: s, win_chance: null, independent: none, pessimistic: null });
const curveOf = (law: (t: number) => number, lo: number, hi: number): CurvePoint[] =>
  Array.from({ length: 400 }, (_, i) => lo * (hi / lo) ** (i / 399)).map((t) => point(t, law(t)));
const near = (got: number | null, want: number, within: number) => assert.ok(got !== null && Math.abs(got / want - 1) < within, `${got} is not ${want}`);

test("no curve and no time wait for ever", () => {
  assert.equal(survivors([])(5), 1);
  assert.equal(survivors([point(10, 0.5)])(0), 1);
  assert.equal(survivors([point(10, 0.5)])(9), 1);
  assert.equal(survivors([point(10, 0.5)])(11), 0.5);
});

test("the last fall to zero is a step", () => {
  const s = survivors([point(10, 0.5), point(20, 0)]);
  assert.deepEqual([s(10), s(19), s(20), s(1e9)], [0.5, 0.5, 0, 0]);
});

test("hedging an exponential wait at P90 gives the textbook tail", () => {
  const curve = curveOf((t) => Math.exp(-t), 0.001, 20);
  const after = hedged(survivors(curve), 2.3026, 0);
  near(quantileOf(after, 0.95, 0.001, 20), 2.6492, 2e-3);
  near(quantileOf(after, 0.99, 0.001, 20), 3.4539, 2e-3);
  near(quantileOf(after, 0.5, 0.001, 20), Math.LN2, 2e-3);
});

test("a correlated backup helps less, as the reference values say", () => {
  const curve = curveOf((t) => 1 - normal(Math.log(t) - 1), 0.01, 500);
  for (const [rho, p99] of [[0, 15.322], [0.3, 17.9], [0.6, 21.2], [0.9, 26.3]] as const) {
    near(quantileOf(hedged(survivors(curve), 9.7919, rho), 0.99, 0.01, 500), p99, 2e-2);
  }
});

test("two sure or impossible waits, and a bound for equal laws", () => {
  assert.deepEqual([both(1, 0.3, 0.6), both(0, 0.3, 0.6)], [0.3, 0]);
  near(both(0.1, 0.1, 0.99999), 0.1, 0.02);
  near(both(0.1, 0.2, 0), 0.02, 1e-12);
});

test("the normal quantile is that of the tables", () => {
  for (const [p, z] of [[0.5, 0], [0.975, 1.959964], [0.01, -2.326348], [0.001, -3.090232]] as const) assert.ok(Math.abs(probit(p) - z) < 1e-5, `${p}`);
});

test("a quantile beyond what was seen is none", () => assert.equal(quantileOf(() => 0.2, 0.95, 1, 10), null));

test("a traced law falls, and bends only beyond the delay", () => {
  const curve = curveOf((t) => Math.exp(-t), 0.01, 10), s = survivors(curve);
  const line = traced(hedged(s, 2, 0), curve, 2);
  assert.ok(line.every(([, y], i) => i === 0 || y <= line[i - 1]![1] + 1e-12), "it rises");
  assert.ok(line.filter(([t]) => t < 2).every(([t, y]) => y === s(t)), "it differs below the delay");
  assert.ok(line.at(-1)![1] < s(10) / 10);
  assert.ok(line.at(-1)![0] <= 10);
});

function normal(z: number): number {
  let sum = 0;
  for (let i = 0; i <= 2000; i++) {
    const t = (i / 2000) * z;
    sum += Math.exp(-t * t / 2) * (i === 0 || i === 2000 ? 1 : i % 2 ? 4 : 2);
  }
  return 0.5 + (sum * z) / 2000 / 3 / Math.sqrt(2 * Math.PI);
}
