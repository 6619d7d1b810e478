import { useEffect, useState } from "preact/hooks";
import { defaultRange, range, wider } from "../state/place";
import { absolute, copy, place, resolved, set } from "../state/store";

const quick = [
  ["now-15m", "now", "Last 15 minutes"], ["now-1h", "now", "Last hour"], ["now-6h", "now", "Last 6 hours"], ["now-24h", "now", "Last 24 hours"],
  ["now-7d", "now", "Last 7 days"], ["now-7d/d", "now/d", "7 whole days (UTC)"], ["now-14d", "now", "Last 14 days"], ["now-30d", "now", "Last 30 days"],
] as const;

/** RangePicker chooses the window: from a list, typed, zoomed out, or taken along as an absolute link. */
export function RangePicker() {
  const now = range(place.value);
  const [from, setFrom] = useState(now.from);
  const [to, setTo] = useState(now.to);
  useEffect(() => { setFrom(now.from); setTo(now.to); }, [now.from, now.to]);
  const known = quick.find(([f, t]) => f === now.from && t === now.to);
  const out = () => {
    const next = wider(now, resolved.value, Date.now());
    if (next) set({ ...next, page: null });
  };
  const apply = (f: string, t: string) => {
    const d = defaultRange(place.value.page);
    set(f === d.from && t === d.to ? { from: null, to: null, page: null } : { from: f, to: t, page: null });
  };
  return (
    <form class="range" aria-label="Time range" onSubmit={(e) => { e.preventDefault(); apply(from.trim(), to.trim()); }}>
      <select aria-label="Quick range" value={known ? quick.indexOf(known) : -1} onChange={(e) => { const q = quick[Number(e.currentTarget.value)]; if (q) apply(q[0], q[1]); }}>
        {!known && <option value={-1}>Custom range</option>}
        {quick.map(([, , label], i) => <option key={label} value={i}>{label}</option>)}
      </select>
      <span class="typed">
        <input aria-label="From, inclusive" style={{ width: wide(from) }} spellcheck={false} value={from} onInput={(e) => setFrom(e.currentTarget.value)} title="From, inclusive: now-1h, now-7d/d, RFC 3339 or epoch ms" />
        <span aria-hidden="true">→</span>
        <input aria-label="To, exclusive" style={{ width: wide(to) }} spellcheck={false} value={to} onInput={(e) => setTo(e.currentTarget.value)} title="To, exclusive: now, now/d, RFC 3339 or epoch ms" />
        {(from !== now.from || to !== now.to) && <button type="submit">Apply</button>}
      </span>
      <button type="button" title="Zoom out: twice the window (-)" aria-label="Zoom out" onClick={out}>⤢</button>
      <button type="button" title="Copy a link whose window stays where it is now" aria-label="Copy absolute link" onClick={() => void copy(absolute(), "Absolute link")}>Link</button>
    </form>
  );
}

/** wide is the width of an input that shows all of a text. */
function wide(text: string): string {
  return `${Math.max(5, text.length) * 0.6 + 1.6}em`;
}
