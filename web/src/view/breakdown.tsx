import type { Breakdown, Fields, Group } from "../api/types";
import { count, name, number, quantity, share } from "../prepare/format";
import { scope, withFilter } from "../state/place";
import { useQuestion } from "../state/question";
import { go, params, place, set } from "../state/store";
import { Panel } from "./panel";

const first = ["channel", "model", "route", "region", "provider", "input_band", "label", "outcome"];

/** BreakdownPanel answers "who is hurt": groups by their share of excess slow requests. */
export function BreakdownPanel(p: { fields: Fields | null }) {
  const by = params.value.get("by") ?? "provider";
  const q = scope(params.value);
  q.set("by", by);
  const metric = params.value.get("metric");
  if (metric) q.set("metric", metric);
  const asked = useQuestion<Breakdown>("breakdown", q);
  const names = new Map((p.fields?.fields ?? []).map((f) => [f.name, f.title]));
  return (
    <Panel title="Who is hurt" sub="groups by slow requests beyond the 5 % expected" path="breakdown" params={q} asked={asked} height={240}
      controls={<select aria-label="Group by" value={by} onChange={(e) => set({ by: e.currentTarget.value })}>
        {first.map((d) => <option key={d} value={d}>{names.get(d) ?? d}</option>)}
      </select>}
      empty={(a) => (a.groups.length === 0 ? "No rows in the window. Widen the range or drop a filter." : null)}>
      {(a) => <Groups a={a} />}
    </Panel>
  );
}

function Groups(p: { a: Breakdown }) {
  const most = Math.max(1, ...p.a.groups.map((g) => Math.abs(g.excess)));
  return (
    <div class="scroll"><table>
      <thead><tr><th>{p.a.by}</th><th class="num" title="Rows above the baseline's P95 of the same input band, minus 5 % of n">Excess slow</th><th class="num">n</th><th class="num">Failed</th><th class="num">p50</th><th class="num">p95</th><th class="num">p99</th><th><span class="sr">Filter</span></th></tr></thead>
      <tbody>{p.a.groups.map((g) => <Row key={g.value ?? ""} g={g} by={p.a.by} unit={p.a.unit} most={most} />)}</tbody>
    </table></div>
  );
}

function Row(p: { g: Group; by: string; unit: string; most: number }) {
  const { g } = p;
  const filter = (not: boolean) => go({ page: place.value.page, params: withFilter(params.value, { dimension: p.by, not, value: g.value ?? "(missing)" }) });
  return (
    <tr>
      <td>{g.value === null ? <span class="grey">{name(null)}</span> : g.value}</td>
      <td class="num bar"><i style={{ width: `${Math.max(0, g.excess / p.most) * 100}%` }} /><span title={`${count(g.slow)} slow of n ${count(g.n)}`}>{g.excess > 0 ? "+" : ""}{number(g.excess)}</span></td>
      <td class="num">{count(g.n)}{g.censored > 0 && <span class="grey"> ({count(g.censored)} cens.)</span>}</td>
      <td class="num">{share(g.failure_share)}</td>
      {[g.p50, g.p95, g.p99].map((v, i) => <td key={i} class={v === null ? "num grey" : "num"} title={v === null ? "below the minimum n, or not reached" : undefined}>{quantity(v, p.unit)}</td>)}
      <td><button class="quiet" aria-label={`Only ${name(g.value)}`} title="Filter in" onClick={() => filter(false)}>＋</button><button class="quiet" aria-label={`Without ${name(g.value)}`} title="Filter out" onClick={() => filter(true)}>−</button></td>
    </tr>
  );
}
