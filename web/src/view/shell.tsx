import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { Values } from "../api/types";
import { count } from "../prepare/format";
import { crossing, filters, only, patched, range, where, withOnly, withoutFilter } from "../state/place";
import { useQuestion } from "../state/question";
import { applyTheme, applyZone, go, href, layer, notice, params, place, refresh, said, set, theme, utc } from "../state/store";
import { RangePicker } from "./range";

const tabs = [["/", "Overview"], ["/hedge", "Hedge"], ["/requests", "Requests"], ["/quality", "Data quality"]] as const;

/** Shell is the frame of every page: pages, range, filters, theme. */
export function Shell(p: { children: ComponentChildren }) {
  const [more, setMore] = useState(false);
  const title = tabs.find(([page]) => page === place.value.page)?.[1] ?? "No such page";
  useEffect(() => { document.title = `${title} · Headway`; }, [title]);
  return (
    <>
      <a class="skip" href="#content">Skip to content</a>
      <header class="top">
        <a class="brand" href={href("/", crossing(place.value.page, "/"))} onClick={follow}><img src="/icon.svg" alt="" />Headway</a>
        <nav class="pages" aria-label="Pages">
          {tabs.map(([page, name]) => (
            <a key={page} href={href(page, crossing(place.value.page, page))} aria-current={place.value.page === page ? "page" : undefined} onClick={follow}>{name}</a>
          ))}
        </nav>
        <button class="narrow" aria-expanded={more} aria-controls="tools" onClick={() => setMore(!more)}>Range and more</button>
        <div id="tools" class={more ? "tools open" : "tools"}><RangePicker /><Refresh /><Zone /><Theme />
          <button title="Search: filters, pages, request ids (/)" onClick={() => { layer.value = "search"; }}>Search</button>
          <button title="Keyboard and how to read the page (?)" aria-label="Help" onClick={() => { layer.value = "help"; }}>?</button>
        </div>
      </header>
      {notice.value && <p class="notice" role="note">{notice.value}</p>}
      <div class="chips" role="group" aria-label="Filters"><Sources /><Chips /></div>
      <main id="content"><h1 class="sr">{title}</h1>{p.children}</main>
      <div class={said.value ? "toast shown" : "toast"} role="status">{said.value}</div>
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
  const moved = u.pathname !== place.value.page;
  go({ page: u.pathname, params: u.searchParams });
  if (moved) scrollTo(0, 0);
}

function Zone() {
  return <button title={`Times are shown in ${utc.value ? "UTC" : "local time"}; click for the other`} onClick={() => applyZone(!utc.value)}>{utc.value ? "UTC" : "Local"}</button>;
}

function Theme() {
  const next: Record<string, string> = { auto: "dark", dark: "light", light: "auto" };
  const sign: Record<string, string> = { auto: "◐", dark: "●", light: "○" };
  return <button title={`Colour theme: ${theme.value}; click for ${next[theme.value]}`} aria-label={`Colour theme: ${theme.value}`} onClick={() => applyTheme(next[theme.value] ?? "auto")}>{sign[theme.value] ?? "◐"}</button>;
}

/** Refresh asks again on demand or by the clock; the clock rests while the page is hidden. */
function Refresh() {
  const every = Number(params.value.get("refresh")) || 0;
  useEffect(() => {
    if (every === 0) return undefined;
    let due = false;
    const id = setInterval(() => { if (document.hidden) due = true; else refresh(); }, every * 1000);
    const shown = () => { if (!document.hidden && due) { due = false; refresh(); } };
    document.addEventListener("visibilitychange", shown);
    return () => { clearInterval(id); document.removeEventListener("visibilitychange", shown); };
  }, [every]);
  return (
    <span class="joined">
      <button onClick={refresh} title="Ask again (r)">Refresh</button>
      <select aria-label="Refresh by itself" value={String(every)} onChange={(e) => set({ refresh: e.currentTarget.value === "0" ? null : e.currentTarget.value }, true)}>
        <option value="0">off</option><option value="10">10 s</option><option value="60">1 min</option>
      </select>
    </span>
  );
}

/** Sources offers one source at a time: sources whose clocks start elsewhere share no percentile. */
function Sources() {
  const q = new URLSearchParams({ ...range(place.value), limit: "6" });
  const { data } = useQuestion<Values>("fields/source/values", q);
  const one = only(params.value, "source");
  const known = (data?.values ?? []).filter((v) => v.value !== null);
  if (known.length < 2) return null;
  const choose = (value: string | null) => go({ page: place.value.page, params: patched(withOnly(params.value, "source", value), { metric: null, open: null }) });
  return (
    <span class="joined" role="group" aria-label="Source">
      <button aria-pressed={one === null} onClick={() => choose(null)} title="The clock that most rows share; rows of another clock are left out and counted">All sources</button>
      {known.map((v) => <button key={v.value} aria-pressed={one === v.value} onClick={() => choose(v.value)} title={`Only rows of ${v.value}`}>{v.value} <span class="soft">{count(v.n)}</span></button>)}
    </span>
  );
}

function Chips() {
  const all = filters(params.value).filter((f) => f.dimension !== "source" || f.not);
  if (all.length === 0) return <span class="soft hint">No filter. Click a value in a table, or press <kbd>/</kbd>.</span>;
  return (
    <>
      {all.map((f) => (
        <span key={where(f)} class={f.not ? "chip not" : "chip"}>
          {f.dimension} {f.not ? "is not" : "is"} <strong>{f.value}</strong>
          <button class="quiet" aria-label={`Remove filter ${where(f)}`} onClick={() => go({ page: place.value.page, params: withoutFilter(params.value, f) })}>✕</button>
        </span>
      ))}
      <button class="quiet" onClick={() => set({ where: null, page: null })}>Clear all</button>
    </>
  );
}
