import assert from "node:assert/strict";
import { test } from "node:test";
import { curlLine, fileName, sqlText } from "./take";

test("no value can leave the quotes of the curl line", () => {
  const line = curlLine("http://127.0.0.1:8080/api/v1/latency?where=model%3Da'$(x)");
  assert.equal(line, "curl -sS 'http://127.0.0.1:8080/api/v1/latency?where=model%3Da%27$(x)'");
});

test("statements are named and ended once", () => {
  assert.equal(sqlText([{ name: "a.sql", sql: "SELECT 1\n", params: {} }, { name: "b.sql", sql: "SELECT 2;", params: {} }]), "-- a.sql\nSELECT 1;\n\n-- b.sql\nSELECT 2;\n");
});

test("file names are safe on every system", () => {
  assert.equal(fileName("hedge/simulate", "now-7d/d", "2026-11-30T00:00:00.000Z", "csv"), "headway-hedge-simulate-now-7d-d-2026-11-30T00-00-00.000Z.csv");
});
