import assert from "node:assert/strict";
import { test } from "node:test";
import { ago, change, count, missing, name, number, perTime, quantile, quantity, reached, share, span, tone, when, words, zone } from "./format";

const plain = (s: string) => s.replace(/[\u00a0\u202f]/g, " ");

test("missing is a dash and never zero", () => {
  for (const f of [number, share, count, perTime]) {
    assert.equal(f(null), missing);
    assert.equal(f(undefined), missing);
  }
  assert.equal(quantity(null, "ms"), missing);
  assert.equal(ago(null), missing);
  assert.equal(change(null, 3), "");
  assert.equal(change(3, 0), "");
  assert.equal(number(0), "0");
  assert.equal(plain(share(0)), "0 %");
  assert.equal(name(""), "(not recorded)");
});

test("numbers keep about three digits and their unit", () => {
  const cases: [number, string, string][] = [
    [321.2, "ms", "321 ms"], [12.345, "ms", "12.3 ms"], [12323.4, "ms", "12.3 s"], [50_000, "ms", "50 s"], [0.5, "tokens/s", "0.5 tokens/s"],
    [9.8, "tokens/s", "9.8 tokens/s"], [1234567, "", "1.23 M"], [9999, "ms", "9999 ms"], [-1500, "ms", "−1500 ms"], [12_345, "", "12 345"],
    [0.000123, "", "0.000123"], [100, "count", "100 count"],
  ];
  for (const [v, unit, want] of cases) assert.equal(plain(quantity(v, unit)), want);
});

test("numbers do not break over lines", () => {
  for (const s of [count(1234567), quantity(3, "ms"), share(0.1), ago(7200)]) assert.ok(!s.includes(" "), s);
});

test("shares, changes, ages and quantiles", () => {
  assert.equal(plain(share(0.1034)), "10.3 %");
  assert.equal(plain(share(0.0001)), "<0.1 %");
  assert.equal(plain(share(1)), "100 %");
  assert.equal(plain(change(110, 100)), "+10 %");
  assert.equal(plain(change(95, 100)), "−5.0 %");
  assert.equal(quantile(0.999), "p99.9");
  assert.equal(quantile(0.5), "p50");
  assert.equal(plain(ago(30)), "30 s");
  assert.equal(plain(ago(7200)), "2 h");
  assert.equal(plain(ago(-3)), "0 s");
});

test("a percentile that was not reached is at least the last time seen", () => {
  assert.equal(plain(reached(null, 30_000, "ms")), "≥ 30 s");
  assert.equal(plain(reached(12, null, "ms")), "12 ms");
  assert.equal(plain(reached(12, 30_000, "ms")), "12 ms");
  assert.equal(reached(null, null, "ms"), missing);
  assert.equal(reached(undefined, undefined, "ms"), missing);
});

test("a rate takes the unit that reads best", () => {
  for (const [v, want] of [[12.3, "12.3 / s"], [0.0748, "4.49 / min"], [0.000845, "3.04 / h"], [0.00001, "0.864 / day"], [0, "0 / day"]] as const) {
    assert.equal(plain(perTime(v)), want);
  }
});

test("small changes are near, others worse or better by the metric's direction", () => {
  assert.equal(tone(105, 100, true), "near");
  assert.equal(tone(120, 100, true), "worse");
  assert.equal(tone(120, 100, false), "better");
  assert.equal(tone(80, 100, false), "worse");
  assert.equal(tone(null, 100, true), "near");
});

test("UTC says so", () => {
  assert.equal(when("2026-11-30T03:00:00.000Z", true), "2026-11-30 03:00:00 UTC");
  assert.equal(zone(true, new Date(0)), "UTC");
  assert.match(zone(false, new Date(0)), /^local, UTC[+−]\d\d:\d\d$/);
});

test("identifiers become words", () => assert.equal(words("upstream_headers_slow"), "upstream headers slow"));

test("a length is written in the unit that reads best", () => {
  assert.deepEqual([0, 90, 451.5, 9000, null].map((s) => plain(span(s))), ["0 s", "90 s", "7.53 min", "2.5 h", missing]);
});
