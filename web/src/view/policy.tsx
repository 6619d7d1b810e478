import type { Advice, Policy, PolicyKey } from "../api/types";
import { apiURL } from "../api/client";
import { count, share, when } from "../prepare/format";
import { keyFilters, keyName } from "../prepare/hedge";
import { changed, curlOff, curlOverride, enabledFirst, limits, setting } from "../prepare/policy";
import type { Asked } from "../state/question";
import { copy, set, utc } from "../state/store";
import { Failed, Skeleton } from "./panel";
import { Verdict } from "./advice";

const path = "hedge/policy";

/** SwitchedOff says, above everything else, that nothing is hedged at all or that the policy is old. */
export function SwitchedOff(p: { policy: Policy | null }) {
  const off = p.policy?.off;
  return (
    <>
      {off && <p class="alarm" role="status"><strong>Hedging is switched off everywhere</strong> by {changed(off, utc.value)}.</p>}
      {p.policy?.stale && <p class="alarm" role="status"><strong>The policy is old.</strong> {p.policy.warnings.join(" ")}</p>}
    </>
  );
}

/** InForce says what gateways do for a key now. */
export function InForce(p: { policy: PolicyKey | null; known: boolean }) {
  const { policy } = p;
  const held = policy ? limits(policy) : "";
  const more = !policy ? "gateways are told nothing about this key; headway advise --store makes and keeps advice"
    : policy.override ? changed(policy.override, utc.value) : `${policy.reason}${policy.valid_until ? `; the advice holds until ${when(policy.valid_until, utc.value)}` : ""}`;
  return <div><dt>In force for gateways</dt><dd>{!p.known ? "…" : policy ? setting(policy) : "–"} <span>{p.known ? `${held && `${held}; `}${more}` : ""}</span></dd></div>;
}

/** PolicyPanel shows what gateways poll, who changed it, and takes it along. */
export function PolicyPanel(p: { asked: Asked<Policy>; chosen: Advice | null }) {
  const { data, problem, loading, retry } = p.asked;
  const form = (f: string) => apiURL(path, new URLSearchParams({ format: f }));
  return (
    <section class="card" aria-busy={loading} aria-label="Policy">
      <div class="head">
        <h2>Policy</h2><span class="sub">what gateways poll at {apiURL(path, new URLSearchParams())}{data && `; ${share(data.holdout_share)} of hedges held out at random, to measure the gain`}</span>
        <div class="acts"><span class="takes">
          <a class="quiet" href={form("json")} download="headway-hedge-policy.json">JSON</a><a class="quiet" href={form("yaml")} download="headway-hedge-policy.yaml">YAML</a>
          <a class="quiet" href={form("envoy")} download="headway-hedge-policy-envoy.yaml" title="Pieces of Envoy route configuration: hedge_policy with per_try_timeout. Envoy waits for response headers, not for the first token.">Envoy</a>
        </span></div>
      </div>
      {problem && <Failed problem={problem} retry={retry} stale={data !== null} />}
      {!problem && !data && <Skeleton height={160} what="policy" />}
      {data && (data.keys.length === 0 ? <div class="empty">No advice is stored, so gateways hedge nothing. <span class="mono">headway advise --store</span> makes and keeps it.</div> : <Keys policy={data} />)}
      <p class="acts under">
        <button class="quiet" onClick={() => void copy(curlOff(location.origin), "curl line")}>Copy curl: switch off everywhere for 1 h</button>
        {p.chosen && <button class="quiet" onClick={() => void copy(curlOverride(location.origin, p.chosen!.key), "curl line")}>Copy curl: don't hedge {keyName(p.chosen.key)} for 1 h</button>}
      </p>
      <p class="soft under">Changes need a reason and an end, and an admin token where tokens are set. Envoy hedges when no response headers came in time, which is the first token only where headers come with it. LiteLLM has no setting for a delayed backup, so there is no form for it.</p>
    </section>
  );
}

function Keys(p: { policy: Policy }) {
  const keys = enabledFirst(p.policy.keys);
  const on = keys.filter((k) => k.enabled).length;
  return (
    <>
      <p class="under">{count(on)} of {count(keys.length)} keys are hedged; {count(keys.filter((k) => k.override).length)} by a person's override.</p>
      <div class="scroll pinned short" tabIndex={0} role="region" aria-label="Policy by key"><table>
        <thead><tr><th scope="col">Key</th><th scope="col">Hedged</th><th scope="col">How</th><th scope="col">Verdict</th><th scope="col">Why</th><th scope="col">Valid until</th></tr></thead>
        <tbody>{keys.map((k) => (
          <tr key={keyName(k.key)}>
            <td><button class="value" onClick={() => { set({ key: keyFilters(k.key), d: null }); scrollTo({ top: 0 }); }}>{keyName(k.key)}</button></td>
            <td><span class={`tag ${k.enabled ? "good" : ""}`}>{k.enabled ? "✓ on" : "off"}</span></td><td>{k.enabled ? `${setting(k)}${limits(k) && `, ${limits(k)}`}` : "–"}</td>
            <td>{k.verdict === null ? "–" : <Verdict verdict={k.verdict} />}</td><td class="wide">{k.override ? `override by ${changed(k.override, utc.value)}` : k.reason}</td>
            <td class="nowrap">{k.valid_until === null ? "–" : when(k.valid_until, utc.value)}</td>
          </tr>))}
        </tbody>
      </table></div>
    </>
  );
}
