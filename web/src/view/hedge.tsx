import { useState } from "preact/hooks";
import type { Advice, Fields, Recommendation } from "../api/types";
import { count, quantity, reached, share, words } from "../prepare/format";
import { advice, few, keyFilters, keyName, next, tail, tally, target, verdictSign, verdictTone } from "../prepare/hedge";
import { patched, scope } from "../state/place";
import { useQuestion } from "../state/question";
import { params, place, set } from "../state/store";
import { Panel, Skeleton } from "./panel";
import { MetricPicker } from "./pickers";
import { Simulator } from "./simulator";

/** hedgeScope is the page's window; without one in the address the API takes the last seven whole days, or what there is. */
function hedgeScope(fields: Fields | null): URLSearchParams {
  const q = scope(place.value);
  if (!params.value.has("from") && !params.value.has("to")) {
    q.delete("from");
    q.delete("to");
  }
  const metric = params.value.get("metric");
  if (metric && (fields?.fields ?? []).some((f) => f.name === metric && f.first_token)) q.set("metric", metric);
  return q;
}

/** HedgePage answers "what can I do now": advice for every key and a simulator for one. */
export function HedgePage(p: { fields: Fields | null }) {
  const q = hedgeScope(p.fields);
  const asked = useQuestion<Recommendation>("hedge/recommendation", q);
  const keys = asked.data?.keys ?? [];
  const wanted = params.value.getAll("key").join();
  const chosen = keys.find((k) => keyFilters(k.key).join() === wanted) ?? keys[0];
  const lost = wanted !== "" && chosen !== undefined && keyFilters(chosen.key).join() !== wanted;
  return (
    <>
      {lost && <p class="warning" role="status">The key {wanted} has no rows in this window; the one with the most rows is shown.</p>}
      {chosen ? <Chosen key={keyName(chosen.key)} a={chosen} window={q} /> : asked.loading && !asked.problem && <section class="card" aria-busy="true"><Skeleton height={420} what="advice" /></section>}
      <Panel title="Advice by key" sub="a backup after P90 of the first-token wait; model × route" path="hedge/recommendation" params={q} asked={asked} height={300}
        controls={<MetricPicker fields={p.fields} firstTokenOnly value={q.get("metric") ?? asked.data?.meta.metric?.name ?? ""} />}
        empty={(a) => (a.keys.length === 0 ? "No streaming primary attempts in this window. Advice needs first-token times: widen the range or drop a filter." : null)}>
        {(a) => <Keys keys={a.keys} chosen={chosen ?? null} />}
      </Panel>
    </>
  );
}

/** Verdict is a verdict as a tag with a shape and a word. */
export function Verdict(p: { verdict: string; big?: boolean }) {
  return <span class={`tag verdict ${verdictTone(p.verdict)}${p.big ? " big" : ""}`}><span aria-hidden="true">{verdictSign(p.verdict)}</span> {words(p.verdict)}</span>;
}

function Chosen(p: { a: Advice; window: URLSearchParams }) {
  const { a } = p;
  const only = patched(p.window, { where: [...p.window.getAll("where"), ...keyFilters(a.key)] });
  const h = a.halves;
  return (
    <section class="card" aria-label={`Advice for ${keyName(a.key)}`}>
      <div class="head">
        <Verdict verdict={a.verdict} big />
        <h2>{keyName(a.key)}</h2>
        <span class="sub">verdict about {target(a)} · {a.metric} from {clock(a.clock)} · n {count(a.n)} ({count(a.observed)} observed, {count(a.censored)} censored) · failures {share(a.failure_share)}</span>
      </div>
      <p class="lead">{advice(a)} <span class="soft">{next(a)}.</span></p>
      <ul class="reasons">
        {a.reasons.map((r) => <li key={r}>{r}</li>)}
        {a.configured_hedge_after_ms !== null && <li>Configured now: {quantity(a.configured_hedge_after_ms, "ms")}.</li>}
        {h && <li>First half of the window: P90 {reached(h.first_p90_ms, h.first_p90_at_least_ms, "ms")}, {share(h.first_share)} above the delay (n {count(h.first_n)}); second half: P90 {reached(h.second_p90_ms, h.second_p90_at_least_ms, "ms")}, {share(h.second_share)} (n {count(h.second_n)}); p = {h.p < 0.001 ? "<0.001" : h.p.toFixed(3)}.</li>}
      </ul>
      <Simulator advice={a} params={only} />
      {a.notes.length > 0 && <ul class="reasons notes">{a.notes.map((r) => <li key={r}>{r}</li>)}</ul>}
    </section>
  );
}

