import type { Fields } from "../api/types";
import { set } from "../state/store";

/** MetricPicker chooses the measure of a page. */
export function MetricPicker(p: { fields: Fields | null; value: string; firstTokenOnly?: boolean }) {
  const measures = (p.fields?.fields ?? []).filter((f) => f.kind === "measure" && (!p.firstTokenOnly || f.first_token));
  return (
    <select aria-label="Metric" value={p.value} onChange={(e) => set({ metric: e.currentTarget.value, page: null })}>
      {measures.every((f) => f.name !== p.value) && <option value={p.value}>{p.value || "Metric"}</option>}
      {measures.map((f) => <option key={f.name} value={f.name} title={f.doc}>{f.title}{f.start && f.start !== f.end ? ` (${f.start} → ${f.end})` : ""}</option>)}
    </select>
  );
}

/** SplitPicker chooses the dimension whose values become lines. */
export function SplitPicker(p: { fields: Fields | null; value: string }) {
  const dims = (p.fields?.fields ?? []).filter((f) => f.kind === "dimension" && f.type !== "strings");
  return (
    <select aria-label="Split by" value={p.value} onChange={(e) => set({ split: e.currentTarget.value || null })}>
      <option value="">Not split</option>
      {dims.map((f) => <option key={f.name} value={f.name}>by {f.title}</option>)}
    </select>
  );
}
