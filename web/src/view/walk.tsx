import { useState } from "preact/hooks";
import type { Walk } from "../api/types";
import { days } from "../draw/days";
import { share } from "../prepare/format";
import { held, heldSentence, type Held } from "../prepare/walk";
import { useCanvasHost } from "./chart";

/** WalkForward shows whether a delay learned on one week held on the day after: the predicted interval and what happened. */
export function WalkForward(p: { walk: Walk }) {
  const { walk } = p;
  const all = held(walk.days);
  const [asTable, setAsTable] = useState(false);
  return (
    <div>
      <h3>Does last week's delay hold on the next day? Share of requests hedged</h3>
      {asTable ? <HeldTable all={all} write={share} /> : <Days all={all} write={share} title="Share of requests hedged, predicted and realised, by day" sentence={heldSentence(all)} />}
      <p class="soft under">{heldSentence(all)} All days: expected {share(walk.expected_ratio)}, realised {share(walk.realised_ratio)} (95 %: {share(walk.low)} to {share(walk.high)}), p {p3(walk.p)}{walk.p_adjusted !== walk.p && `, ${p3(walk.p_adjusted)} among all keys`}.
        {" "}<button class="quiet" aria-pressed={asTable} onClick={() => setAsTable(!asTable)}>{asTable ? "View as chart" : "View as table"}</button></p>
    </div>
  );
}

function p3(p: number): string {
  return p < 0.001 ? "<0.001" : p.toFixed(3);
}

/** Days is the drawing of predictions held against days, with its legend. */
export function Days(p: { all: Held[]; write: (v: number | null) => string; title: string; sentence: string }) {
  const host = useCanvasHost((el, width) => {
    days(el.querySelector("canvas")!, p.all, p.write, width, 190);
    return () => undefined;
  }, [p.all]);
  return (
    <>
      <div ref={host} role="img" aria-label={`${p.title}. ${p.sentence}`}><canvas /></div>
      <p class="legend soft"><span><span class="t-accent" aria-hidden="true">▯</span> predicted, 95 % interval</span><span><span aria-hidden="true">●</span> realised</span><span><span class="t-p99" aria-hidden="true">□</span> realised, outside</span><span>days in UTC</span></p>
    </>
  );
}

/** HeldTable is the same as a table. */
export function HeldTable(p: { all: Held[]; write: (v: number | null) => string }) {
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label="Days as a table"><table class="fit">
      <thead><tr><th scope="col">Day (UTC)</th><th scope="col" class="num">Predicted</th><th scope="col" class="num">95 % interval</th><th scope="col" class="num">Realised</th><th scope="col">Delay</th></tr></thead>
      <tbody>{p.all.map((d) => (
        <tr key={d.day}><th scope="row">{d.day}</th><td class="num">{p.write(d.predicted)}</td><td class="num">{p.write(d.low)} … {p.write(d.high)}</td><td class="num">{p.write(d.realised)}{d.out && " outside"}</td><td>{d.note}</td></tr>))}
      </tbody>
    </table></div>
  );
}
