import assert from "node:assert/strict";
import { test } from "node:test";
import { crossing, filters, format, known, only, parse, patched, range, scope, where, wider, withFilter, withOnly, withoutFilter } from "./place";

const at = (page: string, query = "") => ({ page, params: new URLSearchParams(query) });

test("a place survives the address bar", () => {
  for (const url of ["/", "/hedge?from=now-7d&to=now&where=model=gpt-4o", "/requests?sort=slow&where=channel!=ch-3&where=channel!=ch-4"]) {
    const q = url.indexOf("?");
    const place = q < 0 ? parse(url, "") : parse(url.slice(0, q), url.slice(q));
    assert.equal(format(place), url);
  }
});

test("filters written the API's way count", () => {
  const place = parse("/hedge", "?provider=groq.com&model=a&model=b&modle=x&hedge_after=1.5s&from=now-1h");
  assert.deepEqual(place.params.getAll("where"), ["provider=groq.com", "model=a", "model=b", "modle=x"]);
  assert.equal(place.params.get("d"), "1500");
  assert.equal(scope(place).get("from"), "now-1h");
});

test("an unknown page stays what it is, and is known to be unknown", () => {
  const place = parse("/nope", "?from=now-1h");
  assert.equal(format(place), "/nope?from=now-1h");
  assert.deepEqual([known("/nope"), known("/hedge"), known("/hedge/")], [false, true, false]);
});

test("a grouping doesn't cross into or out of the hedge page, which reads it otherwise", () => {
  assert.deepEqual(crossing("/", "/hedge"), { open: null, page: null, by: null });
  assert.deepEqual(crossing("/hedge", "/"), { open: null, page: null, by: null });
  assert.deepEqual(crossing("/", "/requests"), { open: null, page: null });
});

test("values with signs and spaces survive", () => {
  for (const value of ["a=b & c/ü", "100%25", "#?+", "\"'<b>", "(missing)"]) {
    const f = { dimension: "model", not: false, value };
    const url = format({ page: "/", params: withFilter(new URLSearchParams(), f) });
    assert.deepEqual(filters(parse("/", url.slice(1)).params), [f]);
  }
});

test("filtering out replaces filtering in, and the page token goes", () => {
  let p = withFilter(new URLSearchParams("from=now-1h&page=abc"), { dimension: "channel", not: false, value: "a" });
  p = withFilter(p, { dimension: "channel", not: true, value: "a" });
  assert.deepEqual(p.getAll("where"), ["channel!=a"]);
  assert.deepEqual(withoutFilter(p, { dimension: "channel", not: true, value: "a" }).getAll("where"), []);
  assert.equal(p.get("from"), "now-1h");
  assert.equal(p.has("page"), false);
});

test("a choice of one value replaces the dimension's filters", () => {
  const p = withOnly(new URLSearchParams("where=source!=a&where=model=m"), "source", "b");
  assert.deepEqual(p.getAll("where"), ["model=m", "source=b"]);
  assert.equal(only(p, "source"), "b");
  assert.equal(only(withOnly(p, "source", null), "source"), null);
  assert.equal(only(new URLSearchParams("where=source!=a"), "source"), null);
});

test("scope keeps relative ranges relative and has a default of the page", () => {
  assert.equal(scope(at("/", "metric=tps")).toString(), "from=now-24h&to=now");
  assert.equal(scope(at("/", "from=now-1h&to=now&where=a=b")).get("from"), "now-1h");
  assert.deepEqual(range(at("/hedge")), { from: "now-7d/d", to: "now/d" });
  assert.deepEqual(range(at("/hedge", "from=now-3d")), { from: "now-3d", to: "now" });
});

test("zooming out doubles, and never looks beyond now", () => {
  assert.deepEqual(wider({ from: "now-24h", to: "now" }, null, 0), { from: "now-48h", to: "now" });
  assert.deepEqual(wider({ from: "now-7d/d", to: "now/d" }, null, 0), { from: "now-14d/d", to: "now/d" });
  const fixed = { from: "2026-11-30T01:00:00.000Z", to: "2026-11-30T03:00:00.000Z" };
  assert.deepEqual(wider(fixed, fixed, Date.parse("2026-11-30T03:30:00Z")), { from: "2026-11-30T00:00:00.000Z", to: "2026-11-30T03:30:00.000Z" });
  assert.deepEqual(wider(fixed, fixed, Date.parse("2026-12-30T03:30:00Z")), { from: "2026-11-30T00:00:00.000Z", to: "2026-11-30T04:00:00.000Z" });
  assert.equal(wider(fixed, null, 0), null);
});

test("patch removes, sets and repeats", () => {
  const p = patched(new URLSearchParams("a=1&b=2"), { a: null, b: ["3", "4"], c: "5" });
  assert.equal(p.toString(), "b=3&b=4&c=5");
});

test("where writes what filters reads", () => {
  const f = { dimension: "stream", not: true, value: "(missing)" };
  assert.deepEqual(filters(new URLSearchParams([["where", where(f)]])), [f]);
});
