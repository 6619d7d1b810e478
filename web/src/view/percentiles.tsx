import { useState } from "preact/hooks";
import type { Fields, Latency } from "../api/types";
import { timeChart } from "../draw/time";
import { count, name, quantile, quantity, when } from "../prepare/format";
import { lines, sentence } from "../prepare/lines";
import { scope } from "../state/place";
import { useQuestion } from "../state/question";
import { params, set, utc } from "../state/store";
import { useCanvasHost } from "./chart";
import { Panel } from "./panel";

/** Percentiles answers "since when": percentiles of one metric over time. */
export function Percentiles(p: { fields: Fields | null }) {
  const [log, setLog] = useState(false);
  const q = scope(params.value);
  const metric = params.value.get("metric");
  if (metric) q.set("metric", metric);
  const by = params.value.get("split");
  if (by) q.set("by", by);
  q.set("q", by ? "p95" : "p50,p90,p95,p99");
  const asked = useQuestion<Latency>("latency", q);
  const m = asked.data?.meta.metric;
  return (
    <Panel title={m ? m.title : "Percentiles over time"} sub={m ? `${m.start} → ${m.end}, ${m.unit}; drag to zoom` : ""} path="latency" params={q} asked={asked} height={300}
      controls={<>
        <MetricPicker fields={p.fields} value={metric ?? m?.name ?? ""} />
        <SplitPicker fields={p.fields} value={by ?? ""} />
        <button class="quiet" aria-pressed={log} onClick={() => setLog(!log)}>log</button>
      </>}
      empty={(a) => (a.meta.n === 0 ? "No rows with this metric in the window. Widen the range, drop a filter or choose another metric." : null)}
      table={(a) => <Table a={a} />}>
      {(a) => <Chart a={a} log={log} />}
    </Panel>
  );
}

function Chart(p: { a: Latency; log: boolean }) {
  const zoom = (from: number, to: number) =>
    set({ from: new Date(from * 1000).toISOString(), to: new Date(to * 1000).toISOString() });
  const host = useCanvasHost((el, width) => {
    const chart = timeChart(el, lines(p.a), { width, height: 280, unit: p.a.unit, utc: utc.value, log: p.log, onZoom: zoom });
    return () => chart.destroy();
  }, [p.a, p.log, utc.value]);
  return <div class="plot" ref={host} role="img" aria-label={sentence(p.a)} />;
}

export function MetricPicker(p: { fields: Fields | null; value: string }) {
  const measures = (p.fields?.fields ?? []).filter((f) => f.kind === "measure");
  return (
    <select aria-label="Metric" value={p.value} onChange={(e) => set({ metric: e.currentTarget.value })}>
      {measures.map((f) => <option key={f.name} value={f.name}>{f.title}</option>)}
    </select>
  );
}

function SplitPicker(p: { fields: Fields | null; value: string }) {
  const dims = (p.fields?.fields ?? []).filter((f) => f.kind === "dimension" && f.type !== "strings");
  return (
    <select aria-label="Split by" value={p.value} onChange={(e) => set({ split: e.currentTarget.value || null })}>
      <option value="">Not split</option>
      {dims.map((f) => <option key={f.name} value={f.name}>by {f.title}</option>)}
    </select>
  );
}

function Table(p: { a: Latency }) {
  return (
    <div class="scroll"><table>
      <thead><tr><th>Bucket</th><th>Group</th><th class="num">n</th>{p.a.quantiles.map((q) => <th key={q} class="num">{quantile(q)}</th>)}</tr></thead>
      <tbody>{p.a.series.flatMap((s) => s.points.map((pt) => (
        <tr key={pt.at + JSON.stringify(s.key)}>
          <td>{when(pt.at, utc.value)}{pt.open && " (open)"}</td><td>{Object.values(s.key).map(name).join(" · ") || "all"}</td><td class="num">{count(pt.n)}</td>
          {pt.values.map((v, i) => <td key={i} class="num">{quantity(v, p.a.unit)}</td>)}
        </tr>)))}
      </tbody>
    </table></div>
  );
}
