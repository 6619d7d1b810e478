import type { Meta } from "../api/types";
import { cost, provenance } from "../prepare/meta";
import { notice } from "../state/store";
import { colour } from "./theme";

/**
 * savePNG downloads the drawings of a panel as one picture that says what it
 * shows: title, span, window, legend, n and the sample's notice.
 */
export async function savePNG(box: HTMLElement, title: string, sub: string, meta: Meta, file: string): Promise<void> {
  const r = devicePixelRatio;
  const drawings = [...box.querySelectorAll("canvas")];
  const labels = [...box.querySelectorAll<HTMLElement>("[data-legend]")].map((e) => ({ text: e.dataset.legend!, tone: e.dataset.tone! }))
    .filter((l, i, all) => all.findIndex((m) => m.text === l.text) === i);
  const width = Math.max(640, ...drawings.map((c) => c.width / r)) + 32;
  const foot = [`${meta.from} to ${meta.to}`, provenance(meta).join("   "), cost(meta), ...(notice.value ? [notice.value] : [])];
  const lines = foot.flatMap((f) => wrapped(f, Math.floor(width / 6.6)));
  const height = 74 + (labels.length > 0 ? 22 : 0) + drawings.reduce((h, c) => h + c.height / r, 0) + 16 + lines.length * 16;
  const out = document.createElement("canvas");
  out.width = width * r;
  out.height = height * r;
  const ctx = out.getContext("2d")!;
  ctx.scale(r, r);
  ctx.fillStyle = colour("card");
  ctx.fillRect(0, 0, width, height);
  let y = text(ctx, title, 16, 28, "600 16px system-ui, sans-serif", "text");
  y = text(ctx, sub, 16, y + 20, "13px system-ui, sans-serif", "soft") + 14;
  let x = 16;
  for (const l of labels) {
    ctx.fillStyle = colour(l.tone);
    ctx.fillRect(x, y, 10, 10);
    text(ctx, l.text, x + 16, y + 10, "13px system-ui, sans-serif", "text");
    x += 34 + ctx.measureText(l.text).width;
  }
  y += labels.length > 0 ? 22 : 0;
  for (const c of drawings) {
    ctx.drawImage(c, 16, y, c.width / r, c.height / r);
    y += c.height / r;
  }
  y += 12;
  for (const l of lines) y = text(ctx, l, 16, y + 4, "12px system-ui, sans-serif", "soft") + 12;
  const blob = await new Promise<Blob | null>((done) => out.toBlob(done, "image/png"));
  if (!blob) return;
  const a = document.createElement("a");
  a.href = URL.createObjectURL(blob);
  a.download = file;
  a.click();
  setTimeout(() => URL.revokeObjectURL(a.href), 60_000);
}

function text(ctx: CanvasRenderingContext2D, s: string, x: number, y: number, font: string, tone: string): number {
  ctx.font = font;
  ctx.fillStyle = colour(tone);
  ctx.fillText(s, x, y);
  return y;
}

function wrapped(s: string, columns: number): string[] {
  const out = [""];
  for (const word of s.split(" ")) {
    const last = out[out.length - 1]!;
    if (last && last.length + word.length >= columns) out.push(word);
    else out[out.length - 1] = last ? `${last} ${word}` : word;
  }
  return out;
}
