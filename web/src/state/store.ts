import { computed, signal } from "@preact/signals";
import { defaultRange, format, parse, patched, type Patch, type Place, type Range } from "./place";

/** place is the address bar, always. */
export const place = signal<Place>(parse(location.pathname, location.search));

export const params = computed(() => place.value.params);

/** tick counts refreshes; questions run again when it changes. */
export const tick = signal(0);

/** resolved is the page's window as the server last resolved it. */
export const resolved = signal<Range | null>(null);

/** notice is what every statistic must be read with; null without one. */
export const notice = signal<string | null>(null);

/** said is the last short message to the person, for example that something was copied. */
export const said = signal("");

/** layer is the overlay that is open: help, the search box, or none. */
export const layer = signal<"" | "help" | "search">("");

export const theme = signal<string>(kept("theme") ?? "auto");

export const utc = signal<boolean>(kept("zone") === "utc");

/** go moves to another place; replace keeps the history short while dragging. */
export function go(next: Place, replace = false): void {
  const url = format(next);
  if (url === format(place.value)) return;
  history[replace ? "replaceState" : "pushState"](null, "", url);
  place.value = next;
}

/** set changes parameters of the current page. */
export function set(patch: Patch, replace = false): void {
  go({ page: place.value.page, params: patched(place.value.params, patch) }, replace);
}

export function refresh(): void { tick.value++; }

/** say shows a short message for a moment. */
export function say(text: string): void {
  said.value = text;
  setTimeout(() => { if (said.value === text) said.value = ""; }, 2500);
}

/** listen follows back and forward. */
export function listen(): void {
  addEventListener("popstate", () => { place.value = parse(location.pathname, location.search); });
}

/** applyTheme puts the chosen theme on the document and remembers it. */
export function applyTheme(name: string): void {
  theme.value = name;
  keep("theme", name);
  document.documentElement.dataset.theme = name;
}

export function applyZone(isUTC: boolean): void {
  utc.value = isUTC;
  keep("zone", isUTC ? "utc" : "local");
}

/** href is the link to a place with parameters kept from here; another page's default range does not follow along. */
export function href(page: string, patch: Patch = {}): string {
  return format({ page, params: patched(params.value, patch) });
}

/** absolute is the address of this place with its window pinned. */
export function absolute(): string {
  const pinned = resolved.value ?? defaultRange(place.value.page);
  return location.origin + format({ page: place.value.page, params: patched(params.value, { from: pinned.from, to: pinned.to }) });
}

/** copy puts text on the clipboard and says so. */
export async function copy(text: string, what: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    say(`${what} copied`);
  } catch {
    say(`${what} not copied: the browser allows it only over HTTPS or on localhost`);
  }
}

// Storage may be forbidden; then choices last as long as the page.
function kept(name: string): string | null {
  try { return localStorage.getItem(name); } catch { return null; }
}

function keep(name: string, value: string): void {
  try { localStorage.setItem(name, value); } catch { return; }
}
