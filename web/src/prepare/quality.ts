import type { GatewayFreshness, SourceQuality } from "../api/types";

/** Coverage is one field's recorded share in each source, in the order of the sources. */
export interface Coverage { field: string; shares: number[] }

/** coverage turns the sources' answers into rows by field, best recorded first; fields that no source records come apart. */
export function coverage(sources: SourceQuality[]): { rows: Coverage[]; never: string[] } {
  const fields = [...new Set(sources.flatMap((s) => Object.keys(s.coverage)))].sort();
  const all = fields.map((field) => ({ field, shares: sources.map((s) => s.coverage[field] ?? 0) }));
  const best = (c: Coverage) => Math.max(...c.shares);
  return {
    rows: all.filter((c) => best(c) > 0).sort((a, b) => best(b) - best(a) || a.field.localeCompare(b.field)),
    never: all.filter((c) => best(c) === 0).map((c) => c.field),
  };
}

/** silent says whether a gateway is quiet in a way that its neighbours are not: ten times the median age, and over five minutes. */
export function silent(g: GatewayFreshness, all: GatewayFreshness[]): boolean {
  const ages = all.filter((o) => o.source === g.source).map((o) => o.freshness_s).sort((a, b) => a - b);
  const median = ages[Math.floor((ages.length - 1) / 2)]!;
  return ages.length > 1 && g.freshness_s > 300 && g.freshness_s > 10 * median;
}

/** reasons lists counts by name, largest first, without zeros. */
export function reasons(m: Record<string, number>): [string, number][] {
  return Object.entries(m).filter(([, n]) => n > 0).sort((a, b) => b[1] - a[1] || a[0].localeCompare(b[0]));
}
