import type { Advice, Recommendation } from "../api/types";
import { count, quantity, share } from "../prepare/format";
import { advice, keyFilters, keyName, verdictTone } from "../prepare/hedge";
import { patched, scope } from "../state/place";
import { useQuestion } from "../state/question";
import { params, set } from "../state/store";
import { Panel } from "./panel";
import { Simulator } from "./simulator";

/** hedgeScope is the page's window: advice looks at a week unless the address says otherwise. */
function hedgeScope(): URLSearchParams {
  const q = scope(params.value);
  if (!params.value.has("from")) { q.set("from", "now-7d"); q.set("to", "now"); }
  const metric = params.value.get("metric");
  if (metric) q.set("metric", metric);
  return q;
}

/** HedgePage answers "what can I do now": advice for every key and a simulator for one. */
export function HedgePage() {
  const q = hedgeScope();
  const asked = useQuestion<Recommendation>("hedge/recommendation", q);
  const keys = asked.data?.keys ?? [];
  const chosen = keys.find((k) => keyFilters(k.key).join() === params.value.getAll("key").join()) ?? keys[0];
  return (
    <>
      {chosen && <Chosen a={chosen} window={q} />}
      <Panel title="Advice by key" sub="backup after P90 of the first-token wait; model × route" path="hedge/recommendation" params={q} asked={asked} height={300}
        empty={(a) => (a.keys.length === 0 ? "No streaming primary attempts in this window. Advice needs first-token times of the last days: widen the range." : null)}>
        {(a) => <Keys keys={a.keys} chosen={chosen ?? null} />}
      </Panel>
    </>
  );
}

function Chosen(p: { a: Advice; window: URLSearchParams }) {
  const { a } = p;
  const only = patched(p.window, { where: [...p.window.getAll("where"), ...keyFilters(a.key)] });
  return (
    <section class="card" aria-label={`Advice for ${keyName(a.key)}`}>
      <div class="head">
        <h2>{keyName(a.key)}</h2>
        <span class={`tag ${verdictTone(a.verdict)}`}>{a.verdict.replaceAll("_", " ")}</span>
        <span class="sub">{a.metric}, clock: {a.clock}, n {count(a.n)} ({count(a.observed)} observed, {count(a.censored)} censored), failures {share(a.failure_share)}</span>
      </div>
      <p>{advice(a)}</p>
      <ul class="reasons">{a.reasons.map((r) => <li key={r}>{r}</li>)}</ul>
      <Simulator advice={a} params={only} />
    </section>
  );
}

function Keys(p: { keys: Advice[]; chosen: Advice | null }) {
  return (
    <div class="scroll"><table>
      <thead><tr><th>Key</th><th>Verdict</th><th class="num">Hedge after</th><th class="num">95 % interval</th><th class="num">Trigger</th><th class="num">Win chance</th><th class="num">p95 before</th><th class="num">p95 after*</th><th class="num">p99 before</th><th class="num">p99 after*</th><th class="num">n</th></tr></thead>
      <tbody>{p.keys.map((k) => (
        <tr key={keyName(k.key)} aria-selected={k === p.chosen}>
          <td><button class="quiet" aria-pressed={k === p.chosen} onClick={() => set({ key: keyFilters(k.key), d: null })}>{keyName(k.key)}</button></td>
          <td><span class={`tag ${verdictTone(k.verdict)}`} title={k.reasons.join(" ")}>{k.verdict.replaceAll("_", " ")}</span></td>
          <td class="num">{quantity(k.hedge_after_ms, "ms")}</td>
          <td class="num">{quantity(k.interval.low_ms, "ms")} … {quantity(k.interval.high_ms, "ms")}</td>
          <td class="num">{share(k.trigger_ratio)}</td><td class="num">{share(k.win_chance)}</td>
          <td class="num">{quantity(k.before.p95_ms, "ms")}</td><td class="num">{quantity(k.after.independent?.p95_ms, "ms")}</td>
          <td class="num">{quantity(k.before.p99_ms, "ms")}</td><td class="num">{quantity(k.after.independent?.p99_ms, "ms")}</td>
          <td class="num">{count(k.n)}</td>
        </tr>))}
      </tbody>
    </table><p class="soft">* If the backup's wait is independent of the primary's; choose a key for the pessimistic case. A hedge at P90 can't move P90.</p></div>
  );
}
