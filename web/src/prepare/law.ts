// Laws of the wait as a simulation's curve gives them: how many requests are
// still without a first token after a time, without and with a backup.

import type { CurvePoint } from "../api/types";

/** Survivors is the share of requests that wait longer than a time, 0 to 1. */
export type Survivors = (ms: number) => number;

/** survivors reads the curve, linear on log–log paper between its points, a step where it falls to zero. */
export function survivors(curve: CurvePoint[]): Survivors {
  const x = curve.map((p) => Math.log(p.hedge_after_ms)), s = curve.map((p) => p.trigger_ratio);
  return (ms) => {
    if (x.length === 0 || ms <= 0) return 1;
    const at = Math.log(ms);
    let lo = -1, hi = x.length;
    while (hi - lo > 1) {
      const mid = (lo + hi) >> 1;
      if (x[mid]! <= at) lo = mid; else hi = mid;
    }
    if (lo < 0) return 1;
    if (hi === x.length) return s[lo]!;
    const a = s[lo]!, b = s[hi]!;
    return b <= 0 || a <= 0 ? a : Math.exp(Math.log(a) + ((at - x[lo]!) / (x[hi]! - x[lo]!)) * Math.log(b / a));
  };
}

/**
 * hedged is the law with a backup of the same law sent after d (hedge.md,
 * Mathematics): up to d nothing changes, beyond it both must still wait. rho
 * is the correlation of a Gaussian copula; 0 is an independent backup.
 */
export function hedged(s: Survivors, d: number, rho: number): Survivors {
  return (ms) => (ms < d ? s(ms) : both(s(ms), s(ms - d), rho));
}

/** both is P(X and Y exceed) of two shares under a Gaussian copula. */
export function both(a: number, b: number, rho: number): number {
  if (rho === 0 || a <= 0 || b <= 0 || a >= 1 || b >= 1) return a * b;
  const h = probit(1 - a), k = probit(1 - b), steps = 40, end = Math.asin(Math.min(0.9999, rho));
  const density = (t: number) => Math.exp(-(h * h + k * k - 2 * h * k * Math.sin(t)) / (2 * Math.cos(t) ** 2));
  let sum = density(0) + density(end); // Simpson's rule over the angle of the correlation
  for (let i = 1; i < steps; i++) sum += density((end * i) / steps) * (i % 2 ? 4 : 2);
  return Math.min(a, b, a * b + (sum * end) / steps / 3 / (2 * Math.PI));
}

/** probit is the normal quantile of 0 < p < 1 to about 1e-9 (Acklam's rational approximation). */
export function probit(p: number): number {
  const low = 0.02425;
  if (p > 1 - low) return -probit(1 - p);
  if (p < low) {
    const q = Math.sqrt(-2 * Math.log(p));
    return ratio(q, [-0.007784894002430293, -0.3223964580411365, -2.400758277161838, -2.549732539343734, 4.374664141464968, 2.938163982698783],
      [0.007784695709041462, 0.3224671290700398, 2.445134137142996, 3.754408661907416, 1]);
  }
  const q = p - 0.5, r = q * q;
  return q * ratio(r, [-39.69683028665376, 220.9460984245205, -275.9285104469687, 138.357751867269, -30.66479806614716, 2.506628277459239],
    [-54.47609879822406, 161.5858368580409, -155.6989798598866, 66.80131188771972, -13.28068155288572, 1]);
}

function ratio(x: number, above: number[], below: number[]): number {
  const value = (c: number[]) => c.reduce((sum, k) => sum * x + k, 0);
  return value(above) / value(below);
}

/** quantileOf is the first time by which a share q has its token, by bisection between lo and hi; null where it is not reached. */
export function quantileOf(s: Survivors, q: number, lo: number, hi: number): number | null {
  if (s(hi) > 1 - q) return null;
  let a = Math.log(lo), b = Math.log(hi);
  for (let i = 0; i < 60; i++) {
    const mid = (a + b) / 2;
    if (s(Math.exp(mid)) > 1 - q) a = mid; else b = mid;
  }
  return Math.exp(b);
}

/** traced is a law as points for drawing: the curve's own times and, beyond d, finer ones where the law bends. */
export function traced(s: Survivors, curve: CurvePoint[], d: number): [number, number][] {
  const own = curve.map((p) => p.hedge_after_ms), last = own[own.length - 1] ?? d, first = own[0] ?? d;
  const bend: number[] = [];
  for (let i = 0; i <= 60; i++) bend.push(d + first * 0.5 * (Math.max(2, (last - d) / (first * 0.5)) ** (i / 60)));
  return [...own, d, ...bend].filter((t) => t <= last).sort((a, b) => a - b).map((t) => [t, s(t)]);
}
