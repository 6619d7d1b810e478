import { useEffect } from "preact/hooks";
import { range, wider } from "../state/place";
import { layer, params, place, refresh, resolved, set } from "../state/store";

/** useKeys gives the page its keys; they rest while someone types. */
export function useKeys(): void {
  useEffect(() => {
    const onKey = (e: KeyboardEvent) => {
      if ((e.ctrlKey || e.metaKey) && e.key.toLowerCase() === "k") {
        e.preventDefault();
        layer.value = "search";
        return;
      }
      const typing = (e.target as HTMLElement).closest?.("input, select, textarea, [role=menu]");
      if (typing || e.ctrlKey || e.metaKey || e.altKey || layer.value) return;
      const act = keys[e.key];
      if (!act) return;
      e.preventDefault();
      act();
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, []);
}

const keys: Record<string, () => void> = {
  "/": () => { layer.value = "search"; },
  "?": () => { layer.value = "help"; },
  r: refresh,
  j: () => step(1),
  k: () => step(-1),
  "-": () => {
    const next = wider(range(place.value), resolved.value, Date.now());
    if (next) set({ ...next, page: null });
  },
};

/**
 * step goes along the page's list: to the next open request where one is open,
 * else to the next row.
 */
function step(by: number): void {
  const rows = [...document.querySelectorAll<HTMLElement>("main [data-open], main [data-row]")];
  if (rows.length === 0) return;
  const open = params.value.get("open");
  const at = open ? rows.findIndex((r) => r.dataset.open === open) : rows.indexOf(document.activeElement as HTMLElement);
  const next = rows[at < 0 ? (by > 0 ? 0 : rows.length - 1) : Math.min(rows.length - 1, Math.max(0, at + by))]!;
  if (open && next.dataset.open) set({ open: next.dataset.open }, true);
  else {
    next.focus();
    next.scrollIntoView({ block: "nearest" });
  }
}
