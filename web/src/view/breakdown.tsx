import type { Breakdown, Fields, Group } from "../api/types";
import { count, number, reached, share, when } from "../prepare/format";
import { scope } from "../state/place";
import { useQuestion } from "../state/question";
import { params, place, set } from "../state/store";
import { Panel } from "./panel";
import { Value } from "./value";

const first = ["model", "channel", "route", "provider", "region", "input_band"];

/** BreakdownPanel answers "who is hurt": groups by their share of excess slow requests. */
export function BreakdownPanel(p: { fields: Fields | null }) {
  const by = params.value.get("by") ?? "model";
  const q = scope(place.value);
  q.set("by", by);
  const metric = params.value.get("metric");
  if (metric) q.set("metric", metric);
  const asked = useQuestion<Breakdown>("breakdown", q);
  const dims = (p.fields?.fields ?? []).filter((f) => f.kind === "dimension" && f.type !== "strings");
  const rest = dims.filter((f) => !first.includes(f.name));
  const title = (name: string) => dims.find((f) => f.name === name)?.title ?? name;
  return (
    <Panel title="Who is hurt" sub={`${asked.data?.meta.metric ? `${asked.data.meta.metric.title}: ` : ""}groups by slow requests beyond the 5 % expected`} path="breakdown" params={q} asked={asked} height={240}
      controls={<select aria-label="Group by" value={by} onChange={(e) => set({ by: e.currentTarget.value })}>
        {first.map((d) => <option key={d} value={d}>by {title(d)}</option>)}
        {rest.map((f) => <option key={f.name} value={f.name}>by {f.title}</option>)}
      </select>}
      empty={(a) => (a.groups.length === 0 ? "No rows with this metric in the window. Widen the range, drop a filter or choose another metric." : null)}>
      {(a) => <Groups a={a} title={title(a.by)} />}
    </Panel>
  );
}

function Groups(p: { a: Breakdown; title: string }) {
  const { a } = p;
  const most = Math.max(1, ...a.groups.map((g) => Math.abs(g.excess)));
  const judged = a.baseline_n > 0;
  return (
    <>
      <div class="scroll" tabIndex={0} role="region" aria-label="Groups"><table>
        <thead><tr><th scope="col">{p.title}</th><th scope="col" class="num" title="Slow rows minus the 5 % of n expected; slow: above the baseline's p95 of the same input band">Excess slow</th><th scope="col" class="num">Slow</th><th scope="col" class="num">n</th><th scope="col" class="num">Censored</th><th scope="col" class="num">Failed</th><th scope="col" class="num">p50</th><th scope="col" class="num">p95</th><th scope="col" class="num">p99</th></tr></thead>
        <tbody>{a.groups.map((g) => <Row key={g.value ?? ""} g={g} a={a} most={most} judged={judged} />)}</tbody>
      </table></div>
      <p class="soft under">{judged
        ? `Slow means ${a.meta.metric?.higher_is_worse === false ? "below the p5" : "above the p95"} of the same input band in the baseline: the same filters, ${when(a.baseline_from, true).slice(0, 16)} to ${when(a.baseline_to, true).slice(0, 16)} UTC, n ${count(a.baseline_n)}. What is slow by nature stays on top; compare with its own past by filtering.`
        : "There is no baseline: the window before this one holds no rows, so that slow can't be told from usual."}</p>
    </>
  );
}

function Row(p: { g: Group; a: Breakdown; most: number; judged: boolean }) {
  const { g, a } = p;
  return (
    <tr>
      <td><Value dimension={a.by} value={g.value} /></td>
      <td class="num bar">{p.judged && g.excess > 0 && <i style={{ width: `${(g.excess / p.most) * 100}%` }} />}<span class={g.excess <= 0 || !p.judged ? "grey" : ""}>{p.judged ? `${g.excess > 0 ? "+" : ""}${number(Math.round(g.excess * 10) / 10)}` : "–"}</span></td>
      <td class="num">{p.judged ? count(g.slow) : "–"}</td>
      <td class="num">{count(g.n)}</td><td class="num">{count(g.censored)}</td>
      <td class="num">{share(g.failure_share)}</td>
      {([[g.p50, g.p50_at_least], [g.p95, g.p95_at_least], [g.p99, g.p99_at_least]] as const).map(([v, least], i) => <td key={i} class={v === null ? "num grey" : "num"} title={v !== null ? undefined : least === null ? "n is below this percentile's minimum" : "not reached: too many rows ended before"}>{reached(v, least, a.unit)}</td>)}
    </tr>
  );
}
