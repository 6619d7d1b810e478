/** colour reads a theme colour from the document. */
export function colour(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
}

/** pencil sizes a canvas in CSS pixels and returns its context, sharp on every screen. */
export function pencil(canvas: HTMLCanvasElement, width: number, height: number): CanvasRenderingContext2D {
  const r = devicePixelRatio;
  canvas.width = Math.round(width * r);
  canvas.height = Math.round(height * r);
  canvas.style.width = `${width}px`;
  canvas.style.height = `${height}px`;
  const ctx = canvas.getContext("2d")!;
  ctx.scale(r, r);
  ctx.font = "12px system-ui, sans-serif";
  return ctx;
}

/** stroke draws one straight line. */
export function stroke(ctx: CanvasRenderingContext2D, x1: number, y1: number, x2: number, y2: number): void {
  ctx.beginPath();
  ctx.moveTo(x1, y1);
  ctx.lineTo(x2, y2);
  ctx.stroke();
}
