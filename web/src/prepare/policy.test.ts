import assert from "node:assert/strict";
import { test } from "node:test";
import type { PolicyKey } from "../api/types";
import { changed, curlOff, curlOverride, enabledFirst, inForce, limits, setting } from "./policy";

const plain = (s: string) => s.replace(/[\u00a0\u202f]/g, " ");
const key = (more: Partial<PolicyKey> = {}): PolicyKey => ({
  key: { model: "m", route: "r" }, model: "m", route: "r", enabled: true, hedge_after_ms: 592, q: 1, budget: null, valid_until: null, verdict: "hedge", advice_id: "adv-1", reason: "", override: null, ...more,
});
const policy = (keys: PolicyKey[]) => ({ holdout_share: 0.05, off: null, stale: false, warnings: [], keys });

test("only the very key is in force, also where a part was not recorded", () => {
  const p = policy([key(), key({ key: { model: "m", route: null }, enabled: false })]);
  assert.equal(inForce(p, { model: "m", route: "r" })!.enabled, true);
  assert.equal(inForce(p, { model: "m", route: null })!.enabled, false);
  assert.equal(inForce(p, { model: "m", region: "r" }), null);
  assert.equal(inForce(p, { model: "m" }), null);
  assert.equal(inForce(null, { model: "m", route: "r" }), null);
});

test("a setting says delay, chance and budget, or that nothing is sent", () => {
  assert.equal(setting(key({ enabled: false })), "not hedged");
  assert.equal(plain(setting(key())), "after 592 ms");
  assert.equal(plain(limits(key({ q: 0.5, budget: 0.05 }))), "for 50 % of those still waiting, at most 5 % of requests");
  assert.deepEqual([limits(key()), limits(key({ budget: 0.05, enabled: false }))], ["", ""]);
});

test("a change says who, until when and why", () => {
  assert.equal(changed({ who: "ann", why: "sale", until: "2026-12-01T10:00:00.000Z" }, true), "ann, until 2026-12-01 10:00:00 UTC: sale");
});

test("shell lines survive quotes and missing parts", () => {
  assert.match(curlOff("http://h"), /policy\/off' -d '\{"why":"SAY WHY","for":"1h"\}'$/);
  const line = curlOverride("http://h", { model: "a'b", route: null });
  assert.equal(line.split("'").length % 2, 1);
  assert.deepEqual(JSON.parse(/-d '(.*)'$/.exec(line)![1]!).key, { model: "a'b", route: "" });
});

test("what people set comes first, then what is on", () => {
  const off = key({ enabled: false, key: { model: "a" } }), on = key({ key: { model: "b" } }), held = key({ key: { model: "c" }, enabled: false, override: { who: "w", why: "y", at: "", until: "" } });
  assert.deepEqual(enabledFirst([off, on, held]), [held, on, off]);
});
