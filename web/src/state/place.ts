// A place is what the address bar says: a page and parameters that are equal
// to the API's. Everything here is pure.

export interface Place { page: string; params: URLSearchParams }

export const pages = ["/", "/hedge", "/requests", "/quality"] as const;

export const defaultRange = { from: "now-24h", to: "now" };

/** parse reads a path with its query; unknown paths are the first page. */
export function parse(path: string, search: string): Place {
  const page = (pages as readonly string[]).includes(path) ? path : "/";
  return { page, params: new URLSearchParams(search) };
}

/** format is the inverse of parse, with readable filters. */
export function format(place: Place): string {
  const query = place.params.toString().replace(/%3D/g, "=").replace(/%21/g, "!").replace(/%2C/g, ",").replace(/%3A/g, ":").replace(/%2F/g, "/");
  return query ? `${place.page}?${query}` : place.page;
}

/** A change to parameters: null removes, an array repeats. */
export type Patch = Record<string, string | string[] | null>;

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

/** range returns the window as written, with the default. */
export function range(params: URLSearchParams): { from: string; to: string } {
  return { from: params.get("from") ?? defaultRange.from, to: params.get("to") ?? defaultRange.to };
}

/** scope returns the parameters that every question shares. */
export function scope(params: URLSearchParams): URLSearchParams {
  const { from, to } = range(params);
  const out = new URLSearchParams({ from, to });
  for (const w of params.getAll("where")) out.append("where", w);
  return out;
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

/** withFilter adds a filter; the opposite one on the same value goes. */
export function withFilter(params: URLSearchParams, f: Filter): URLSearchParams {
  const kept = filters(params).filter((g) => !(g.dimension === f.dimension && g.value === f.value));
  return patched(params, { where: [...kept, f].map(where) });
}

/** withoutFilter removes a filter. */
export function withoutFilter(params: URLSearchParams, f: Filter): URLSearchParams {
  const kept = filters(params).filter((g) => where(g) !== where(f));
  return patched(params, { where: kept.map(where) });
}
