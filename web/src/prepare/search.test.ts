import assert from "node:assert/strict";
import { test } from "node:test";
import type { Field } from "../api/types";
import { half, hits } from "./search";

const field = (name: string, kind = "dimension", aliases: string[] = []): Field =>
  ({ name, title: name, kind, type: "string", unit: "", start: "", end: "", higher_is_worse: false, first_token: false, aliases, doc: "" });
const fields = [field("model"), field("route", "dimension", ["group"]), field("tps", "measure")];

test("a half-typed filter is read with aliases, and only for dimensions", () => {
  assert.deepEqual(half("model=gp", fields), { dimension: "model", not: false, prefix: "gp" });
  assert.deepEqual(half("group != a=b ", fields), { dimension: "route", not: true, prefix: "a=b" });
  assert.equal(half("tps=3", fields), null);
  assert.equal(half("modle=x", fields), null);
});

test("values come first, then the text as typed, once", () => {
  assert.deepEqual(hits("model=gpt", fields, ["gpt", null]).map((h) => h.label), ["model is gpt", "model is (not recorded)"]);
  const typed = hits("model!=zz", fields, []);
  assert.deepEqual(typed[0]!.act, { kind: "filter", dimension: "model", not: true, value: "zz" });
});

test("a word finds pages and dimensions, an id can be opened", () => {
  assert.deepEqual(hits("hed", fields, []).map((h) => h.label), ["Hedge"]);
  assert.deepEqual(hits("mod", fields, []).map((h) => h.act), [{ kind: "complete", text: "model=" }]);
  assert.deepEqual(hits("01M8M76K3608", fields, []).map((h) => h.act), [{ kind: "open", id: "01M8M76K3608" }]);
  assert.ok(hits("", fields, []).length >= 4);
});
