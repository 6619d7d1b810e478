import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { layer } from "../state/store";

/** Overlay is a modal box over the page; Esc and a click beside it close it. */
export function Overlay(p: { title: string; children: ComponentChildren }) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => { dialog.current!.showModal(); }, []);
  return (
    <dialog ref={dialog} class="overlay" aria-label={p.title} onClose={() => { layer.value = ""; }} onClick={(e) => { if (e.target === e.currentTarget) dialog.current!.close(); }}>
      <div class="inner">{p.children}</div>
    </dialog>
  );
}
