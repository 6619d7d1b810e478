import { useEffect, useRef, useState } from "preact/hooks";
import type { Fields, Values } from "../api/types";
import { half, hits, type Act } from "../prepare/search";
import { crossing, patched, range, withFilter } from "../state/place";
import { useQuestion } from "../state/question";
import { go, layer, params, place, set } from "../state/store";
import { Overlay } from "./overlay";

/** Search is one box for filters, pages, ranges and request ids. */
export function Search(p: { fields: Fields | null }) {
  const [text, setText] = useState("");
  const [at, setAt] = useState(0);
  const box = useRef<HTMLInputElement>(null);
  const fields = p.fields?.fields ?? [];
  const h = half(text, fields);
  const q = new URLSearchParams({ ...range(place.value), limit: "8", ...(h?.prefix ? { prefix: h.prefix } : {}) });
  const asked = useQuestion<Values>(h ? `fields/${h.dimension}/values` : "", q);
  const all = hits(text, fields, h ? (asked.data?.values ?? []).map((v) => v.value) : []).slice(0, 12);
  useEffect(() => { box.current!.focus(); }, []);
  const choose = (act: Act | undefined) => {
    if (!act) return;
    if (act.kind === "complete") {
      setText(act.text);
      setAt(0);
      box.current!.focus();
      return;
    }
    layer.value = "";
    run(act);
  };
  const keys = (e: KeyboardEvent) => {
    const by = { ArrowDown: 1, ArrowUp: -1 }[e.key];
    if (by) {
      e.preventDefault();
      setAt(Math.min(all.length - 1, Math.max(0, at + by)));
    }
    if (e.key === "Enter") {
      e.preventDefault();
      choose(all[at]?.act);
    }
  };
  return (
    <Overlay title="Search">
      <input ref={box} class="search" role="combobox" aria-label="Search" aria-expanded="true" aria-controls="hits" aria-activedescendant={all[at] ? `hit-${at}` : undefined}
        placeholder="model=…, a page, a range, or a request id" spellcheck={false} value={text} onInput={(e) => { setText(e.currentTarget.value); setAt(0); }} onKeyDown={keys} />
      <ul id="hits" role="listbox" aria-label="Matches">
        {all.map((hit, i) => <li key={hit.label + hit.hint} id={`hit-${i}`} role="option" aria-selected={i === at} onClick={() => choose(hit.act)}><span>{hit.label}</span> <span class="soft">{hit.hint}</span></li>)}
      </ul>
      {asked.problem ? <p class="soft">Values can't be looked up: {asked.problem.title}. {asked.problem.detail}</p>
        : h && asked.loading ? <p class="soft">Looking up values…</p>
          : all.length === 0 && <p class="soft">Nothing matches. Type dimension=value, or a request id of six characters or more.</p>}
    </Overlay>
  );
}

function run(act: Exclude<Act, { kind: "complete" }>): void {
  switch (act.kind) {
    case "page": go({ page: act.page, params: patched(params.value, crossing(place.value.page, act.page)) }); break;
    case "range": set({ from: act.from, to: "now", page: null }); break;
    case "open": set({ open: act.id }); break;
    case "filter": go({ page: place.value.page, params: withFilter(params.value, act) });
  }
}
