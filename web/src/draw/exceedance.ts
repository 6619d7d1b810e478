import type { CurvePoint } from "../api/types";
import { quantity, share } from "../prepare/format";
import { bounds, nearest } from "../prepare/hedge";
import { hedged, survivors, traced } from "../prepare/law";
import { ticks, toPixel, type LogScale } from "../prepare/scale";
import { colour, pencil, stroke } from "./theme";

const pad = { left: 62, right: 16, top: 20, bottom: 24 };

/** xScale is the delay axis of both drawings, in CSS pixels. */
export function xScale(curve: CurvePoint[], width: number): LogScale | null {
  const b = bounds(curve);
  if (!b) return null;
  const [lo, hi] = b[0] === b[1] ? [b[0] * 0.9, b[1] * 1.1] : b;
  return { lo, hi, from: pad.left, to: width - pad.right };
}

/** Marks are the delays that both drawings show; null ones are not known. */
export interface Marks { at: number; advised: number | null; low: number | null; high: number | null; configured: number | null }

/** exceedance draws P(wait > t) log–log, without a backup and with one sent after the chosen delay, with the advised delay and its interval; rho is the pessimistic case's correlation, null without that case. */
export function exceedance(canvas: HTMLCanvasElement, curve: CurvePoint[], rho: number | null, m: Marks, width: number, height: number): void {
  const x = xScale(curve, width);
  if (!x) return;
  const shares = curve.map((p) => p.trigger_ratio).filter((r) => r > 0);
  const y: LogScale = { lo: Math.min(0.01, ...shares) * 0.9, hi: 1, from: height - pad.bottom, to: pad.top };
  const ctx = pencil(canvas, width, height);
  grid(ctx, x, y, height, width, share);
  band(ctx, x, m, height);
  const s = survivors(curve);
  const after = (r: number): [number, number | null][] => traced(hedged(s, m.at, r), curve, m.at).filter(([t]) => t >= m.at).map(([t, v]) => [t, v >= y.lo ? v : null]);
  path(ctx, curve.map((p) => [p.hedge_after_ms, p.trigger_ratio > 0 ? p.trigger_ratio : null]), x, y, "p50", []);
  path(ctx, after(0), x, y, "good", []);
  if (rho !== null) path(ctx, after(rho), x, y, "p95", [7, 3]);
  marks(ctx, x, m, height, true);
  const at = nearest(curve, m.at);
  if (at && at.trigger_ratio > 0) dot(ctx, toPixel(x, m.at), toPixel(y, at.trigger_ratio), "p99");
}

/** Tail names the percentile that tails draws. */
export type Tail = "p95_ms" | "p99_ms";

/** tails draws a percentile of the wait as a function of the delay, for both computed cases. */
export function tails(canvas: HTMLCanvasElement, curve: CurvePoint[], tail: Tail, before: number | null, m: Marks, width: number, height: number): void {
  const x = xScale(curve, width);
  const all = curve.flatMap((p) => [p.independent[tail], p.pessimistic?.[tail] ?? null]).concat(before).filter((v): v is number => v !== null && v > 0);
  if (!x || all.length === 0) return;
  const y: LogScale = { lo: Math.min(...all) * 0.9, hi: Math.max(...all) * 1.12, from: height - pad.bottom, to: pad.top };
  const ctx = pencil(canvas, width, height);
  grid(ctx, x, y, height, width, (v) => quantity(v, "ms"));
  band(ctx, x, m, height);
  if (before !== null) path(ctx, [[x.lo, before], [x.hi, before]], x, y, "soft", [2, 3]);
  path(ctx, curve.map((p) => [p.hedge_after_ms, p.independent[tail]]), x, y, "good", []);
  path(ctx, curve.map((p) => [p.hedge_after_ms, p.pessimistic?.[tail] ?? null]), x, y, "p95", [7, 3]);
  marks(ctx, x, m, height, false);
}

