import type { Held } from "../prepare/walk";
import { extent } from "../prepare/walk";
import { colour, pencil, stroke } from "./theme";

const pad = { left: 62, right: 12, top: 12, bottom: 24 };

/** days draws, for each day, the predicted interval as a bar, the prediction as a line across it, and what happened as a dot; a dot outside is a hollow square. */
export function days(canvas: HTMLCanvasElement, all: Held[], write: (v: number) => string, width: number, height: number): void {
  const ctx = pencil(canvas, width, height);
  const top = extent(all), step = (width - pad.left - pad.right) / Math.max(1, all.length);
  const y = (v: number) => height - pad.bottom - (v / top) * (height - pad.top - pad.bottom);
  scale(ctx, top, y, write, width);
  const every = Math.ceil(44 / step);
  all.forEach((d, i) => {
    const x = pad.left + step * (i + 0.5), half = Math.min(18, step * 0.32);
    if (d.low !== null || d.high !== null) {
      ctx.fillStyle = colour("accent-soft");
      ctx.strokeStyle = colour("accent");
      const from = y(d.high ?? top), to = y(d.low ?? 0);
      ctx.fillRect(x - half, from, half * 2, Math.max(1, to - from));
      ctx.strokeRect(x - half, from, half * 2, Math.max(1, to - from));
    }
    if (d.predicted !== null) {
      ctx.strokeStyle = colour("accent");
      ctx.lineWidth = 2;
      stroke(ctx, x - half, y(d.predicted), x + half, y(d.predicted));
      ctx.lineWidth = 1;
    }
    if (d.realised !== null) mark(ctx, x, y(d.realised), d.out);
    ctx.fillStyle = colour("soft");
    ctx.textAlign = "center";
    if (i % every === 0) ctx.fillText(d.day.slice(5), x, height - pad.bottom + 16);
  });
}

function mark(ctx: CanvasRenderingContext2D, x: number, y: number, out: boolean): void {
  ctx.beginPath();
  if (out) ctx.rect(x - 5, y - 5, 10, 10); else ctx.arc(x, y, 4.5, 0, 2 * Math.PI);
  ctx.fillStyle = out ? colour("card") : colour("text");
  ctx.strokeStyle = out ? colour("p99") : colour("card");
  ctx.lineWidth = out ? 2.5 : 1.5;
  ctx.fill();
  ctx.stroke();
  ctx.lineWidth = 1;
}

function scale(ctx: CanvasRenderingContext2D, top: number, y: (v: number) => number, write: (v: number) => string, width: number): void {
  const raw = top / 4, power = 10 ** Math.floor(Math.log10(raw)), step = [1, 2, 5, 10].map((m) => m * power).find((s) => s >= raw)!;
  ctx.textAlign = "right";
  for (let v = 0; v <= top; v += step) {
    ctx.strokeStyle = colour("grid");
    ctx.lineWidth = 1;
    stroke(ctx, pad.left, Math.round(y(v)) + 0.5, width - pad.right, Math.round(y(v)) + 0.5);
    ctx.fillStyle = colour("soft");
    ctx.fillText(write(v), pad.left - 6, y(v) + 4);
  }
}
