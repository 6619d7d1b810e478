import { useMemo, useRef, useState } from "preact/hooks";
import type { Fields, Latency } from "../api/types";
import { countChart, timeChart } from "../draw/time";
import { ago, count, name, quantile, quantity, reached, when } from "../prepare/format";
import { lines, sentence, valueAt, type Lines } from "../prepare/lines";
import { points } from "../prepare/meta";
import { fewest, fewestGrouped, steps, widened } from "../prepare/steps";
import { scope } from "../state/place";
import { useQuestion, type Asked } from "../state/question";
import { params, place, set, utc } from "../state/store";
import { useCanvasHost } from "./chart";
import { Panel } from "./panel";
import { MetricPicker, SplitPicker } from "./pickers";

/** Percentiles answers "since when": percentiles of one metric over time. */
export function Percentiles(p: { fields: Fields | null }) {
  const q = scope(place.value);
  const metric = params.value.get("metric");
  if (metric) q.set("metric", metric);
  const by = params.value.get("split");
  if (by) q.set("by", by);
  const of = params.value.get("q") ?? "p95";
  q.set("q", by ? of : "p50,p90,p95,p99");
  const { asked, query, wide } = useWideEnough(q, params.value.get("step"));
  const m = asked.data?.meta.metric;
  const step = asked.data?.meta.step_s;
  const log = params.value.get("scale") === "log";
  const sub = m ? `${by ? `${of} by ${by}; ` : ""}${points(m.start, m.end) || m.unit}${step ? `; buckets of ${ago(step)}${wide ? ", widened so that they hold enough rows" : ""}` : ""}` : "";
  return (
    <Panel title={m ? m.title : "Percentiles over time"} sub={sub} path="latency" params={query} asked={asked} height={420}
      controls={<>
        <MetricPicker fields={p.fields} value={metric ?? m?.name ?? ""} />
        <SplitPicker fields={p.fields} value={by ?? ""} />
        {by && <select aria-label="Percentile" value={of} onChange={(e) => set({ q: e.currentTarget.value })}>{["p50", "p90", "p95", "p99"].map((x) => <option key={x}>{x}</option>)}</select>}
        <select aria-label="Bucket width" value={params.value.get("step") ?? ""} onChange={(e) => set({ step: e.currentTarget.value || null })}>
          <option value="">Auto width</option>
          {steps.map(([s, w]) => <option key={w} value={w}>{ago(s)}</option>)}
        </select>
        <button aria-pressed={log} title="Logarithmic axis" onClick={() => set({ scale: log ? null : "log" })}>log</button>
      </>}
      empty={(a) => (a.meta.n === 0 ? "No rows with this metric in the window. Widen the range, drop a filter or choose another metric." : null)}
      sentence={sentence}
      table={(a) => <Table a={a} />}>
      {(a) => <Charts a={a} log={log} />}
    </Panel>
  );
}

/**
 * useWideEnough asks with the API's own step and once more with a wider one
 * where most buckets would hold too few rows for the highest percentile. The
 * answer shown before stays until the last of both is there.
 */
function useWideEnough(q: URLSearchParams, chosen: string | null): { asked: Asked<Latency>; query: URLSearchParams; wide: boolean } {
  if (chosen) q.set("step", chosen);
  const first = useQuestion<Latency>("latency", q);
  const wider = chosen || !first.current || !first.data ? null : widerStep(first.data);
  const again = new URLSearchParams(q);
  if (wider) again.set("step", wider);
  const second = useQuestion<Latency>(wider ? "latency" : "", again);
  const before = useRef<Latency | null>(null);
  const settled = wider ? second : first;
  if (settled.current && settled.data) before.current = settled.data;
  const asked = { ...settled, retry: first.retry, problem: first.problem ?? settled.problem, data: settled.current ? settled.data : before.current,
    loading: first.loading || settled.loading || !settled.current };
  return { asked, query: again, wide: wider !== null };
}

function widerStep(a: Latency): string | null {
  if (!a.meta.step_s) return null;
  const groups = Math.max(1, a.series.length);
  return widened(a.meta.n / groups, (Date.parse(a.meta.to) - Date.parse(a.meta.from)) / 1000, a.meta.step_s, a.quantiles[a.quantiles.length - 1]!, groups > 1 ? fewestGrouped : fewest);
}

