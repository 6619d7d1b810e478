import assert from "node:assert/strict";
import { test } from "node:test";
import { filters, format, parse, patched, scope, where, withFilter, withoutFilter } from "./place";

test("a place survives the address bar", () => {
  for (const url of ["/", "/hedge?from=now-7d&to=now&where=model=gpt-4o", "/requests?sort=slow&where=channel!=ch-3&where=channel!=ch-4"]) {
    const at = url.indexOf("?");
    const place = at < 0 ? parse(url, "") : parse(url.slice(0, at), url.slice(at));
    assert.equal(format(place), url);
  }
});

test("an unknown page is the first one", () => assert.equal(parse("/nope", "").page, "/"));

test("values with signs and spaces survive", () => {
  const f = { dimension: "model", not: false, value: "a=b & c/ü" };
  const place = { page: "/", params: withFilter(new URLSearchParams(), f) };
  const url = format(place);
  assert.deepEqual(filters(parse("/", url.slice(1)).params), [f]);
});

test("filtering out replaces filtering in", () => {
  let p = withFilter(new URLSearchParams("from=now-1h"), { dimension: "channel", not: false, value: "a" });
  p = withFilter(p, { dimension: "channel", not: true, value: "a" });
  assert.deepEqual(p.getAll("where"), ["channel!=a"]);
  assert.deepEqual(withoutFilter(p, { dimension: "channel", not: true, value: "a" }).getAll("where"), []);
  assert.equal(p.get("from"), "now-1h");
});

test("scope keeps relative ranges relative and has a default", () => {
  assert.equal(scope(new URLSearchParams("metric=tps")).toString(), "from=now-24h&to=now");
  assert.equal(scope(new URLSearchParams("from=now-1h&to=now&where=a=b")).get("from"), "now-1h");
});

test("patch removes, sets and repeats", () => {
  const p = patched(new URLSearchParams("a=1&b=2"), { a: null, b: ["3", "4"], c: "5" });
  assert.equal(p.toString(), "b=3&b=4&c=5");
});

test("where writes what filters reads", () => {
  const f = { dimension: "stream", not: true, value: "(missing)" };
  assert.deepEqual(filters(new URLSearchParams([["where", where(f)]])), [f]);
});
