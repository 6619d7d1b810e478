// Numbers and times as people read them. Missing is "–", never 0.

export const missing = "–";

const thin = "\u202f"; // between thousands; does not break
const nbsp = "\u00a0"; // between a number and its unit

/** number writes a value with about three significant digits. */
export function number(v: number | null | undefined): string {
  if (v === null || v === undefined) return missing;
  const a = Math.abs(v);
  if (a >= 1e6) return minus(`${trim((v / 1e6).toPrecision(3))}${nbsp}M`);
  if (a >= 1e4) return count(v);
  if (a >= 100 || Number.isInteger(v)) return minus(String(Math.round(v)));
  return minus(trim(v.toPrecision(3)));
}

/** count writes a whole number with thin spaces between thousands. */
export function count(v: number | null | undefined): string {
  return v === null || v === undefined ? missing : minus(Math.round(v).toLocaleString("en-US").replace(/,/g, thin));
}

/** quantity writes a value with its unit; times from 10 s on in seconds. */
export function quantity(v: number | null | undefined, unit: string): string {
  if (v === null || v === undefined) return missing;
  if (unit === "ms") return Math.abs(v) >= 10_000 ? `${minus(trim((v / 1000).toPrecision(3)))}${nbsp}s` : `${number(v)}${nbsp}ms`;
  return unit ? `${number(v)}${nbsp}${unit}` : number(v);
}

/**
 * reached writes a percentile; one that was not reached, because too many rows
 * ended before, is at least the last time seen.
 */
export function reached(v: number | null | undefined, atLeast: number | null | undefined, unit: string): string {
  return (v === null || v === undefined) && atLeast !== null && atLeast !== undefined ? `≥${nbsp}${quantity(atLeast, unit)}` : quantity(v, unit);
}

/** share writes 0..1 as a percentage. */
export function share(v: number | null | undefined): string {
  if (v === null || v === undefined) return missing;
  const p = v * 100;
  if (p === 0) return `0${nbsp}%`;
  return `${p < 0.1 ? "<0.1" : trim(p.toFixed(p < 10 ? 2 : 1))}${nbsp}%`;
}

/** perTime writes a rate a second in the unit that reads best: a second, a minute, an hour or a day. */
export function perTime(perSecond: number | null | undefined): string {
  if (perSecond === null || perSecond === undefined) return missing;
  for (const [name, seconds] of [["s", 1], ["min", 60], ["h", 3600]] as const) {
    if (perSecond * seconds >= 1) return `${number(perSecond * seconds)}${nbsp}/${nbsp}${name}`;
  }
  return `${number(perSecond * 86_400)}${nbsp}/${nbsp}day`;
}

/** change writes the relative difference, and nothing where one side is missing. */
export function change(now: number | null, before: number | null): string {
  if (now === null || before === null || before === 0) return "";
  const p = (now / before - 1) * 100;
  return `${p >= 0 ? "+" : "−"}${Math.abs(p) < 10 ? Math.abs(p).toFixed(1) : Math.abs(p).toFixed(0)}${nbsp}%`;
}

/** notable is the smallest relative change that the strip colours: smaller ones are mostly chance. */
export const notable = 0.1;

/** tone says how a change reads: worse, better, or near where it is below notable. */
export function tone(now: number | null, before: number | null, higherIsWorse: boolean): "worse" | "better" | "near" {
  if (now === null || before === null || before === 0 || Math.abs(now / before - 1) < notable) return "near";
  return now > before === higherIsWorse ? "worse" : "better";
}

/** quantile writes 0.95 as p95. */
export function quantile(q: number): string {
  return `p${trim((q * 100).toFixed(2))}`;
}

/** ago writes an age or a length in seconds. */
export function ago(seconds: number | null): string {
  if (seconds === null) return missing;
  const s = Math.max(0, seconds);
  if (s < 90) return `${Math.round(s)}${nbsp}s`;
  if (s < 5400) return `${Math.round(s / 60)}${nbsp}min`;
  if (s < 172_800) return `${Math.round(s / 3600)}${nbsp}h`;
  return `${Math.round(s / 86_400)}${nbsp}d`;
}

/** span writes a length in seconds, in the unit that reads best. */
export function span(seconds: number | null | undefined): string {
  if (seconds === null || seconds === undefined) return missing;
  const [unit, size] = Math.abs(seconds) >= 7200 ? ["h", 3600] as const : Math.abs(seconds) >= 120 ? ["min", 60] as const : ["s", 1] as const;
  return `${number(seconds / size)}${nbsp}${unit}`;
}

/** when writes an instant in UTC or local time, to the second. */
export function when(iso: string, utc: boolean): string {
  const d = new Date(iso);
  return `${day(d, utc)} ${clock(d, utc)}${utc ? " UTC" : ""}`;
}

/** day writes the date of an instant. */
export function day(d: Date, utc: boolean): string {
  return utc ? `${d.getUTCFullYear()}-${two(d.getUTCMonth() + 1)}-${two(d.getUTCDate())}` : `${d.getFullYear()}-${two(d.getMonth() + 1)}-${two(d.getDate())}`;
}

/** clock writes the time of an instant, with seconds. */
export function clock(d: Date, utc: boolean): string {
  return utc ? `${two(d.getUTCHours())}:${two(d.getUTCMinutes())}:${two(d.getUTCSeconds())}` : `${two(d.getHours())}:${two(d.getMinutes())}:${two(d.getSeconds())}`;
}

/** zone names the zone of the times shown. */
export function zone(utc: boolean, at: Date): string {
  if (utc) return "UTC";
  const east = -at.getTimezoneOffset();
  return `local, UTC${east < 0 ? "−" : "+"}${two(Math.floor(Math.abs(east) / 60))}:${two(Math.abs(east) % 60)}`;
}

/** name writes a dimension value; null says that it was not recorded. */
export function name(v: string | null | undefined): string {
  return v === null || v === undefined || v === "" ? "(not recorded)" : v;
}

/** words writes an identifier such as upstream_headers_slow for people. */
export function words(id: string): string {
  return id.replaceAll("_", " ");
}

function two(n: number): string {
  return String(n).padStart(2, "0");
}

function minus(s: string): string {
  return s.startsWith("-") ? `−${s.slice(1)}` : s;
}

function trim(s: string): string {
  return s.includes(".") ? s.replace(/\.?0+$/, "") : s;
}
