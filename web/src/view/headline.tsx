import type { Figure, Headline } from "../api/types";
import { ago, change, count, number, quantile, quantity, share } from "../prepare/format";
import { scope } from "../state/place";
import { useQuestion } from "../state/question";
import { params } from "../state/store";
import { Failed, Provenance } from "./panel";

/** HeadlineStrip answers "is it real, how bad": figures beside the same window last week. */
export function HeadlineStrip() {
  const q = scope(params.value);
  const { data, problem, loading, retry } = useQuestion<Headline>("headline", q);
  if (problem) return <Failed problem={problem} retry={retry} />;
  if (!data) return <div class="skeleton" style={{ "--h": "90px" }} role="status"><span class="sr">Loading headline</span></div>;
  return (
    <section aria-label="Headline" aria-busy={loading} class={loading ? "loading" : ""}>
      <div class="strip">
        {data.figures.map((f) => <Fig key={f.metric + f.q} f={f} />)}
        <Plain label="Rate" value={`${number(data.rate_per_s)} /s`} refText={`last week ${data.rate_per_s_before === null ? "–" : `${number(data.rate_per_s_before)} /s`} · n ${count(data.requests)}`} />
        <Plain label="Failure share" value={share(data.failure_share)} refText={`last week ${share(data.failure_share_before)} · of ${count(data.requests)}`} />
        <Plain label="Newest record" value={data.freshness_s === null ? "–" : `${ago(data.freshness_s)} ago`} refText={data.newest_at === null ? "the store is empty" : "ingest freshness"} />
      </div>
      <Provenance meta={data.meta} />
    </section>
  );
}

function Fig(p: { f: Figure }) {
  const { f } = p;
  const delta = change(f.now, f.before);
  const up = f.now !== null && f.before !== null && f.now > f.before;
  const bad = f.unit === "tokens/s" ? !up : up;
  return (
    <div class="fig" title={`${f.title}: ${f.start} → ${f.end}`}>
      <div class="label"><span>{f.title}</span><span>{quantile(f.q)}</span></div>
      <div class="value">{quantity(f.now, f.unit)}</div>
      <div class="ref">
        {delta && <><span class={bad ? "worse" : "better"}>{up ? "▲" : "▼"} {delta}</span> vs </>}
        {delta ? quantity(f.before, f.unit) : "no data last week"} · n {count(f.now_n)}
      </div>
    </div>
  );
}

function Plain(p: { label: string; value: string; refText: string }) {
  return <div class="fig"><div class="label">{p.label}</div><div class="value">{p.value}</div><div class="ref">{p.refText}</div></div>;
}
