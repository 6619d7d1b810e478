import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import { filters, range, where, withoutFilter } from "../state/place";
import { applyTheme, applyZone, go, href, params, place, refresh, set, theme, utc } from "../state/store";

const tabs = [["/", "Overview"], ["/hedge", "Hedge"], ["/requests", "Requests"], ["/quality", "Data quality"]] as const;

const quick = [
  ["now-15m", "Last 15 minutes"], ["now-1h", "Last hour"], ["now-6h", "Last 6 hours"], ["now-24h", "Last 24 hours"],
  ["now-7d", "Last 7 days"], ["now-14d", "Last 14 days"], ["now-30d", "Last 30 days"],
] as const;

/** Shell is the frame of every page: pages, range, filters, theme. */
export function Shell(p: { children: ComponentChildren }) {
  return (
    <>
      <header class="top">
        <a class="brand" href={href("/", { open: null })} onClick={follow}><img src="/icon.svg" alt="" />Headway</a>
        <nav class="pages" aria-label="Pages">
          {tabs.map(([page, title]) => (
            <a key={page} href={href(page, { open: null, page: null })} aria-current={place.value.page === page ? "page" : undefined} onClick={follow}>{title}</a>
          ))}
        </nav>
        <div class="tools"><RangePicker /><Zone /><Theme /><Refresh /></div>
      </header>
      <Chips />
      <main>{p.children}</main>
    </>
  );
}

/** follow turns a click on an inner link into a change of place. */
export function follow(e: MouseEvent): void {
  if (e.metaKey || e.ctrlKey || e.shiftKey || e.button !== 0) return;
  const a = (e.currentTarget as HTMLElement).closest("a");
  if (!a) return;
  e.preventDefault();
  const u = new URL(a.href);
  go({ page: u.pathname, params: u.searchParams });
}

function RangePicker() {
  const now = range(params.value);
  const [from, setFrom] = useState(now.from);
  const [to, setTo] = useState(now.to);
  useEffect(() => { setFrom(now.from); setTo(now.to); }, [now.from, now.to]);
  const known = now.to === "now" && quick.some(([f]) => f === now.from);
  return (
    <form class="tools" aria-label="Time range" onSubmit={(e) => { e.preventDefault(); set({ from, to, page: null }); }}>
      <select aria-label="Quick range" value={known ? now.from : ""} onChange={(e) => e.currentTarget.value && set({ from: e.currentTarget.value, to: "now", page: null })}>
        {!known && <option value="">Custom range</option>}
        {quick.map(([f, label]) => <option key={f} value={f}>{label}</option>)}
      </select>
      <input aria-label="From" size={10} value={from} onInput={(e) => setFrom(e.currentTarget.value)} title="now-1h, RFC 3339 or epoch ms" />
      <input aria-label="To" size={6} value={to} onInput={(e) => setTo(e.currentTarget.value)} title="now, RFC 3339 or epoch ms; exclusive" />
      <button type="submit">Apply</button>
    </form>
  );
}

function Zone() {
  return <button title="Zone of the times shown" onClick={() => applyZone(!utc.value)}>{utc.value ? "UTC" : "Local"}</button>;
}

function Theme() {
  const next: Record<string, string> = { auto: "dark", dark: "light", light: "auto" };
  return <button title="Colour theme" onClick={() => applyTheme(next[theme.value] ?? "auto")}>{`Theme: ${theme.value}`}</button>;
}

function Refresh() {
  const [every, setEvery] = useState(0);
  useEffect(() => {
    if (every === 0) return undefined;
    const id = setInterval(() => { if (!document.hidden) refresh(); }, every * 1000);
    return () => clearInterval(id);
  }, [every]);
  return (
    <>
      <select aria-label="Refresh" value={String(every)} onChange={(e) => setEvery(Number(e.currentTarget.value))}>
        <option value="0">No refresh</option><option value="10">Every 10 s</option><option value="60">Every minute</option>
      </select>
      <button onClick={refresh} title="Ask again (r)">Refresh</button>
    </>
  );
}

function Chips() {
  const all = filters(params.value);
  if (all.length === 0) return <div class="chips soft">No filter. Click a value in a table to filter by it.</div>;
  return (
    <div class="chips" aria-label="Filters">
      {all.map((f) => (
        <span key={where(f)} class={f.not ? "chip not" : "chip"}>
          {f.dimension} {f.not ? "is not" : "is"} <strong>{f.value}</strong>
          <button class="quiet" aria-label={`Remove filter ${where(f)}`} onClick={() => go({ page: place.value.page, params: withoutFilter(params.value, f) })}>✕</button>
        </span>
      ))}
      <button class="quiet" onClick={() => set({ where: null })}>Clear all</button>
    </div>
  );
}
