import { useEffect, useRef } from "preact/hooks";
import type { Evidence, Request, Timeline } from "../api/types";
import { count, name, number, quantity, share, when, words } from "../prepare/format";
import { axis, lanes, type Lane } from "../prepare/timeline";
import { useQuestion } from "../state/question";
import { absolute, copy, set, utc } from "../state/store";
import { Failed, Provenance, Skeleton } from "./panel";

const none = new URLSearchParams();

/** Drawer shows one request: attempts and stages as a waterfall, with its verdict. */
export function Drawer(p: { id: string }) {
  const { data, problem, loading, retry } = useQuestion<Request>(`requests/${encodeURIComponent(p.id)}`, none);
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => { dialog.current!.showModal(); }, []);
  return (
    <dialog ref={dialog} class="drawer" aria-label={`Request ${p.id}`} aria-busy={loading} onClose={() => set({ open: null })} onClick={(e) => { if (e.target === e.currentTarget) dialog.current!.close(); }}>
      <div class="inner">
        <div class="head"><h2>Request <span class="mono">{p.id}</span></h2>
          <button onClick={() => void copy(p.id, "Request id")}>Copy id</button>
          <button onClick={() => void copy(absolute(), "Link")}>Copy link</button>
          <button aria-label="Close" title="Close (Esc)" onClick={() => dialog.current!.close()}>✕</button></div>
        {problem && <Failed problem={problem} retry={retry} />}
        {!data && !problem && <Skeleton height={300} what="request" />}
        {data && <Body r={data} />}
      </div>
    </dialog>
  );
}

function Body(p: { r: Request }) {
  const { r } = p;
  const { lanes: all, totalMs } = lanes(r.attempts);
  const metric = r.meta.metric;
  return (
    <>
      <p>{r.percentile === null
        ? "It has no place in a cohort: the metric was not reached or does not apply, or no other request is like it."
        : <>{metric?.title ?? "Its metric"}: {r.percentile === 1 ? <strong>the slowest</strong> : <>slower than or equal to <strong>{share(r.percentile)}</strong></>} of its cohort <span class="soft">(same model, route, input band and day; n {count(r.cohort_n)})</span>.</>}</p>
      {totalMs === 0 ? <p class="empty">No stage times were recorded.</p> : (
        <div class="lanes" role="img" aria-label={waterfall(all, totalMs)}>
          {all.map((l) => <LaneRow key={l.attempt.attempt + l.attempt.role} lane={l} />)}
          <div class="axis">{axis(totalMs).map((t) => <span key={t} style={{ left: `${(t / totalMs) * 100}%` }}>{quantity(t, "ms")}</span>)}</div>
        </div>
      )}
      {r.attempts.map((a) => <Detail key={a.attempt + a.role} a={a} />)}
      <Provenance meta={r.meta} />
    </>
  );
}

function waterfall(all: Lane[], totalMs: number): string {
  return `Timeline over ${quantity(totalMs, "ms")}: ${all.map((l) => `${l.attempt.role} ${l.attempt.attempt}, ${l.bars.map((b) => `${words(b.stage)} ${quantity(b.ms, "ms")}`).join(", ") || "no stage recorded"}`).join("; ")}.`;
}

function LaneRow(p: { lane: Lane }) {
  const { attempt, bars, marks } = p.lane;
  return (
    <div class="lane">
      <div class="who">{attempt.role} {attempt.attempt} <span class="soft">{words(name(attempt.outcome))}</span></div>
      <div class="track">
        {bars.map((b) => <i key={b.stage} class={`stage s-${b.stage}${b.estimated ? " est" : ""}`} style={{ left: `${b.left * 100}%`, width: `max(2px, ${b.width * 100}%)` }} title={`${words(b.stage)}: ${quantity(b.ms, "ms")}${b.estimated ? " (estimate)" : ""}`}>{b.width > 0.16 && <span>{words(b.stage)} {quantity(b.ms, "ms")}</span>}</i>)}
        {marks.map((m) => <b key={m.name} style={{ left: `min(${m.left * 100}%, 100% - 2px)` }} title={`${m.name}: ${quantity(m.ms, "ms")}`} />)}
      </div>
    </div>
  );
}

