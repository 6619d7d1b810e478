import { computed, signal } from "@preact/signals";
import { format, parse, patched, type Patch, type Place } from "./place";

/** place is the address bar, always. */
export const place = signal<Place>(parse(location.pathname, location.search));

export const params = computed(() => place.value.params);

/** tick counts refreshes; questions run again when it changes. */
export const tick = signal(0);

export const theme = signal<string>(localStorage.getItem("theme") ?? "auto");

export const utc = signal<boolean>(localStorage.getItem("zone") === "utc");

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

/** listen follows back and forward. */
export function listen(): void {
  addEventListener("popstate", () => { place.value = parse(location.pathname, location.search); });
}

/** applyTheme puts the chosen theme on the document and remembers it. */
export function applyTheme(name: string): void {
  theme.value = name;
  localStorage.setItem("theme", name);
  document.documentElement.dataset.theme = name;
}

export function applyZone(isUTC: boolean): void {
  utc.value = isUTC;
  localStorage.setItem("zone", isUTC ? "utc" : "local");
}

/** href is the link to a place with parameters kept from here. */
export function href(page: string, patch: Patch = {}): string {
  return format({ page, params: patched(params.value, patch) });
}