function Charts(p: { a: Latency; log: boolean }) {
  const [hover, setHover] = useState<number | null>(null);
  const [off, setOff] = useState<ReadonlySet<string>>(new Set());
  const l = useMemo(() => lines(p.a), [p.a]);
  const options = { unit: p.a.unit, utc: utc.value, log: p.log, off, onHover: setHover,
    onZoom: (from: number, to: number) => set({ from: new Date(from * 1000).toISOString(), to: new Date(to * 1000).toISOString(), page: null }) };
  const main = useCanvasHost((el, width) => {
    const chart = timeChart(el, l, { ...options, width, height: 270 });
    return () => chart.destroy();
  }, [l, p.log, off, utc.value]);
  const rows = useCanvasHost((el, width) => {
    const chart = countChart(el, l, { ...options, width, height: 74 });
    return () => chart.destroy();
  }, [l, utc.value]);
  // The pointer's place may be one of a former, longer answer.
  const at = hover !== null && hover < l.at.length ? hover : null;
  const blank = l.lines.every((line) => l.at.every((_, i) => valueAt(line, i) === null));
  const flip = (label: string) => {
    const next = new Set(off);
    if (!next.delete(label)) next.add(label);
    setOff(next);
  };
  return (
    <>
      <Legend l={l} at={at ?? l.last} hovered={at !== null} unit={p.a.unit} off={off} flip={flip} />
      {blank && <p class="empty">No bucket holds enough rows for these percentiles: the n of {count(p.a.meta.n)} is spread too thin. Choose wider buckets or a longer range.</p>}
      <div class={blank ? "plot gone" : "plot"} ref={main} role="img" aria-label={sentence(p.a)} />
      <div class="plot" ref={rows} role="img" aria-label={`Rows in each bucket: ${count(p.a.meta.n)} in all`} />
      <p class="soft under">Drag to zoom. Bars: rows in each bucket{l.failures.some((f) => f) ? ", failures on top in red" : ""}. {l.openFrom !== null && "Hatched and dotted: not over yet. "}Gaps: too few rows.{l.hidden > 0 && ` ${count(l.hidden)} more groups are in the table only.`}</p>
    </>
  );
}

function Legend(p: { l: Lines; at: number | null; hovered: boolean; unit: string; off: ReadonlySet<string>; flip: (label: string) => void }) {
  const { l, at } = p;
  const fine = l.at.length > 1 && l.at[1]! - l.at[0]! < 60;
  const full = at === null ? "" : when(new Date(l.at[at]! * 1000).toISOString(), utc.value);
  const moment = fine ? full : full.replace(/:\d\d( UTC)?$/, "$1");
  const open = at !== null && l.openFrom !== null && at >= l.openFrom;
  return (
    <div class="legend">
      <span class="at">{moment || "–"} <span class="soft">{open ? "not over yet" : p.hovered ? "" : at === null ? "no finished bucket" : "last finished bucket"}</span></span>
      {l.lines.map((line) => {
        const text = `${line.label} ${at === null ? "–" : quantity(valueAt(line, at), p.unit)}`;
        return (
          <button key={line.label} class="quiet" aria-pressed={!p.off.has(line.label)} title={`${line.label}: show or hide`} onClick={() => p.flip(line.label)} data-legend={text} data-tone={line.tone}>
            <svg class={`swatch t-${line.tone}`} viewBox="0 0 22 8" aria-hidden="true"><line x1="0" x2="22" y1="4" y2="4" stroke-dasharray={line.dash.join(" ")} /></svg>{line.label} <strong>{at === null ? "–" : quantity(valueAt(line, at), p.unit)}</strong>
          </button>
        );
      })}
      <span class="soft">n {at === null ? "–" : count(l.n[at])}{at !== null && (l.failures[at] ?? 0) > 0 ? `, ${count(l.failures[at])} failed` : ""}</span>
    </div>
  );
}

function Table(p: { a: Latency }) {
  const grouped = p.a.series.some((s) => Object.keys(s.key).length > 0);
  return (
    <div class="scroll tall" tabIndex={0} role="region" aria-label="Percentiles as a table"><table>
      <thead><tr><th scope="col">Bucket</th>{grouped && <th scope="col">Group</th>}<th scope="col" class="num">n</th><th scope="col" class="num">Censored</th><th scope="col" class="num">Failed</th>{p.a.quantiles.map((q) => <th key={q} scope="col" class="num">{quantile(q)}, {p.a.unit}</th>)}</tr></thead>
      <tbody>{p.a.series.flatMap((s) => s.points.map((pt) => (
        <tr key={pt.at + JSON.stringify(s.key)}>
          <td>{when(pt.at, utc.value)}{pt.open && " (not over yet)"}</td>{grouped && <td>{Object.values(s.key).map(name).join(" · ")}</td>}
          <td class="num">{count(pt.n)}</td><td class="num">{count(pt.censored)}</td><td class="num">{count(pt.failures)}</td>
          {pt.values.map((v, i) => <td key={i} class={v === null ? "num grey" : "num"} title={pt.below_min_n[i] ? "n is below this percentile's minimum" : undefined}>{v === null && pt.below_min_n[i] ? "n too small" : reached(v, pt.at_least[i], p.a.unit)}</td>)}
        </tr>)))}
      </tbody>
    </table></div>
  );
}
