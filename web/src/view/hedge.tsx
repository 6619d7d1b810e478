import type { Advice, Fields, Policy, PolicyKey, Recommendation } from "../api/types";
import { advice, configured, lastWeek, next, savedNote, singleR, target } from "../prepare/advice";
import { count, quantity, reached, share, span } from "../prepare/format";
import { grouping, groupings, keyFilters, keyName } from "../prepare/hedge";
import { inForce } from "../prepare/policy";
import { patched, scope } from "../state/place";
import { useQuestion } from "../state/question";
import { params, place, set } from "../state/store";
import { Keys, Verdict } from "./advice";
import { BacktestPanel } from "./backtest";
import { Bands } from "./bands";
import { ObservedPanel } from "./observed";
import { Panel, Skeleton } from "./panel";
import { MetricPicker } from "./pickers";
import { InForce, PolicyPanel, SwitchedOff } from "./policy";
import { Simulator } from "./simulator";

const none = new URLSearchParams();

/** hedgeScope is the page's window and kind of key; without a window in the address the API takes the last seven whole days, or what there is. */
function hedgeScope(fields: Fields | null): URLSearchParams {
  const q = scope(place.value);
  if (!params.value.has("from") && !params.value.has("to")) {
    q.delete("from");
    q.delete("to");
  }
  const by = params.value.getAll("by").join();
  if (by) q.set("by", by);
  const metric = params.value.get("metric");
  if (metric && (fields?.fields ?? []).some((f) => f.name === metric && f.first_token)) q.set("metric", metric);
  return q;
}

/** HedgePage answers "what can I do now": advice for every key and a simulator for one. */
export function HedgePage(p: { fields: Fields | null }) {
  const q = hedgeScope(p.fields);
  const asked = useQuestion<Recommendation>("hedge/recommendation", q);
  const policy = useQuestion<Policy>("hedge/policy", none);
  const keys = asked.data?.keys ?? [];
  const by = q.get("by") ?? groupings[0]![0];
  const wanted = params.value.getAll("key").join();
  const chosen = keys.find((k) => keyFilters(k.key).join() === wanted) ?? keys[0];
  const lost = wanted !== "" && chosen !== undefined && keyFilters(chosen.key).join() !== wanted;
  return (
    <>
      <SwitchedOff policy={policy.data} />
      {lost && <p class="warning" role="status">The key {wanted} has no rows in this window; the one that would save the most is shown.</p>}
      {chosen ? <Chosen key={keyName(chosen.key)} a={chosen} window={q} inForce={inForce(policy.data, chosen.key)} known={policy.data !== null} /> : asked.loading && !asked.problem && <section class="card" aria-busy="true"><Skeleton height={720} what="advice" /></section>}
      <Panel title="Advice by key" sub={`a backup after P90 of the first-token wait; by ${grouping(by)}; the most seconds saved first`} path="hedge/recommendation" params={q} asked={asked} height={300}
        controls={<><GroupingPicker by={by} /><MetricPicker fields={p.fields} firstTokenOnly value={q.get("metric") ?? asked.data?.meta.metric?.name ?? ""} /></>}
        empty={(a) => (a.keys.length === 0 ? "No streaming primary attempts in this window. Advice needs first-token times: widen the range or drop a filter." : null)}>
        {(a) => <Keys keys={a.keys} chosen={chosen ?? null} />}
      </Panel>
      {chosen && <BacktestPanel name={keyName(chosen.key)} window={q} />}
      <ObservedPanel name={chosen ? keyName(chosen.key) : null} window={q} />
      <PolicyPanel asked={policy} chosen={chosen ?? null} />
    </>
  );
}

function GroupingPicker(p: { by: string }) {
  return (
    <select aria-label="Kind of key" value={p.by} onChange={(e) => set({ by: e.currentTarget.value === groupings[0]![0] ? null : e.currentTarget.value, key: null, d: null })}>
      {groupings.every(([g]) => g !== p.by) && <option value={p.by}>by {grouping(p.by)}</option>}
      {groupings.map(([g, title]) => <option key={g} value={g}>by {title}</option>)}
    </select>
  );
}

function Chosen(p: { a: Advice; window: URLSearchParams; inForce: PolicyKey | null; known: boolean }) {
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
        {a.single_r && <li>{singleR(a.single_r)}</li>}
        {h && <li>First half of the window: P90 {reached(h.first_p90_ms, h.first_p90_at_least_ms, "ms")}, {share(h.first_share)} above the delay (n {count(h.first_n)}); second half: P90 {reached(h.second_p90_ms, h.second_p90_at_least_ms, "ms")}, {share(h.second_share)} (n {count(h.second_n)}); p = {h.p < 0.001 ? "<0.001" : h.p.toFixed(3)}.</li>}
      </ul>
      <Standing a={a} inForce={p.inForce} known={p.known} />
      <Simulator advice={a} params={only} />
      {(a.bands || a.notes.length > 0) && (
        <div class="two even">
          {a.bands && <Bands bands={a.bands} delay={a.hedge_after_ms} />}
          {a.notes.length > 0 && <div><h3>What these numbers assume</h3><ul class="reasons notes">{a.notes.map((r) => <li key={r}>{r}</li>)}</ul></div>}
        </div>)}
    </section>
  );
}

/** Standing sets what is advised beside what is configured, and says what it is worth. */
function Standing(p: { a: Advice; inForce: PolicyKey | null; known: boolean }) {
  const { a } = p;
  const queues = new Set(a.channels.map((c) => c.queue).filter((q) => q !== null));
  const fact = (of: string, is: string, more: string) => <div key={of}><dt>{of}</dt><dd>{is} <span>{more}</span></dd></div>;
  return (
    <dl class="facts standing">
      {fact(a.verdict === "hedge" ? "Advised" : "P90, not advised", quantity(a.hedge_after_ms, "ms"), a.interval.low_ms !== null && a.interval.high_ms !== null ? `95 %: ${quantity(a.interval.low_ms, "ms")} to ${quantity(a.interval.high_ms, "ms")}` : "no interval")}
      {fact("Configured", quantity(a.configured_hedge_after_ms, "ms"), configured(a))}
      <InForce policy={p.inForce} known={p.known} />
      {a.last_advice && fact("Advised before", quantity(a.last_advice.hedge_after_ms, "ms"), lastWeek(a.last_advice))}
      {fact("Would save", span(a.seconds_saved_per_week), savedNote(a))}
      {fact("Budget", share(a.budget), a.budget === null ? "none configured" : "of requests may be hedged")}
      {fact("Tier", a.tier, a.tier === "core" ? "hedging is meant for it" : "hedging is meant for core routes")}
      {a.channels.length > 0 && fact("Channels", count(a.channels.length), `${a.channels.slice(0, 3).map((c) => `${c.channel} ${share(a.n ? c.n / total(a) : null)}`).join(", ")}${queues.size > 0 ? `; ${queues.size} queues` : ""}`)}
    </dl>
  );
}

function total(a: Advice): number {
  return a.channels.reduce((sum, c) => sum + c.n, 0);
}

/** clock says in words what a wait is measured from. */
function clock(c: string): string {
  const words: Record<string, string> = {
    dispatch: "the recorded dispatch", estimated: "an estimated dispatch", start: "the request's own start (local time is inside)", mixed: "the dispatch, partly estimated",
  };
  return words[c] ?? c;
}
