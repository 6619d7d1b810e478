import type { CurvePoint } from "../api/types";
import { quantity, share } from "../prepare/format";
import { bounds } from "../prepare/hedge";
import { ticks, toPixel, type LogScale } from "../prepare/scale";
import { colour } from "./time";

const pad = { left: 58, right: 14, top: 14, bottom: 34 };

/** xScale is the delay axis of the exceedance drawing, in CSS pixels. */
export function xScale(curve: CurvePoint[], width: number): LogScale | null {
  const b = bounds(curve);
  if (!b) return null;
  const [lo, hi] = b[0] === b[1] ? [b[0] * 0.9, b[1] * 1.1] : b;
  return { lo, hi, from: pad.left, to: width - pad.right };
}

interface Marks { at: number; advised: number | null; low: number | null; high: number | null; configured: number | null }

/** exceedance draws P(wait > d) log–log with the advised delay, its interval and the chosen one. */
export function exceedance(canvas: HTMLCanvasElement, curve: CurvePoint[], m: Marks, width: number, height: number): void {
  const x = xScale(curve, width);
  if (!x) return;
  const shares = curve.map((p) => p.trigger_ratio).filter((r) => r > 0);
  const y: LogScale = { lo: Math.min(0.01, ...shares), hi: 1, from: height - pad.bottom, to: pad.top };
  const ctx = prepare(canvas, width, height);
  grid(ctx, x, y, width, height);
  if (m.low !== null && m.high !== null) band(ctx, x, m.low, m.high, height);
  ctx.strokeStyle = colour("p50");
  ctx.lineWidth = 2;
  ctx.beginPath();
  let started = false;
  for (const p of curve) {
    if (p.trigger_ratio <= 0) continue;
    const at: [number, number] = [toPixel(x, p.hedge_after_ms), toPixel(y, p.trigger_ratio)];
    if (started) ctx.lineTo(...at); else ctx.moveTo(...at);
    started = true;
  }
  ctx.stroke();
  if (m.configured !== null) mark(ctx, x, m.configured, height, "soft", [2, 3], "configured");
  if (m.advised !== null) mark(ctx, x, m.advised, height, "accent", [6, 4], "advised");
  mark(ctx, x, m.at, height, "p99", [], quantity(m.at, "ms"));
}

function prepare(canvas: HTMLCanvasElement, width: number, height: number): CanvasRenderingContext2D {
  const r = devicePixelRatio;
  canvas.width = width * r;
  canvas.height = height * r;
  canvas.style.width = `${width}px`;
  canvas.style.height = `${height}px`;
  const ctx = canvas.getContext("2d")!;
  ctx.scale(r, r);
  ctx.font = "12px system-ui, sans-serif";
  return ctx;
}

function grid(ctx: CanvasRenderingContext2D, x: LogScale, y: LogScale, width: number, height: number): void {
  ctx.strokeStyle = colour("grid");
  ctx.fillStyle = colour("soft");
  ctx.lineWidth = 1;
  ctx.textAlign = "center";
  let last = -Infinity;
  for (const t of ticks(x)) {
    const px = Math.round(toPixel(x, t)) + 0.5;
    line(ctx, px, pad.top, px, height - pad.bottom);
    if (px - last > 54) { ctx.fillText(quantity(t, "ms"), px, height - pad.bottom + 16); last = px; }
  }
  ctx.textAlign = "right";
  for (const t of ticks(y)) {
    const py = Math.round(toPixel(y, t)) + 0.5;
    line(ctx, pad.left, py, width - pad.right, py);
    ctx.fillText(share(t), pad.left - 6, py + 4);
  }
}

function line(ctx: CanvasRenderingContext2D, x1: number, y1: number, x2: number, y2: number): void {
  ctx.beginPath();
  ctx.moveTo(x1, y1);
  ctx.lineTo(x2, y2);
  ctx.stroke();
}

function band(ctx: CanvasRenderingContext2D, x: LogScale, low: number, high: number, height: number): void {
  const a = Math.max(x.from, toPixel(x, Math.max(low, x.lo))), b = Math.min(x.to, toPixel(x, Math.min(high, x.hi)));
  ctx.fillStyle = colour("accent-soft");
  ctx.fillRect(a, pad.top, Math.max(1, b - a), height - pad.top - pad.bottom);
}

function mark(ctx: CanvasRenderingContext2D, x: LogScale, ms: number, height: number, tone: string, dash: number[], label: string): void {
  if (ms < x.lo || ms > x.hi) return;
  const px = toPixel(x, ms);
  ctx.save();
  ctx.strokeStyle = colour(tone);
  ctx.fillStyle = colour(tone);
  ctx.lineWidth = dash.length === 0 ? 2 : 1.5;
  ctx.setLineDash(dash);
  line(ctx, px, pad.top, px, height - pad.bottom);
  ctx.textAlign = px > (x.from + x.to) / 2 ? "right" : "left";
  ctx.fillText(label, px + (ctx.textAlign === "right" ? -6 : 6), dash.length === 0 ? pad.top + 26 : pad.top + 11);
  ctx.restore();
}
