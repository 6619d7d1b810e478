import type { Quality, SourceQuality } from "../api/types";
import { ago, count, name, share, when } from "../prepare/format";
import { coverage, reasons, silent } from "../prepare/quality";
import { scope } from "../state/place";
import { useQuestion } from "../state/question";
import { place, utc } from "../state/store";
import { Panel } from "./panel";
import { Value } from "./value";

/** QualityPage shows what arrived, what was refused or flagged, and what is not measured. */
export function QualityPage() {
  const q = scope(place.value);
  const asked = useQuestion<Quality>("quality", q);
  return (
    <Panel title="Data quality" sub="what arrived, was refused, left out or flagged, and how much of each field is recorded" path="quality" params={q} asked={asked} height={300}
      empty={(a) => (a.sources.length === 0 && a.lost.length === 0 ? "Nothing arrived in this window. Widen the range, drop a filter, or check that gateways send records." : null)}>
      {(a) => <><Lost a={a} /><Sources a={a} /><Uploads a={a} /><Gateways a={a} /><Fields sources={a.sources} /></>}
    </Panel>
  );
}

/** Lost stands first: these messages can't be had back, and no statistic knows of them. */
function Lost(p: { a: Quality }) {
  const all = p.a.lost;
  if (all.length === 0) return null;
  return (
    <>
      <h3><span class="tag bad">! lost</span> {count(all.reduce((n, l) => n + l.messages, 0))} messages were gone before they could be read</h3>
      <div class="scroll" tabIndex={0} role="region" aria-label="Lost messages"><table>
        <thead><tr><th scope="col">Topic</th><th scope="col" class="num">Epoch</th><th scope="col" class="num">Partition</th><th scope="col" class="num">Offsets</th><th scope="col" class="num">Messages</th><th scope="col">Cause</th><th scope="col">Noticed</th></tr></thead>
        <tbody>{all.map((l) => (
          <tr key={`${l.topic}/${l.epoch}/${l.partition}/${l.first}`}><td>{l.topic}</td><td class="num">{l.epoch}</td><td class="num">{l.partition}</td><td class="num">{l.first} … {l.last}</td><td class="num">{count(l.messages)}</td><td>{l.cause}</td><td class="nowrap">{when(l.at, utc.value)}</td></tr>))}
        </tbody>
      </table></div>
    </>
  );
}

function Sources(p: { a: Quality }) {
  return (
    <>
      <h3>Sources</h3>
      <div class="scroll" tabIndex={0} role="region" aria-label="Sources"><table>
        <thead><tr><th scope="col">Source</th><th scope="col" class="num">Rows</th><th scope="col" class="num">Doubled, left out</th><th scope="col">Refused</th><th scope="col">Flagged</th><th scope="col">Newest record</th><th scope="col" class="num">Age</th></tr></thead>
        <tbody>{p.a.sources.map((s) => (
          <tr key={s.source}><td><Value dimension="source" value={s.source} /></td><td class="num">{count(s.rows)}</td><td class="num">{count(s.duplicates)}</td>
            <td class="labels"><Reasons of={s.rejected} tone="bad" /></td><td class="labels"><Reasons of={s.flags} tone="warn" /></td>
            <td class="nowrap">{s.newest_at === null ? "–" : when(s.newest_at, utc.value)}</td><td class="num">{ago(s.freshness_s)}</td></tr>))}
        </tbody>
      </table></div>
    </>
  );
}

/** Uploads counts what came over HTTP: what was refused there is in no table. */
function Uploads(p: { a: Quality }) {
  const all = p.a.uploads;
  if (all.length === 0) return null;
  return (
    <>
      <h3>Uploads <span class="soft">to this process since {when(all[0]!.since, utc.value)}, whatever the window</span></h3>
      <div class="scroll" tabIndex={0} role="region" aria-label="Uploads"><table>
        <thead><tr><th scope="col">Source</th><th scope="col" class="num">Accepted</th><th scope="col">Refused</th><th scope="col" class="num">Content keys dropped</th></tr></thead>
        <tbody>{all.map((u) => (
          <tr key={u.source}><td><Value dimension="source" value={u.source} /></td><td class="num">{count(u.accepted)}</td>
            <td class="labels"><Reasons of={u.rejected} tone="bad" /></td><td class="num">{count(u.content_dropped)}</td></tr>))}
        </tbody>
      </table></div>
    </>
  );
}

function Reasons(p: { of: Record<string, number>; tone: string }) {
  const all = reasons(p.of);
  if (all.length === 0) return <span class="soft">none</span>;
  return <>{all.map(([why, n]) => <span key={why} class={`tag ${p.tone}`}>{why} {count(n)}</span>)}</>;
}

function Gateways(p: { a: Quality }) {
  const all = p.a.gateways;
  if (all.length === 0) return null;
  return (
    <>
      <h3>Gateways</h3>
      <div class="scroll" tabIndex={0} role="region" aria-label="Gateways"><table>
        <thead><tr><th scope="col">Gateway</th><th scope="col">Source</th><th scope="col" class="num">Rows</th><th scope="col">Newest record</th><th scope="col" class="num">Age</th><th scope="col">State</th></tr></thead>
        <tbody>{all.map((g) => (
          <tr key={g.source + g.gateway}><td><Value dimension="gateway" value={g.gateway} /></td><td>{g.source}</td><td class="num">{count(g.rows)}</td><td class="nowrap">{when(g.newest_at, utc.value)}</td><td class="num">{ago(g.freshness_s)}</td>
            <td>{silent(g, all) ? <span class="tag bad" title="Over ten times the median age of its source's gateways">! silent</span> : <span class="soft">as usual</span>}</td></tr>))}
        </tbody>
      </table></div>
    </>
  );
}

function Fields(p: { sources: SourceQuality[] }) {
  const { rows, never } = coverage(p.sources);
  return (
    <>
      <h3>Recorded fields <span class="soft">share of each source's rows that carry the field; n as above</span></h3>
      <div class="scroll" tabIndex={0} role="region" aria-label="Recorded fields"><table class="coverage">
        <thead><tr><th scope="col">Field</th>{p.sources.map((s) => <th key={s.source} scope="col">{name(s.source)}</th>)}</tr></thead>
        <tbody>{rows.map((c) => (
          <tr key={c.field}><th scope="row" class="mono">{c.field}</th>{c.shares.map((v, i) => (
            <td key={p.sources[i]!.source}><svg class="meter" viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true"><rect width={v * 100} height="8" /></svg> {v === 0 ? <span class="soft">not measured</span> : share(v)}</td>))}
          </tr>))}
        </tbody>
      </table></div>
      {never.length > 0 && <p class="soft under">Not measured by any source: {never.join(", ")}.</p>}
    </>
  );
}
