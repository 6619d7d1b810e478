// The policy that gateways poll, in words.

import type { Key, Policy, PolicyKey } from "../api/types";
import { keyName } from "./hedge";
import { quantity, share, when } from "./format";

/** inForce finds what the policy says about a key; null where it does not know the key. */
export function inForce(p: Policy | null, key: Key): PolicyKey | null {
  return p?.keys.find((k) => keyName(k.key) === keyName(key) && Object.keys(k.key).join() === Object.keys(key).sort().join()) ?? null;
}

/** setting writes the delay after which gateways hedge a key, or that they don't. */
export function setting(k: PolicyKey): string {
  return k.enabled ? `after ${quantity(k.hedge_after_ms, "ms")}` : "not hedged";
}

/** limits writes the chance and the budget of a key that is hedged; empty without either. */
export function limits(k: PolicyKey): string {
  const chance = k.q !== null && k.q < 1 ? [`for ${share(k.q)} of those still waiting`] : [];
  const budget = k.budget !== null ? [`at most ${share(k.budget)} of requests`] : [];
  return k.enabled ? [...chance, ...budget].join(", ") : "";
}

/** changed writes who set something, why and until when. */
export function changed(c: { who: string; why: string; until: string }, utc: boolean): string {
  return `${c.who}, until ${when(c.until, utc)}: ${c.why}`;
}

/** curlOff switches hedging off everywhere for a time, from a shell. */
export function curlOff(origin: string): string {
  return `curl -sS -X POST -H 'Content-Type: application/json' '${origin}/api/v1/hedge/policy/off' -d '{"why":"SAY WHY","for":"1h"}'`;
}

/** curlOverride disables one key for a time, from a shell. */
export function curlOverride(origin: string, key: Key): string {
  const named = Object.fromEntries(Object.entries(key).map(([d, v]) => [d, v ?? ""]));
  const body = JSON.stringify({ key: named, enabled: false, why: "SAY WHY", for: "1h" }).replaceAll("'", "\\u0027");
  return `curl -sS -X POST -H 'Content-Type: application/json' '${origin}/api/v1/hedge/policy/override' -d '${body}'`;
}

/** enabledFirst lists overridden keys, then enabled ones, then the others. */
export function enabledFirst(keys: PolicyKey[]): PolicyKey[] {
  const rank = (k: PolicyKey) => (k.override ? 0 : k.enabled ? 1 : 2);
  return [...keys].sort((a, b) => rank(a) - rank(b) || keyName(a.key).localeCompare(keyName(b.key)));
}
