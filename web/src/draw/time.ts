import uPlot from "uplot";
import { clock, day, quantity, zone } from "../prepare/format";
import { lonely, type Line, type Lines } from "../prepare/lines";
import { colour } from "./theme";

export interface TimeOptions {
  width: number; height: number; unit: string; utc: boolean; log: boolean;
  /** Labels of lines that are not drawn. */
  off: ReadonlySet<string>;
  onZoom: (from: number, to: number) => void;
  /** The bucket under the pointer, null without one. */
  onHover: (bucket: number | null) => void;
}

const left = 66; // both charts share it, so that their time axes stand under each other

/** timeChart draws lines over time into a host; dragging zooms. The caller destroys it. */
export function timeChart(host: HTMLElement, l: Lines, o: TimeOptions): uPlot {
  const shown = l.lines.filter((line) => !o.off.has(line.label));
  const range = (_u: uPlot, _lo: number, hi: number): [number, number] => [0, hi > 0 ? hi * 1.08 : 1];
  return new uPlot({
    ...frame(o, l, true),
    scales: { x: whole(l), y: o.log ? { distr: 3, log: 10 } : { range } },
    axes: [timeAxis(o), { ...axis(), size: left, values: (_u, ticks) => ticks.map((v) => (v === null ? "" : quantity(v, o.unit))) }],
    series: [{}, ...shown.map((line) => series(line)), ...shown.map((line) => ({ ...series(line), dash: [2, 4], width: 1.5 }))],
  }, [l.at, ...shown.map((line) => positive(line.values, o.log)), ...shown.map((line) => positive(line.open, o.log))], host);
}

/** countChart draws the rows behind each bucket, failures above them, on the same time axis. */
export function countChart(host: HTMLElement, l: Lines, o: TimeOptions): uPlot {
  const bars = uPlot.paths.bars!({ size: [0.8, 120] });
  const look = (tone: string) => ({ stroke: colour(tone), fill: colour(tone), width: 0, paths: bars, points: { show: false } });
  const all = l.n.map((n, i) => (n === null ? null : n + (l.failures[i] ?? 0)));
  return new uPlot({
    ...frame(o, l, false),
    scales: { x: whole(l), y: { range: (_u, _lo, hi) => [0, hi > 0 ? hi * 1.1 : 1] as [number, number] } },
    axes: [{ ...timeAxis(o), show: false }, { ...axis(), size: left, space: 26, values: (_u, ticks) => ticks.map((v) => (v === null || !Number.isInteger(v) ? "" : quantity(v, ""))) }],
    series: [{}, look("p99"), look("bar")],
  }, [l.at, all, l.n], host);
}

/** whole leaves half a bucket on both sides, so that the first and the last one show whole. */
function whole(l: Lines): uPlot.Scale {
  const half = (l.at.length > 1 ? l.at[1]! - l.at[0]! : 60) / 2;
  return { time: true, range: (_u, lo, hi) => [lo - half, hi + half] };
}

function frame(o: TimeOptions, l: Lines, zoom: boolean): Omit<uPlot.Options, "series"> {
  return {
    width: o.width, height: o.height, legend: { show: false }, padding: [8, 12, zoom ? 0 : 6, 0],
    ...(o.utc ? { tzDate: (ts: number) => uPlot.tzDate(new Date(ts * 1e3), "Etc/UTC") } : {}),
    cursor: { drag: { x: true, y: false, setScale: false }, sync: { key: "time" }, points: { show: zoom }, y: false },
    hooks: {
      draw: [(u) => shadeOpen(u, l)],
      setCursor: [(u) => o.onHover(u.cursor.idx ?? null)],
      setSelect: [(u) => {
        if (u.select.width < 4) return;
        o.onZoom(u.posToVal(u.select.left, "x"), u.posToVal(u.select.left + u.select.width, "x"));
        u.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
      }],
    },
  };
}

function series(line: Line): uPlot.Series {
  return {
    stroke: colour(line.tone), width: 2, dash: line.dash, spanGaps: false,
    points: { show: true, size: 5, fill: colour(line.tone), filter: (u, i, show) => (show ? null : lonely(u.data[i] as (number | null)[])) },
  };
}

/** positive leaves out what a logarithmic axis has no place for. */
function positive(values: (number | null)[], log: boolean): (number | null)[] {
  return log ? values.map((v) => (v !== null && v > 0 ? v : null)) : values;
}

function axis(): uPlot.Axis {
  return { stroke: colour("soft"), font: "12px system-ui, sans-serif", grid: { stroke: colour("grid"), width: 1 }, ticks: { stroke: colour("grid"), size: 4 } };
}

function timeAxis(o: TimeOptions): uPlot.Axis {
  return {
    ...axis(), size: 44, space: 64,
    values: (_u, ticks, _axis, _space, step) => ticks.map((t, i) => {
      const d = new Date(t * 1000);
      const date = day(d, o.utc), time = clock(d, o.utc);
      const first = i === 0 || day(new Date(ticks[i - 1]! * 1000), o.utc) !== date;
      if (step >= 86_400) return i === 0 ? `${date.slice(5)}\n${zone(o.utc, d)}` : date.slice(5);
      return `${step < 60 ? time : time.slice(0, 5)}${i === 0 ? `\n${date.slice(5)} ${zone(o.utc, d)}` : first ? `\n${date.slice(5)}` : ""}`;
    }),
  };
}

/** shadeOpen hatches the buckets that are not over yet. */
function shadeOpen(u: uPlot, l: Lines): void {
  if (l.openFrom === null) return;
  const x = u.valToPos(l.at[l.openFrom]!, "x", true);
  const { left: from0, top, width, height } = u.bbox;
  const from = Math.max(from0, l.openFrom > 0 ? (x + u.valToPos(l.at[l.openFrom - 1]!, "x", true)) / 2 : x);
  const { ctx } = u;
  ctx.save();
  ctx.beginPath();
  ctx.rect(from, top, from0 + width - from, height);
  ctx.clip();
  ctx.strokeStyle = colour("hatch");
  ctx.lineWidth = 1;
  for (let d = from - height; d < from0 + width; d += 8 * devicePixelRatio) {
    ctx.beginPath();
    ctx.moveTo(d, top + height);
    ctx.lineTo(d + height, top);
    ctx.stroke();
  }
  ctx.restore();
}
