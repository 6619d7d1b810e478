import type { Figure, Headline } from "../api/types";
import { ago, change, count, missing, notable, perTime, quantile, reached, share, tone } from "../prepare/format";
import { cards, type Card } from "../prepare/headline";
import { points } from "../prepare/meta";
import { scope } from "../state/place";
import { useQuestion } from "../state/question";
import { place } from "../state/store";
import { Failed, Provenance, Skeleton } from "./panel";

/** silentAfter is the age of the newest record, in seconds, from which the strip warns. */
const silentAfter = 600;

/** HeadlineStrip answers "is it real, how bad": figures beside the same window last week. */
export function HeadlineStrip() {
  const { data, problem, loading, retry } = useQuestion<Headline>("headline", scope(place.value));
  return (
    <section aria-label="Headline" aria-busy={loading}>
      {problem && <Failed problem={problem} retry={retry} stale={data !== null} />}
      {!problem && !data && <Skeleton height={150} what="headline" />}
      {data && (
        <div class={loading || problem ? "loading" : ""}>
          <div class="strip">
            {cards(data.figures).map((c) => <MetricCard key={c.metric} c={c} />)}
            <Plain label="Rate" title="Distinct primary attempts" value={perTime(data.rate_per_s)} now={data.rate_per_s} before={data.rate_per_s_before} was={perTime(data.rate_per_s_before)} n={`n ${count(data.requests)}`} />
            <Plain label="Failure share" title="Failed of all primary attempts" value={share(data.failure_share)} now={data.failure_share} before={data.failure_share_before} was={share(data.failure_share_before)} n={`of n ${count(data.requests)}`} bad />
            <Fresh h={data} />
          </div>
          <Provenance meta={data.meta} />
        </div>
      )}
    </section>
  );
}

function MetricCard(p: { c: Card }) {
  const { c } = p;
  return (
    <div class={c.figures.length > 1 ? "fig wide" : "fig"} title={`${c.title}: ${points(c.start, c.end)}`} style={{ "--span": c.figures.length }}>
      <div class="label"><span>{c.title} {c.start && <span class="ends">{c.start} → {c.end}</span>}</span><span>n {count(c.n)}</span></div>
      <div class="quantiles">{c.figures.map((f) => <Quantile key={f.q} f={f} higherIsWorse={c.unit !== "tokens/s"} />)}</div>
    </div>
  );
}

function Quantile(p: { f: Figure; higherIsWorse: boolean }) {
  const { f } = p;
  const few = f.now_below_min_n ? "too few rows for this quantile" : "";
  return (
    <div>
      <div class="q">{quantile(f.q)}</div>
      <div class={f.now === null || f.now_below_min_n ? "value grey" : "value"} title={few || undefined}><Split of={reached(f.now, f.now_at_least, f.unit)} /></div>
      <div class="ref">{f.now_n === 0 ? "no rows" : few ? `n ${count(f.now_n)} is too few` : <Against now={f.now} before={f.before} was={reached(f.before, f.before_at_least, f.unit)} higherIsWorse={p.higherIsWorse} />}</div>
    </div>
  );
}

/** Split writes the number large and what follows it small. */
function Split(p: { of: string }) {
  const m = /^([^\u00a0]+)(\u00a0.*)$/s.exec(p.of);
  return m ? <>{m[1]}<span class="unit">{m[2]}</span></> : <>{p.of}</>;
}

/** Against writes a change against last week; sign and word carry it, colour only repeats it. */
function Against(p: { now: number | null; before: number | null; was: string; higherIsWorse: boolean }) {
  if (p.before === null) return <>{p.was === missing ? "no data last week" : `from ${p.was}`}</>;
  const delta = change(p.now, p.before);
  const t = tone(p.now, p.before, p.higherIsWorse);
  return <><span class={t} title={t === "near" ? `within ${share(notable)} of last week` : `${t} than last week`}>{delta && `${p.now! >= p.before ? "▲" : "▼"} ${delta}`}</span> from {p.was}</>;
}

function Plain(p: { label: string; title: string; value: string; now: number | null; before: number | null; was: string; n: string; bad?: boolean }) {
  return (
    <div class="fig" title={p.title}>
      <div class="label"><span>{p.label}</span><span>{p.n}</span></div>
      <div class="value"><Split of={p.value} /></div>
      <div class="ref">{p.bad ? <Against now={p.now} before={p.before} was={p.was} higherIsWorse /> : p.before === null ? "no data last week" : <>{change(p.now, p.before)} from {p.was}</>}</div>
    </div>
  );
}

function Fresh(p: { h: Headline }) {
  const s = p.h.freshness_s;
  const silent = s !== null && s > silentAfter;
  return (
    <div class="fig" title="Time since the newest stored record was made">
      <div class="label"><span>Newest record, all sources</span></div>
      <div class="value"><Split of={s === null ? "–" : `${ago(s)} ago`} /></div>
      <div class="ref">{s === null ? "nothing is stored yet" : silent ? <span class="worse">▲ nothing new for {ago(s)}</span> : "records keep arriving"}</div>
    </div>
  );
}
