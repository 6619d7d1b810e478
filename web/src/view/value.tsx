import { signal } from "@preact/signals";
import { useLayoutEffect, useRef } from "preact/hooks";
import { name } from "../prepare/format";
import { withFilter } from "../state/place";
import { copy, go, params, place } from "../state/store";

interface Chosen { dimension: string; value: string | null; left: number; bottom: number; from: HTMLElement }

const chosen = signal<Chosen | null>(null);

/** Value shows one value of a dimension and offers to filter, exclude, group by and copy it. */
export function Value(p: { dimension: string; value: string | null; title?: string }) {
  const open = (e: MouseEvent) => {
    const from = e.currentTarget as HTMLElement;
    const box = from.getBoundingClientRect();
    chosen.value = { dimension: p.dimension, value: p.value, left: box.left, bottom: box.bottom, from };
  };
  return (
    <button class={p.value === null || p.value === "" ? "value grey" : "value"} aria-haspopup="menu" title={p.title ?? `${p.dimension}: filter, exclude, group by, copy`} onClick={open}>{name(p.value)}</button>
  );
}

/** ValueMenu is the one menu that all values share. */
export function ValueMenu() {
  const box = useRef<HTMLDivElement>(null);
  const c = chosen.value;
  useLayoutEffect(() => {
    if (!c) return;
    const menu = box.current!;
    menu.showPopover();
    menu.style.left = `${Math.max(8, Math.min(c.left, innerWidth - menu.offsetWidth - 8))}px`;
    menu.style.top = `${c.bottom + menu.offsetHeight + 8 > innerHeight ? Math.max(8, c.bottom - menu.offsetHeight - 28) : c.bottom + 4}px`;
    menu.querySelector("button")!.focus();
  }, [c]);
  if (!c) return null;
  const close = () => { box.current!.hidePopover(); };
  const stored = c.value === null || c.value === "" ? "(missing)" : c.value;
  const filter = (not: boolean) => go({ page: place.value.page, params: withFilter(params.value, { dimension: c.dimension, not, value: stored }) });
  const acts: [string, () => void][] = [
    [`Only ${name(c.value)}`, () => filter(false)],
    [`Without ${name(c.value)}`, () => filter(true)],
    [`Who is hurt, by ${c.dimension}`, () => go({ page: "/", params: merged({ by: c.dimension }) })],
    [`Split the chart by ${c.dimension}`, () => go({ page: "/", params: merged({ split: c.dimension }) })],
    ["Copy the value", () => void copy(c.value ?? "", "Value")],
  ];
  const keys = (e: KeyboardEvent) => {
    const all = [...box.current!.querySelectorAll("button")];
    const step = { ArrowDown: 1, ArrowUp: -1 }[e.key];
    if (!step) return;
    e.preventDefault();
    all[(all.indexOf(document.activeElement as HTMLButtonElement) + step + all.length) % all.length]!.focus();
  };
  return (
    <div ref={box} popover="auto" class="menu" role="menu" aria-label={`${c.dimension} ${name(c.value)}`} onKeyDown={keys}
      onToggle={(e) => { if ((e as unknown as ToggleEvent).newState === "closed") { chosen.value = null; c.from.focus(); } }}>
      {acts.map(([label, act]) => <button key={label} role="menuitem" onClick={() => { close(); act(); }}>{label}</button>)}
    </div>
  );
}

function merged(patch: Record<string, string>): URLSearchParams {
  const next = new URLSearchParams(params.value);
  for (const [k, v] of Object.entries(patch)) next.set(k, v);
  for (const k of ["page", "open"]) next.delete(k);
  return next;
}
