import assert from "node:assert/strict";
import { test } from "node:test";
import { ago, change, count, missing, number, quantile, quantity, share, when } from "./format";

test("missing is a dash and never zero", () => {
  for (const f of [number, share, count]) assert.equal(f(null), missing);
  assert.equal(quantity(null, "ms"), missing);
  assert.equal(ago(null), missing);
  assert.equal(change(null, 3), "");
  assert.equal(number(0), "0");
  assert.equal(share(0), "0 %");
});

test("numbers keep about three digits and their unit", () => {
  const cases: [number, string, string][] = [
    [321.2, "ms", "321 ms"], [12.345, "ms", "12.3 ms"], [12323.4, "ms", "12.3 s"], [0.5, "tokens/s", "0.5 tokens/s"],
    [9.8, "tokens/s", "9.8 tokens/s"], [1234567, "", "1.23 M"], [9999, "ms", "9999 ms"], [-1500, "ms", "-1500 ms"],
  ];
  for (const [v, unit, want] of cases) assert.equal(quantity(v, unit), want);
});

test("shares, changes, ages and quantiles", () => {
  assert.equal(share(0.1034), "10.3 %");
  assert.equal(share(0.0001), "<0.1 %");
  assert.equal(share(1), "100 %");
  assert.equal(change(110, 100), "+10 %");
  assert.equal(change(95, 100), "−5.0 %");
  assert.equal(quantile(0.999), "p99.9");
  assert.equal(quantile(0.5), "p50");
  assert.equal(ago(30), "30 s");
  assert.equal(ago(7200), "2 h");
});

test("UTC says so", () => assert.equal(when("2026-11-30T03:00:00.000Z", true), "2026-11-30 03:00:00 UTC"));
