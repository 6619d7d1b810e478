import type { Quality, SourceQuality } from "../api/types";
import { ago, count, name, share, when } from "../prepare/format";
import { scope } from "../state/place";
import { useQuestion } from "../state/question";
import { params, utc } from "../state/store";
import { Panel } from "./panel";

/** QualityPage shows what arrived, what was refused or flagged, and what is not measured. */
export function QualityPage() {
  const q = scope(params.value);
  const asked = useQuestion<Quality>("quality", q);
  return (
    <Panel title="Data quality" sub="per source: rows, rejects, flags, and how much of each field is recorded" path="quality" params={q} asked={asked} height={300}
      empty={(a) => (a.sources.length === 0 ? "Nothing arrived in this window." : null)}>
      {(a) => <>
        {a.sources.map((s) => <Source key={s.source} s={s} />)}
        <h3>Gateways</h3>
        <div class="scroll"><table><thead><tr><th>Gateway</th><th>Source</th><th>Newest record</th><th class="num">Age</th><th class="num">Rows</th></tr></thead>
          <tbody>{a.gateways.map((g) => <tr key={g.source + g.gateway}><td>{name(g.gateway)}</td><td>{g.source}</td><td>{when(g.newest_at, utc.value)}</td><td class="num">{ago(g.freshness_s)}</td><td class="num">{count(g.rows)}</td></tr>)}</tbody></table></div>
      </>}
    </Panel>
  );
}

function Source(p: { s: SourceQuality }) {
  const { s } = p;
  const fields = Object.entries(s.coverage).sort((x, y) => y[1] - x[1] || x[0].localeCompare(y[0]));
  return (
    <section class="detail">
      <h3>{s.source}</h3>
      <p>{count(s.rows)} rows, {count(s.duplicates)} duplicates left out, newest {s.newest_at === null ? "–" : `${when(s.newest_at, utc.value)} (${ago(s.freshness_s)} ago)`}.</p>
      <p>Rejected: {list(s.rejected)}. Flagged: {list(s.flags)}.</p>
      <div class="coverage">{fields.map(([f, c]) => (
        <div key={f} title={`${f}: recorded in ${share(c)} of rows`}><span>{f}</span><meter min={0} max={1} value={c}>{share(c)}</meter><span class="num">{c === 0 ? "not measured" : share(c)}</span></div>
      ))}</div>
    </section>
  );
}

function list(m: Record<string, number>): string {
  const all = Object.entries(m).filter(([, n]) => n > 0);
  return all.length === 0 ? "none" : all.map(([k, n]) => `${k} ${count(n)}`).join(", ");
}
