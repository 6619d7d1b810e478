import type { Field } from "../api/types";

/** Hit is one thing that the search box can do. */
export interface Hit { label: string; hint: string; act: Act }

/** Act says what choosing a hit does; complete puts text into the box. */
export type Act =
  | { kind: "page"; page: string } | { kind: "range"; from: string } | { kind: "open"; id: string }
  | { kind: "filter"; dimension: string; not: boolean; value: string } | { kind: "complete"; text: string };

/** Half is a filter that is being typed: its dimension and the beginning of the value. */
export interface Half { dimension: string; not: boolean; prefix: string }

/** half reads "dimension=beginning" where the dimension is known. */
export function half(text: string, fields: Field[]): Half | null {
  const m = /^\s*([a-z_]+)\s*(!?=)\s*(.*)$/s.exec(text);
  if (!m) return null;
  const f = fields.find((d) => d.kind === "dimension" && (d.name === m[1] || d.aliases.includes(m[1]!)));
  return f ? { dimension: f.name, not: m[2] === "!=", prefix: m[3]!.trimEnd() } : null;
}

const fixed: Hit[] = [
  { label: "Overview", hint: "page", act: { kind: "page", page: "/" } }, { label: "Hedge", hint: "page", act: { kind: "page", page: "/hedge" } },
  { label: "Requests", hint: "page", act: { kind: "page", page: "/requests" } }, { label: "Data quality", hint: "page", act: { kind: "page", page: "/quality" } },
  { label: "Last hour", hint: "range", act: { kind: "range", from: "now-1h" } }, { label: "Last 24 hours", hint: "range", act: { kind: "range", from: "now-24h" } },
  { label: "Last 7 days", hint: "range", act: { kind: "range", from: "now-7d" } },
];

/** hits lists what a text may mean: values of a half-typed filter, else dimensions, pages, ranges, and at last a request id. */
export function hits(text: string, fields: Field[], values: (string | null)[]): Hit[] {
  const h = half(text, fields);
  if (h) {
    const sign = h.not ? "is not" : "is";
    const known: Hit[] = values.map((v) => ({ label: `${h.dimension} ${sign} ${v ?? "(not recorded)"}`, hint: "filter", act: { kind: "filter", dimension: h.dimension, not: h.not, value: v ?? "(missing)" } }));
    const typed = h.prefix && !values.includes(h.prefix);
    return typed ? [...known, { label: `${h.dimension} ${sign} ${h.prefix}`, hint: "filter, as typed", act: { kind: "filter", dimension: h.dimension, not: h.not, value: h.prefix } }] : known;
  }
  const needle = text.trim().toLowerCase();
  const out = fixed.filter((f) => f.label.toLowerCase().includes(needle));
  for (const f of fields) {
    if (f.kind === "dimension" && (f.name.includes(needle) || f.title.toLowerCase().includes(needle))) out.push({ label: `${f.name}=`, hint: `filter by ${f.title.toLowerCase()}`, act: { kind: "complete", text: `${f.name}=` } });
  }
  if (/^\S{6,}$/.test(text.trim())) out.push({ label: text.trim(), hint: "open this request id", act: { kind: "open", id: text.trim() } });
  return out;
}
