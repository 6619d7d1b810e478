// A place is what the address bar says: a page and parameters that are equal
// to the API's. Everything here is pure.

export interface Place { page: string; params: URLSearchParams }

/** Range is a window as written: from inclusive, to exclusive. */
export interface Range { from: string; to: string }

export const pages = ["/", "/hedge", "/requests", "/quality"] as const;

/** defaultRange is what a page shows without from and to: advice stands on whole days, as the API's does. */
export function defaultRange(page: string): Range {
  return page === "/hedge" ? { from: "now-7d/d", to: "now/d" } : { from: "now-24h", to: "now" };
}

/** own are the parameters that pages read; any other is a filter on a dimension of that name, as in the API. */
const own = new Set(["from", "to", "where", "metric", "q", "by", "split", "step", "scale", "sort", "limit", "page", "open", "key", "d", "verdict", "find", "rule", "pooled", "refresh"]);

/**
 * parse reads a path with its query; an unknown path stays what it is, for the
 * page that says so. What the API would take is taken: a dimension's own name is a filter, and hedge_after
 * the delay. Nothing is passed over: a filter that the server doesn't know is
 * refused by it, in words.
 */
export function parse(path: string, search: string): Place {
  const params = new URLSearchParams();
  for (const [name, value] of new URLSearchParams(search)) {
    const delay = name === "hedge_after" ? /^(\d+(?:\.\d+)?)(ms|s)$/.exec(value) : null;
    if (delay) params.set("d", String(Number(delay[1]) * (delay[2] === "s" ? 1000 : 1)));
    else if (own.has(name)) params.append(name, value);
    else params.append("where", `${name}=${value}`);
  }
  return { page: path, params };
}

/** format is the inverse of parse, with readable filters. */
export function format(place: Place): string {
  const query = place.params.toString().replace(/%3D/g, "=").replace(/%21/g, "!").replace(/%2C/g, ",").replace(/%3A/g, ":").replace(/%2F/g, "/");
  return query ? `${place.page}?${query}` : place.page;
}

/** A change to parameters: null removes, an array repeats. */
export type Patch = Record<string, string | string[] | null>;

/** known says whether a path is one of the pages. */
export function known(page: string): boolean {
  return (pages as readonly string[]).includes(page);
}

/** crossing are the parameters that don't go along from one page to another: what is open, a page token, and a grouping that the other page reads otherwise. */
export function crossing(from: string, to: string): Patch {
  return { open: null, page: null, ...((from === "/hedge") === (to === "/hedge") ? {} : { by: null }) };
}

/** patched returns the parameters with a change applied, in a stable order. */
export function patched(params: URLSearchParams, patch: Patch): URLSearchParams {
  const next = new URLSearchParams(params);
  for (const [name, value] of Object.entries(patch)) {
    next.delete(name);
    if (value === null) continue;
    for (const v of Array.isArray(value) ? value : [value]) next.append(name, v);
  }
  return next;
}

/** range returns the window as written, with the page's default. */
export function range(place: Place): Range {
  const d = defaultRange(place.page);
  const from = place.params.get("from"), to = place.params.get("to");
  return from === null && to === null ? d : { from: from ?? "now-24h", to: to ?? "now" };
}

/** scope returns the parameters that every question of the page shares. */
export function scope(place: Place): URLSearchParams {
  const out = new URLSearchParams({ ...range(place) });
  for (const w of place.params.getAll("where")) out.append("where", w);
  return out;
}

/** wider returns the window twice as long: relative ones stay relative; others grow on both sides, not beyond now. */
export function wider(r: Range, resolved: Range | null, now: number): Range | null {
  const m = /^now-(\d+)([smhdw])(\/d)?$/.exec(r.from);
  if (m && (r.to === "now" || r.to === "now/d")) return { from: `now-${Number(m[1]) * 2}${m[2]}${m[3] ?? ""}`, to: r.to };
  if (!resolved) return null;
  const from = Date.parse(resolved.from), to = Date.parse(resolved.to);
  const half = (to - from) / 2;
  return { from: new Date(from - half).toISOString(), to: new Date(Math.min(Math.max(now, to), to + half)).toISOString() };
}

export interface Filter { dimension: string; not: boolean; value: string }

/** filters reads the where parameters. */
export function filters(params: URLSearchParams): Filter[] {
  return params.getAll("where").flatMap((w) => {
    const m = /^([a-z_]+)(!?=)(.*)$/s.exec(w);
    return m ? [{ dimension: m[1]!, not: m[2] === "!=", value: m[3]! }] : [];
  });
}

/** where writes one filter. */
export function where(f: Filter): string {
  return `${f.dimension}${f.not ? "!=" : "="}${f.value}`;
}

/** withFilter adds a filter; the opposite one on the same value goes, and a page token, which belongs to the old question. */
export function withFilter(params: URLSearchParams, f: Filter): URLSearchParams {
  const kept = filters(params).filter((g) => !(g.dimension === f.dimension && g.value === f.value));
  return patched(params, { where: [...kept, f].map(where), page: null });
}

/** withoutFilter removes a filter. */
export function withoutFilter(params: URLSearchParams, f: Filter): URLSearchParams {
  const kept = filters(params).filter((g) => where(g) !== where(f));
  return patched(params, { where: kept.map(where), page: null });
}

/** withOnly makes a value the only filter of its dimension; null removes them all. */
export function withOnly(params: URLSearchParams, dimension: string, value: string | null): URLSearchParams {
  const kept = filters(params).filter((g) => g.dimension !== dimension);
  return patched(params, { where: [...kept, ...(value === null ? [] : [{ dimension, not: false, value }])].map(where), page: null });
}

/** only is the value that filters select of a dimension; null where they select none or several. */
export function only(params: URLSearchParams, dimension: string): string | null {
  const mine = filters(params).filter((g) => g.dimension === dimension);
  return mine.length === 1 && !mine[0]!.not ? mine[0]!.value : null;
}
