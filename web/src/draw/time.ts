import uPlot from "uplot";
import type { Lines } from "../prepare/lines";
import { quantity } from "../prepare/format";

/** colour reads a theme colour from the document. */
export function colour(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
}

export interface TimeOptions {
  width: number; height: number; unit: string; utc: boolean; log: boolean;
  onZoom: (from: number, to: number) => void;
}

/** timeChart draws lines over time into a host; dragging zooms. The caller destroys it. */
export function timeChart(host: HTMLElement, l: Lines, o: TimeOptions): uPlot {
  const axis = { stroke: colour("soft"), grid: { stroke: colour("grid"), width: 1 }, ticks: { stroke: colour("grid") } };
  return new uPlot({
    width: o.width, height: o.height,
    ...(o.utc ? { tzDate: (ts: number) => uPlot.tzDate(new Date(ts * 1e3), "Etc/UTC") } : {}),
    cursor: { drag: { x: true, y: false, setScale: false }, sync: { key: "time" } },
    scales: { y: { distr: o.log ? 3 : 1, ...(o.log ? {} : { range: (_u: uPlot, _lo: number, hi: number) => [0, hi * 1.08 || 1] as [number, number] }) } },
    axes: [axis, { ...axis, size: 64, values: (_u, ticks) => ticks.map((v) => (v === null ? "" : quantity(v, o.unit))) }],
    series: [
      { label: o.utc ? "Time (UTC)" : "Time (local)" },
      ...l.lines.map((line) => ({
        label: line.label, stroke: colour(line.tone), width: 2, spanGaps: false,
        points: { show: l.at.length < 60, size: 5 },
        value: (_u: uPlot, v: number | null, _s: number, i: number | null) =>
          i === null || i === undefined ? "–" : `${quantity(v, o.unit)} (n ${line.n[i] ?? 0})`,
      })),
    ],
    hooks: {
      draw: [(u) => shadeOpen(u, l)],
      setSelect: [(u) => {
        if (u.select.width < 4) return;
        o.onZoom(u.posToVal(u.select.left, "x"), u.posToVal(u.select.left + u.select.width, "x"));
        u.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
      }],
    },
  }, [l.at, ...l.lines.map((line) => line.values)], host);
}

/** shadeOpen hatches the buckets that are not over yet. */
function shadeOpen(u: uPlot, l: Lines): void {
  if (l.openFrom === null) return;
  const x = u.valToPos(l.at[l.openFrom]!, "x", true);
  const { left, top, width, height } = u.bbox;
  const from = Math.max(left, l.openFrom > 0 ? (x + u.valToPos(l.at[l.openFrom - 1]!, "x", true)) / 2 : x);
  const { ctx } = u;
  ctx.save();
  ctx.beginPath();
  ctx.rect(from, top, left + width - from, height);
  ctx.clip();
  ctx.strokeStyle = colour("hatch");
  ctx.setLineDash([2, 6]);
  for (let d = from - height; d < left + width; d += 10 * devicePixelRatio) {
    ctx.beginPath();
    ctx.moveTo(d, top + height);
    ctx.lineTo(d + height, top);
    ctx.stroke();
  }
  ctx.restore();
}