/** clock says in words what a wait is measured from. */
function clock(c: string): string {
  const words: Record<string, string> = {
    dispatch: "the recorded dispatch", estimated: "an estimated dispatch", start: "the request's own start (local time is inside)", mixed: "the dispatch, partly estimated",
  };
  return words[c] ?? c;
}

function Keys(p: { keys: Advice[]; chosen: Advice | null }) {
  const [verdict, setVerdict] = useState("");
  const [find, setFind] = useState("");
  const counts = tally(p.keys);
  const shown = p.keys.filter((k) => (!verdict || k.verdict === verdict) && keyName(k.key).toLowerCase().includes(find.toLowerCase()));
  return (
    <>
      <div class="filters">
        <span class="joined" role="group" aria-label="Verdict">
          <button aria-pressed={verdict === ""} onClick={() => setVerdict("")}>All <span class="soft">{count(p.keys.length)}</span></button>
          {counts.map(([v, n]) => <button key={v} aria-pressed={verdict === v} onClick={() => setVerdict(v)}><span aria-hidden="true">{verdictSign(v)}</span> {words(v)} <span class="soft">{count(n)}</span></button>)}
        </span>
        <input type="search" aria-label="Find a key" placeholder="Find a key" value={find} onInput={(e) => setFind(e.currentTarget.value)} />
      </div>
      <div class="scroll tall" tabIndex={0} role="region" aria-label="Keys"><table class="keys">
        <thead><tr><th scope="col">Key</th><th scope="col">Verdict</th><th scope="col" class="num">Hedge after <span class="soft">95 % interval</span></th><th scope="col" class="num">Triggers for</th><th scope="col" class="num">Win chance*</th>
          <th scope="col" class="num">P95 → independent / pessimistic</th><th scope="col" class="num">P99 → independent / pessimistic</th><th scope="col" class="num">n</th></tr></thead>
        <tbody>{shown.map((k) => <KeyRow key={keyName(k.key)} k={k} chosen={k === p.chosen} />)}</tbody>
      </table></div>
      {shown.length === 0 && <p class="empty">No key matches.</p>}
      <p class="soft under">* With an independent backup. Percentiles below their minimum n are not shown. A hedge at P90 leaves every percentile up to P90 as it is.</p>
    </>
  );
}

function KeyRow(p: { k: Advice; chosen: boolean }) {
  const { k } = p;
  const choose = () => {
    set({ key: keyFilters(k.key), d: null });
    scrollTo({ top: 0 });
  };
  const tails = (of: "p95" | "p99") => (
    few(k.before, of) ? <td class="num grey">n too small</td>
      : <td class="num">{tail(k.before, of)} → {tail(k.after.independent, of)} / {tail(k.after.pessimistic, of)}</td>
  );
  return (
    <tr class={p.chosen ? "chosen" : ""}>
      <td><button class="value" data-row aria-pressed={p.chosen} onClick={choose}>{keyName(k.key)}</button></td>
      <td><Verdict verdict={k.verdict} /></td>
      <td class="num">{quantity(k.hedge_after_ms, "ms")} <span class="soft">{k.interval.low_ms === null && k.interval.high_ms === null ? "" : `${quantity(k.interval.low_ms, "ms")} … ${k.interval.high_ms === null ? "no bound" : quantity(k.interval.high_ms, "ms")}`}</span></td>
      <td class="num">{share(k.trigger_ratio)}</td><td class="num">{share(k.win_chance)}</td>
      {tails("p95")}{tails("p99")}
      <td class="num">{count(k.n)}</td>
    </tr>
  );
}
