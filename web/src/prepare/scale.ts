// Scales of the canvas drawings: pure, so that dragging can be tested.

export interface LogScale { lo: number; hi: number; from: number; to: number }

/** toPixel places a value on a logarithmic scale. */
export function toPixel(s: LogScale, v: number): number {
  return s.from + ((Math.log(v) - Math.log(s.lo)) / (Math.log(s.hi) - Math.log(s.lo))) * (s.to - s.from);
}

/** toValue is the inverse of toPixel, kept inside the scale. */
export function toValue(s: LogScale, px: number): number {
  const t = Math.min(1, Math.max(0, (px - s.from) / (s.to - s.from)));
  return Math.exp(Math.log(s.lo) + t * (Math.log(s.hi) - Math.log(s.lo)));
}

/** ticks are the round values 1, 2 and 5 times powers of ten inside a scale. */
export function ticks(s: LogScale): number[] {
  const out: number[] = [];
  for (let e = Math.floor(Math.log10(s.lo)); e <= Math.ceil(Math.log10(s.hi)); e++) {
    for (const m of [1, 2, 5]) {
      const v = m * 10 ** e;
      if (v >= s.lo * 0.999 && v <= s.hi * 1.001) out.push(v);
    }
  }
  return out;
}
