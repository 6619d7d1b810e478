// Numbers and times as people read them. Missing is "–", never 0.

export const missing = "–";

/** number writes a value with about three significant digits. */
export function number(v: number | null | undefined): string {
  if (v === null || v === undefined) return missing;
  const a = Math.abs(v);
  if (a >= 1e6) return `${trim((v / 1e6).toPrecision(3))} M`;
  if (a >= 1e4) return Math.round(v).toLocaleString("en-US").replace(/,/g, " ");
  if (a >= 100 || Number.isInteger(v)) return String(Math.round(v));
  return trim(v.toPrecision(3));
}

/** count writes a whole number with thin spaces between thousands. */
export function count(v: number | null | undefined): string {
  return v === null || v === undefined ? missing : Math.round(v).toLocaleString("en-US").replace(/,/g, " ");
}

/** quantity writes a value with its unit; long times in seconds. */
export function quantity(v: number | null | undefined, unit: string): string {
  if (v === null || v === undefined) return missing;
  if (unit === "ms") return Math.abs(v) >= 10_000 ? `${trim((v / 1000).toPrecision(3))} s` : `${number(v)} ms`;
  return unit ? `${number(v)} ${unit}` : number(v);
}

/** share writes 0..1 as a percentage. */
export function share(v: number | null | undefined): string {
  if (v === null || v === undefined) return missing;
  const p = v * 100;
  if (p === 0) return "0 %";
  return `${p < 0.1 ? "<0.1" : trim(p.toFixed(p < 10 ? 2 : 1))} %`;
}

/** change writes the relative difference, and nothing where one side is missing. */
export function change(now: number | null, before: number | null): string {
  if (now === null || before === null || before === 0) return "";
  const p = (now / before - 1) * 100;
  return `${p >= 0 ? "+" : "−"}${Math.abs(p) < 10 ? Math.abs(p).toFixed(1) : Math.abs(p).toFixed(0)} %`;
}

/** quantile writes 0.95 as p95. */
export function quantile(q: number): string {
  return `p${trim((q * 100).toFixed(2))}`;
}

/** ago writes an age in seconds. */
export function ago(seconds: number | null): string {
  if (seconds === null) return missing;
  const s = Math.max(0, seconds);
  if (s < 90) return `${Math.round(s)} s`;
  if (s < 5400) return `${Math.round(s / 60)} min`;
  if (s < 172_800) return `${Math.round(s / 3600)} h`;
  return `${Math.round(s / 86_400)} d`;
}

/** when writes an instant in UTC or local time, to the second. */
export function when(iso: string, utc: boolean): string {
  const d = new Date(iso);
  const pad = (n: number, w = 2) => String(n).padStart(w, "0");
  return utc
    ? `${d.getUTCFullYear()}-${pad(d.getUTCMonth() + 1)}-${pad(d.getUTCDate())} ${pad(d.getUTCHours())}:${pad(d.getUTCMinutes())}:${pad(d.getUTCSeconds())} UTC`
    : `${d.getFullYear()}-${pad(d.getMonth() + 1)}-${pad(d.getDate())} ${pad(d.getHours())}:${pad(d.getMinutes())}:${pad(d.getSeconds())}`;
}

/** name writes a dimension value; null says that it was not recorded. */
export function name(v: string | null | undefined): string {
  return v === null || v === undefined || v === "" ? "(not recorded)" : v;
}

function trim(s: string): string {
  return s.includes(".") ? s.replace(/\.?0+$/, "") : s;
}