function Detail(p: { a: Timeline }) {
  const { a } = p;
  const v = a.verdict;
  return (
    <section class="detail" aria-label={`${a.role} ${a.attempt}`}>
      <h3>{a.role} {a.attempt} {v.labels.length > 0 ? v.labels.map((l) => <span key={l} class="tag warn">{words(l)}</span>) : <span class="tag">{v.primary === "healthy" ? "no stage slow" : words(v.primary)}</span>}</h3>
      {v.evidence.map((e) => <Proof key={e.label} e={e} />)}
      <Facts a={a} />
      <Stages a={a} />
      {v.unmeasured.length > 0 && <p class="soft">Not measured: {v.unmeasured.map(words).join(", ")}.</p>}
      {v.not_applicable.length > 0 && <p class="soft">Does not apply: {v.not_applicable.map(words).join(", ")}.</p>}
      {a.flags.length > 0 && <p class="soft">Quality flags: {a.flags.join(", ")}.</p>}
    </section>
  );
}

/** Proof is one label's evidence with where to look and what to check next. */
function Proof(p: { e: Evidence }) {
  const { e } = p;
  const unit = e.field.endsWith("_ms") ? "ms" : e.field === "tps" ? "tokens/s" : "";
  return (
    <div class="proof">
      <p><strong>{words(e.label)}</strong>: <span class="mono">{e.field}</span> is {quantity(e.value, unit)}, the limit is {quantity(e.threshold, unit)}{e.censored && " (at least: the end stood in for it)"}{e.estimated && " (estimated)"}.</p>
      <p>Look at: {ended(e.look_at)} Next: {ended(e.next_check)}</p>
      {e.caveat && <p class="soft">{e.caveat}</p>}
    </div>
  );
}

/** ended ends a phrase like a sentence. */
function ended(s: string): string {
  return /[.?!]$/.test(s) ? s : `${s}.`;
}

function Facts(p: { a: Timeline }) {
  const { a } = p;
  const facts: [string, string][] = [
    ["Received", when(a.created_at, utc.value)], ["Model", a.model], ["Route", name(a.route)], ["Provider", name(a.provider)], ["Channel", name(a.channel)],
    ["Region", name(a.region)], ["Gateway", name(a.gateway)], ["Outcome", `${words(name(a.outcome))}${a.status === null ? "" : `, status ${a.status}`}${a.error_class ? `, ${a.error_class}` : ""}`],
    ["Stream", a.stream === null ? name(null) : a.stream ? "yes" : "no"],
    ["Input tokens", a.input_tokens === null ? name(null) : `${count(a.input_tokens)}${a.cached_tokens === null ? "" : `, ${count(a.cached_tokens)} cached`}`],
    ["Output tokens", a.output_tokens === null ? name(null) : `${count(a.output_tokens)}${a.reasoning_tokens === null ? "" : `, ${count(a.reasoning_tokens)} reasoning`}`],
    ["Visible output rate", a.timing.tps === null ? name(null) : `${number(a.timing.tps)} tokens/s`],
    ["Largest gap", a.timing.max_gap_ms === null ? name(null) : quantity(a.timing.max_gap_ms, "ms")],
    ["In flight on the channel", a.channel_inflight === null ? name(null) : count(a.channel_inflight)],
    ["Clock starts at", a.start_point], ["Source", a.source],
  ];
  return <dl class="grid">{facts.map(([k, v]) => <div key={k}><dt>{k}</dt><dd class={v === name(null) ? "grey" : ""}>{v}</dd></div>)}</dl>;
}

function Stages(p: { a: Timeline }) {
  if (p.a.spans.length === 0) return null;
  const total = Math.max(...p.a.spans.map((s) => s.end_ms)) - Math.min(...p.a.spans.map((s) => s.start_ms));
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label="Stages"><table>
      <thead><tr><th scope="col">Stage</th><th scope="col" class="num">Starts at</th><th scope="col" class="num">Takes</th><th scope="col" class="num">Share</th></tr></thead>
      <tbody>{p.a.spans.map((s) => (
        <tr key={s.stage}><td><i class={`dot s-${s.stage}`} />{words(s.stage)}{s.estimated && <span class="soft"> (estimate)</span>}</td><td class="num">{quantity(s.start_ms, "ms")}</td><td class="num">{quantity(s.end_ms - s.start_ms, "ms")}</td><td class="num">{total > 0 ? share((s.end_ms - s.start_ms) / total) : "–"}</td></tr>))}
      </tbody>
    </table></div>
  );
}
