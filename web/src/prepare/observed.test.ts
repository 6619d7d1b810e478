import assert from "node:assert/strict";
import { test } from "node:test";
import type { ObservedKey } from "../api/types";
import { bracket, cause, causeTone, counted, proportion, really, tailOf, tokens } from "./observed";

const plain = (s: string) => s.replace(/[\u00a0\u202f]/g, " ");
const some = { count: 8, of: 14, share: 0.571, low: 0.289, high: 0.823 };
const law = { p50_ms: null, p75_ms: null, p90_ms: null, p95_ms: 900, p99_ms: null, at_least_ms: { p99: 2000 }, below_min_n: [] };
const key = (more: Partial<ObservedKey> = {}): ObservedKey => ({
  key: { model: "m" }, model: "m", route: null, requests: 100, with_hedge_after: 100, beyond: some, hedged: some, kept: some, refused_estimate: 0, backups: 14, wins: some, backup_success: some,
  users: law, unhedged_estimate: law, unhedged_bounds: { at_once_p95_ms: 900, at_once_p99_ms: 1800, never_p95_ms: 900, never_p99_ms: null }, control: { n: 0, p95_ms: null, p99_ms: null },
  extra_tokens: { measured_input: 1000, measured_output: 50, estimated_input_at_least: 300, backups_without_count: 4, input_share_at_least: 0.1 },
  diagnosis: { ratio: 0.1, alarm: null, cause: "no_data", reason: "" }, left_out: {}, ...more,
});

test("nothing of nothing is no zero", () => {
  assert.equal(proportion({ count: 0, of: 0, share: null, low: null, high: null }), "–, n 0");
  assert.equal(plain(proportion(some)), "57.1 % (28.9 % … 82.3 %), n 14");
  assert.equal(counted(some), "8 of 14");
});

test("a key without a delay and without a backup was never hedged", () => {
  assert.deepEqual(really([key({ with_hedge_after: 0, backups: 0 }), key({ with_hedge_after: 0 }), key()]).map((k) => k.backups), [14, 14]);
});

test("a tail that was not reached says from where on", () => {
  assert.equal(plain(tailOf(law, "p95")), "900 ms");
  assert.equal(plain(tailOf(law, "p99")), "≥ 2000 ms");
});

test("bounds that agree say nothing, and one that is open says so", () => {
  assert.equal(bracket(key(), "p95"), "");
  assert.equal(plain(bracket(key(), "p99")), "(1800 ms … not reached)");
});

test("only chance is green, and tokens counted and estimated stay apart", () => {
  assert.deepEqual(["within_chance", "no_data", "drift", "load_feedback"].map(causeTone), ["good", "warn", "bad", "bad"]);
  assert.equal(cause("threshold_low_or_correlated"), "threshold low or correlated");
  assert.match(plain(tokens(key())), /^at least 10 % more input: 1 000 counted, 300 estimated for 4 backups without a count; output 50 counted$/);
});
