// The width of time buckets. Percentiles need rows, so quiet streams need
// wider buckets than the API's default of about 240 over the window.

/** steps are the widths offered, in seconds, with the API's way to write them. */
export const steps: readonly [number, string][] = [
  [60, "1m"], [300, "5m"], [600, "10m"], [1800, "30m"], [3600, "1h"], [10_800, "3h"], [21_600, "6h"], [86_400, "24h"],
];

/** fewest and fewestGrouped are the smallest numbers of buckets that still show since when: groups have fewer rows each. */
export const fewest = 20, fewestGrouped = 8;

/** pointMinimum is the smallest n for a point of quantile q: the rows expected above it are about 3. */
export function pointMinimum(q: number): number {
  return Math.ceil(Math.log(0.05) / Math.log(q));
}

/**
 * widened returns the step to ask with instead of the one answered: the
 * smallest width whose mean bucket holds twice the rows that quantile q needs,
 * as long as so many buckets remain; null where the answer is good as it is.
 */
export function widened(n: number, seconds: number, step: number, q: number, remain: number): string | null {
  const need = 2 * pointMinimum(q);
  if (n === 0 || seconds <= 0 || (n * step) / seconds >= need) return null;
  let best: [number, string] | null = null;
  for (const s of steps) {
    if (s[0] <= step || seconds / s[0] < remain) continue;
    best = s;
    if ((n * s[0]) / seconds >= need) break;
  }
  return best ? best[1] : null;
}
