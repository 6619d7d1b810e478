import assert from "node:assert/strict";
import { test } from "node:test";
import type { SourceQuality } from "../api/types";
import { coverage, reasons, silent } from "./quality";

const source = (name: string, c: Record<string, number>): SourceQuality =>
  ({ source: name, rows: 1, duplicates: 0, rejected: {}, flags: {}, coverage: c, newest_at: null, freshness_s: null });

test("fields stand in rows, sources in columns, never recorded ones apart", () => {
  const got = coverage([source("a", { x: 1, y: 0, z: 0 }), source("b", { x: 0.5, y: 0.9, z: 0 })]);
  assert.deepEqual(got.rows, [{ field: "x", shares: [1, 0.5] }, { field: "y", shares: [0, 0.9] }]);
  assert.deepEqual(got.never, ["z"]);
  assert.deepEqual(coverage([]), { rows: [], never: [] });
});

const gateway = (name: string, age: number, s = "headway") => ({ gateway: name, source: s, newest_at: "", freshness_s: age, rows: 1 });

test("one silent gateway shows; a quiet night of all does not", () => {
  const all = [gateway("a", 4), gateway("b", 10), gateway("c", 4000)];
  assert.deepEqual(all.map((g) => silent(g, all)), [false, false, true]);
  const night = [gateway("a", 4000), gateway("b", 5000)];
  assert.deepEqual(night.map((g) => silent(g, night)), [false, false]);
  assert.equal(silent(gateway("x", 9e9, "probe"), [...all, gateway("x", 9e9, "probe")]), false, "another source has a rhythm of its own");
});

test("reasons come largest first without zeros", () => assert.deepEqual(reasons({ a: 1, b: 0, c: 5 }), [["c", 5], ["a", 1]]));
