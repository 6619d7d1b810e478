import { useEffect, useRef } from "preact/hooks";
import type { Request, Timeline } from "../api/types";
import { count, name, number, quantity, share, when } from "../prepare/format";
import { lanes, type Lane } from "../prepare/timeline";
import { useQuestion } from "../state/question";
import { set, utc } from "../state/store";
import { Failed, Provenance } from "./panel";

const none = new URLSearchParams();

/** Drawer shows one request: attempts and stages as a waterfall, with its verdict. */
export function Drawer(p: { id: string }) {
  const { data, problem, retry } = useQuestion<Request>(`requests/${encodeURIComponent(p.id)}`, none);
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => { dialog.current!.showModal(); }, []);
  const close = () => set({ open: null });
  return (
    <dialog ref={dialog} class="drawer" aria-label={`Request ${p.id}`} onClose={close} onClick={(e) => { if (e.target === e.currentTarget) dialog.current!.close(); }}>
      <div class="inner">
        <div class="head"><h2>Request <span class="mono">{p.id}</span></h2>
          <button class="quiet" onClick={() => void navigator.clipboard.writeText(p.id)}>Copy id</button>
          <button class="quiet" aria-label="Close" onClick={() => dialog.current!.close()}>✕</button></div>
        {problem && <Failed problem={problem} retry={retry} />}
        {!data && !problem && <div class="skeleton" role="status"><span class="sr">Loading request</span></div>}
        {data && <Body r={data} />}
      </div>
    </dialog>
  );
}

function Body(p: { r: Request }) {
  const { lanes: all, totalMs } = lanes(p.r.attempts);
  return (
    <>
      <p class="soft">{p.r.percentile === null ? "No cohort with this metric." : `Slower than or equal to ${share(p.r.percentile)} of its cohort (same model, route, input band and day, n ${count(p.r.cohort_n)}).`}</p>
      <div class="lanes" role="img" aria-label={`Timeline of ${all.length} attempts over ${quantity(totalMs, "ms")}`}>
        {all.map((l) => <LaneRow key={l.attempt.attempt + l.attempt.role} lane={l} />)}
        <div class="axis"><span>0</span><span>{quantity(totalMs / 2, "ms")}</span><span>{quantity(totalMs, "ms")}</span></div>
      </div>
      {p.r.attempts.map((a) => <Detail key={a.attempt + a.role} a={a} />)}
      <Provenance meta={p.r.meta} />
    </>
  );
}

function LaneRow(p: { lane: Lane }) {
  const { attempt, bars, marks } = p.lane;
  return (
    <div class="lane">
      <div class="who">{attempt.role} {attempt.attempt} <span class="soft">{name(attempt.outcome)}</span></div>
      <div class="track">
        {bars.map((b) => <i key={b.stage} class={`stage s-${b.stage}${b.estimated ? " est" : ""}`} style={{ left: `${b.left * 100}%`, width: `max(2px, ${b.width * 100}%)` }} title={`${b.stage.replaceAll("_", " ")}: ${quantity(b.ms, "ms")}${b.estimated ? " (estimate)" : ""}`} />)}
        {marks.map((m) => <b key={m.name} style={{ left: `${m.left * 100}%` }} title={`${m.name}: ${quantity(m.ms, "ms")}`} />)}
      </div>
    </div>
  );
}

function Detail(p: { a: Timeline }) {
  const { a } = p;
  const v = a.verdict;
  return (
    <section class="detail">
      <h3>{a.role} {a.attempt}: {v.labels.length > 0 ? v.labels.map((l) => <span key={l} class="tag warn">{l.replaceAll("_", " ")}</span>) : <span class="tag">{v.primary}</span>}</h3>
      <p class="soft">{when(a.created_at, utc.value)} · {a.model} · {name(a.route)} · {name(a.provider)}{a.channel ? ` · ${a.channel}` : ""} · clock starts at {a.start_point} · {a.input_tokens === null ? "input tokens not recorded" : `${count(a.input_tokens)} input tokens`}</p>
      {v.evidence.map((e) => (
        <p key={e.label}><strong>{e.label.replaceAll("_", " ")}</strong>: {e.field} {number(e.value)} against {number(e.threshold)}{e.censored && " (censored: the end stood in)"}{e.estimated && " (estimated)"}. Look at {e.look_at}. Next: {e.next_check}. <span class="soft">{e.caveat}</span></p>
      ))}
      <div class="scroll"><table><tbody>{a.spans.map((s) => <tr key={s.stage}><td><i class={`dot s-${s.stage}`} />{s.stage.replaceAll("_", " ")}{s.estimated && " (estimate)"}</td><td class="num">{quantity(s.start_ms, "ms")}</td><td class="num">{quantity(s.end_ms - s.start_ms, "ms")}</td></tr>)}</tbody></table></div>
      {v.unmeasured.length > 0 && <p class="soft">Not measured: {v.unmeasured.join(", ")}.</p>}
      {v.not_applicable.length > 0 && <p class="soft">Does not apply: {v.not_applicable.join(", ")}.</p>}
      {a.flags.length > 0 && <p class="soft">Quality flags: {a.flags.join(", ")}.</p>}
    </section>
  );
}