function grid(ctx: CanvasRenderingContext2D, x: LogScale, y: LogScale, height: number, width: number, write: (v: number) => string): void {
  ctx.strokeStyle = colour("grid");
  ctx.fillStyle = colour("soft");
  ctx.lineWidth = 1;
  ctx.textAlign = "center";
  let last = -Infinity;
  for (const t of ticks(x)) {
    const px = Math.round(toPixel(x, t)) + 0.5;
    stroke(ctx, px, pad.top, px, height - pad.bottom);
    const label = quantity(t, "ms"), half = ctx.measureText(label).width / 2;
    if (px - half < last + 10 || px + half > width) continue;
    ctx.fillText(label, px, height - pad.bottom + 16);
    last = px + half;
  }
  ctx.textAlign = "right";
  last = Infinity;
  for (const t of ticks(y)) {
    const py = Math.round(toPixel(y, t)) + 0.5;
    stroke(ctx, pad.left, py, width - pad.right, py);
    if (last - py < 15) continue;
    ctx.fillText(write(t), pad.left - 6, py + 4);
    last = py;
  }
}

function path(ctx: CanvasRenderingContext2D, points: [number, number | null][], x: LogScale, y: LogScale, tone: string, dash: number[]): void {
  ctx.save();
  ctx.strokeStyle = colour(tone);
  ctx.lineWidth = 2;
  ctx.setLineDash(dash);
  ctx.beginPath();
  let down = false;
  for (const [px, py] of points) {
    if (py === null) { down = false; continue; }
    if (down) ctx.lineTo(toPixel(x, px), toPixel(y, py)); else ctx.moveTo(toPixel(x, px), toPixel(y, py));
    down = true;
  }
  ctx.stroke();
  ctx.restore();
}

function band(ctx: CanvasRenderingContext2D, x: LogScale, m: Marks, height: number): void {
  if (m.low === null || m.high === null) return;
  const a = Math.max(x.from, toPixel(x, Math.max(m.low, x.lo))), b = Math.min(x.to, toPixel(x, Math.min(m.high, x.hi)));
  ctx.fillStyle = colour("accent-soft");
  ctx.fillRect(a, pad.top, Math.max(1, b - a), height - pad.top - pad.bottom);
}

function marks(ctx: CanvasRenderingContext2D, x: LogScale, m: Marks, height: number, labels: boolean): void {
  const moved = m.advised === null || Math.abs(toPixel(x, m.at) - toPixel(x, m.advised)) > 1;
  if (m.configured !== null) mark(ctx, x, m.configured, height, "soft", [2, 3], labels ? "configured" : "", height - pad.bottom - 6);
  if (m.advised !== null && moved) mark(ctx, x, m.advised, height, "accent", [6, 4], labels ? `P90 ${quantity(m.advised, "ms")}` : "", pad.top + 24);
  mark(ctx, x, m.at, height, "p99", [], labels ? `${quantity(m.at, "ms")}${moved ? "" : " = P90"}` : "", pad.top - 6);
}

function mark(ctx: CanvasRenderingContext2D, x: LogScale, ms: number, height: number, tone: string, dash: number[], label: string, at: number): void {
  if (ms < x.lo || ms > x.hi) return;
  const px = toPixel(x, ms);
  ctx.save();
  ctx.strokeStyle = colour(tone);
  ctx.fillStyle = colour(tone);
  ctx.lineWidth = dash.length === 0 ? 2 : 1.5;
  ctx.setLineDash(dash);
  stroke(ctx, px, pad.top, px, height - pad.bottom);
  ctx.textAlign = px > (x.from + x.to) / 2 ? "right" : "left";
  ctx.font = "600 12px system-ui, sans-serif";
  ctx.fillText(label, px + (ctx.textAlign === "right" ? -5 : 5), at);
  ctx.restore();
}

function dot(ctx: CanvasRenderingContext2D, x: number, y: number, tone: string): void {
  ctx.fillStyle = colour(tone);
  ctx.strokeStyle = colour("card");
  ctx.lineWidth = 2;
  ctx.beginPath();
  ctx.arc(x, y, 6, 0, 2 * Math.PI);
  ctx.fill();
  ctx.stroke();
}
