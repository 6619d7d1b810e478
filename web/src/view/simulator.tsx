import { useEffect, useRef, useState } from "preact/hooks";
import type { Advice, CurvePoint, Simulation } from "../api/types";
import { exceedance, tails, xScale, type Tail } from "../draw/exceedance";
import { count, quantity, reached, share } from "../prepare/format";
import { curveSentence, nearest, stepped, tenth } from "../prepare/hedge";
import { toValue } from "../prepare/scale";
import { patched } from "../state/place";
import { useQuestion } from "../state/question";
import { params, set } from "../state/store";
import { useCanvasHost } from "./chart";
import { Effect } from "./effect";
import { Failed, Skeleton } from "./panel";

/** Simulator shows what a delay would do to one key; drag it, or use the arrow keys. */
export function Simulator(p: { advice: Advice; params: URLSearchParams }) {
  const curve = useQuestion<Simulation>("hedge/simulate", patched(p.params, { curve: "200" }));
  const points = curve.data?.keys[0]?.curve ?? [];
  const start = (Number(params.value.get("d")) || null) ?? p.advice.hedge_after_ms ?? tenth(points);
  const [d, setD] = useState(start);
  useEffect(() => setD(start), [start]);
  const exact = useQuestion<Simulation>(start === null ? "" : "hedge/simulate", patched(p.params, { hedge_after: `${(start ?? 0).toFixed(3)}ms` }));
  const [asTable, setAsTable] = useState(false);
  if (curve.problem) return <Failed problem={curve.problem} retry={curve.retry} />;
  if (!curve.data) return <Skeleton height={440} what="simulation" />;
  if (points.length === 0 || start === null) return <div class="empty">No first-token times, so there is no curve.</div>;
  const shown = d ?? start;
  const settle = (ms: number) => {
    setD(ms);
    set({ d: p.advice.hedge_after_ms !== null && Math.abs(ms - p.advice.hedge_after_ms) < 0.05 ? null : ms.toFixed(1) }, true);
  };
  return (
    <>
      <div class="two">
        {asTable ? <CurveTable points={points} /> : <Curve points={points} d={shown} advice={p.advice} onMove={setD} onSettle={settle} />}
        <Effect sim={exact.data?.keys[0] ?? null} d={shown} moving={Math.abs(shown - start) > 0.05} near={nearest(points, shown)!} asked={exact} />
      </div>
      <p class="acts under">
        <button class="quiet" aria-pressed={asTable} onClick={() => setAsTable(!asTable)}>{asTable ? "View as chart" : "View as table"}</button>
        {p.advice.hedge_after_ms !== null && <button class="quiet" disabled={Math.abs(shown - p.advice.hedge_after_ms) < 0.05} onClick={() => settle(p.advice.hedge_after_ms!)}>Back to P90, {quantity(p.advice.hedge_after_ms, "ms")}</button>}
      </p>
      <p class={asTable ? "soft" : "sr"}>{curveSentence(points, p.advice, shown)}</p>
    </>
  );
}

interface CurveProps { points: CurvePoint[]; d: number; advice: Advice; onMove: (ms: number) => void; onSettle: (ms: number) => void }

function Curve(p: CurveProps) {
  const above = useRef<HTMLCanvasElement>(null), below = useRef<HTMLCanvasElement>(null);
  const widthOf = useRef(0);
  const tail: Tail = p.advice.target_q === 0.99 ? "p99_ms" : "p95_ms";
  const host = useCanvasHost((_el, width) => {
    widthOf.current = width;
    const marks = { at: p.d, advised: p.advice.hedge_after_ms, low: p.advice.interval.low_ms, high: p.advice.interval.high_ms, configured: p.advice.configured_hedge_after_ms };
    exceedance(above.current!, p.points, marks, width, 250);
    tails(below.current!, p.points, tail, p.advice.before[tail], marks, width, 170);
    return () => undefined;
  }, [p.points, p.d, p.advice]);
  const at = (e: PointerEvent) => toValue(xScale(p.points, widthOf.current)!, e.clientX - above.current!.getBoundingClientRect().left);
  const keys = (e: KeyboardEvent) => {
    const by: Record<string, number> = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1, PageDown: -10, PageUp: 10, Home: -1e6, End: 1e6 };
    const step = by[e.key];
    if (step === undefined) return;
    e.preventDefault();
    p.onSettle(stepped(p.points, p.d, step));
  };
  const scale = xScale(p.points, 1000)!;
  const near = nearest(p.points, p.d)!;
  return (
    <div>
      <div ref={host} class="drag" role="slider" tabIndex={0} aria-label="Hedge after" aria-orientation="horizontal"
        aria-valuemin={Math.round(scale.lo)} aria-valuemax={Math.round(scale.hi)} aria-valuenow={Math.round(p.d)}
        aria-valuetext={`${quantity(p.d, "ms")}, triggers for ${share(near.trigger_ratio)} of requests`}
        onKeyDown={keys}
        onPointerDown={(e) => { if (e.button !== 0) return; e.currentTarget.setPointerCapture(e.pointerId); p.onMove(at(e)); }}
        onPointerMove={(e) => { if (e.currentTarget.hasPointerCapture(e.pointerId)) p.onMove(at(e)); }}
        onPointerUp={(e) => { if (!e.currentTarget.hasPointerCapture(e.pointerId)) return; e.currentTarget.releasePointerCapture(e.pointerId); p.onSettle(at(e)); }}>
        <h3>Share of requests still without a first token after the delay</h3>
        <canvas ref={above} />
        <h3>{tail === "p99_ms" ? "P99" : "P95"} of the wait with a backup sent after the delay: <span class="t-good">— independent</span>, <span class="t-p95">╌ pessimistic</span>, <span class="soft">┄ without</span></h3>
        <canvas ref={below} />
      </div>
      <p class="soft under">Drag the line, or focus it and use ← → (PageUp, PageDown: ten steps). Dashed green: P90, its 95 % interval shaded. Both axes are logarithmic.</p>
    </div>
  );
}

function CurveTable(p: { points: CurvePoint[] }) {
  return (
    <div class="scroll tall" tabIndex={0} role="region" aria-label="Simulation as a table"><table>
      <thead><tr><th scope="col" class="num">Hedge after</th><th scope="col" class="num">Triggers for</th><th scope="col" class="num">Win chance</th><th scope="col" class="num">P95 independent</th><th scope="col" class="num">P99 independent</th><th scope="col" class="num">P95 pessimistic</th><th scope="col" class="num">P99 pessimistic</th></tr></thead>
      <tbody>{p.points.map((c) => (
        <tr key={c.hedge_after_ms}><td class="num">{quantity(c.hedge_after_ms, "ms")}</td><td class="num">{share(c.trigger_ratio)}</td><td class="num">{share(c.win_chance)}</td>
          {[c.independent, c.pessimistic].flatMap((a, i) => [<td key={`95${i}`} class="num">{reached(a?.p95_ms, a?.p95_at_least_ms, "ms")}</td>, <td key={`99${i}`} class="num">{reached(a?.p99_ms, a?.p99_at_least_ms, "ms")}</td>])}</tr>))}
      </tbody>
    </table><p class="sr">{count(p.points.length)} delays</p></div>
  );
}
