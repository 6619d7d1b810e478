import { useEffect, useRef, useState } from "preact/hooks";
import type { Advice, CurvePoint, Simulated, Simulation } from "../api/types";
import { exceedance, xScale } from "../draw/exceedance";
import { count, number, quantity, share } from "../prepare/format";
import { cases, nearest, stepped } from "../prepare/hedge";
import { toValue } from "../prepare/scale";
import { patched } from "../state/place";
import { useQuestion } from "../state/question";
import { params, set } from "../state/store";
import { useCanvasHost } from "./chart";
import { Failed } from "./panel";

/** Simulator shows what a delay would do to one key; drag it, or use the arrow keys. */
export function Simulator(p: { advice: Advice; params: URLSearchParams }) {
  const fromURL = Number(params.value.get("d")) || null;
  const start = fromURL ?? p.advice.hedge_after_ms;
  const [d, setD] = useState(start);
  useEffect(() => setD(start), [start]);
  const curve = useQuestion<Simulation>("hedge/simulate", patched(p.params, { curve: "200" }));
  const exact = useQuestion<Simulation>(start ? "hedge/simulate" : "", patched(p.params, { hedge_after: `${(start ?? 0).toFixed(3)}ms` }));
  if (curve.problem) return <Failed problem={curve.problem} retry={curve.retry} />;
  const points = curve.data?.keys[0]?.curve ?? [];
  if (!curve.data) return <div class="skeleton" style={{ "--h": "260px" }} role="status"><span class="sr">Loading simulation</span></div>;
  if (points.length === 0 || d === null) return <div class="empty">Too few first-token times for a curve.</div>;
  const near = nearest(points, d)!;
  const settle = (ms: number) => { setD(ms); set({ d: ms === p.advice.hedge_after_ms ? null : ms.toFixed(1) }, true); };
  return (
    <div class="two">
      <Curve points={points} d={d} advice={p.advice} onMove={setD} onSettle={settle} near={near} />
      <Effect sim={exact.data?.keys[0] ?? null} d={d} start={start} near={near} loading={exact.loading} />
    </div>
  );
}

interface CurveProps { points: CurvePoint[]; d: number; advice: Advice; near: CurvePoint; onMove: (ms: number) => void; onSettle: (ms: number) => void }

function Curve(p: CurveProps) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const widthOf = useRef(0);
  const height = 280;
  const host = useCanvasHost((_el, width) => {
    widthOf.current = width;
    exceedance(canvas.current!, p.points, {
      at: p.d, advised: p.advice.hedge_after_ms, low: p.advice.interval.low_ms, high: p.advice.interval.high_ms,
      configured: p.advice.configured_hedge_after_ms,
    }, width, height);
    return () => undefined;
  }, [p.points, p.d, p.advice]);
  const at = (e: PointerEvent) => {
    const scale = xScale(p.points, widthOf.current)!;
    return toValue(scale, e.clientX - canvas.current!.getBoundingClientRect().left);
  };
  const keys = (e: KeyboardEvent) => {
    const by: Record<string, number> = { ArrowLeft: -1, ArrowRight: 1, PageDown: -10, PageUp: 10, Home: -1e6, End: 1e6 };
    const step = by[e.key];
    if (step === undefined) return;
    e.preventDefault();
    p.onSettle(stepped(p.points, p.d, step));
  };
  const scale = xScale(p.points, 1000)!;
  return (
    <div>
      <h3>Share of requests without a first token after d</h3>
      <div ref={host} class="plot drag" role="slider" tabIndex={0} aria-label="Hedge after" aria-orientation="horizontal"
        aria-valuemin={Math.round(scale.lo)} aria-valuemax={Math.round(scale.hi)} aria-valuenow={Math.round(p.d)}
        aria-valuetext={`${quantity(p.d, "ms")}, triggers for ${share(p.near.trigger_ratio)} of requests`}
        onKeyDown={keys}
        onPointerDown={(e) => { e.currentTarget.setPointerCapture(e.pointerId); p.onMove(at(e)); }}
        onPointerMove={(e) => { if (e.currentTarget.hasPointerCapture(e.pointerId)) p.onMove(at(e)); }}
        onPointerUp={(e) => { e.currentTarget.releasePointerCapture(e.pointerId); p.onSettle(at(e)); }}>
        <canvas ref={canvas} />
      </div>
      <p class="soft">Drag the line, or focus it and use ← → (PageUp, PageDown: ten steps). Dashed: advised, with its 95 % interval shaded.</p>
    </div>
  );
}

function Effect(p: { sim: Simulated | null; d: number; start: number | null; near: CurvePoint; loading: boolean }) {
  const moving = p.start === null || Math.abs(p.d - p.start) > 0.05;
  const s = moving ? null : p.sim;
  return (
    <div class={p.loading ? "loading" : ""}>
      <h3>With a backup after {quantity(p.d, "ms")}</h3>
      <dl class="facts">
        <div><dt>Triggers for</dt><dd>{share(s ? s.trigger_ratio : p.near.trigger_ratio)} of requests</dd></div>
        <div><dt>Hedges a minute</dt><dd>{s ? number(s.hedges_per_min) : "…"}</dd></div>
        <div><dt>Win chance</dt><dd>{share(s ? s.win_chance : p.near.win_chance)}</dd></div>
        <div><dt>Extra input tokens</dt><dd>{s?.cost ? `${count(s.cost.extra_input_tokens)} (${share(s.cost.extra_input_share)})` : "–"}</dd></div>
      </dl>
      <div class="scroll"><table>
        <thead><tr><th>Case</th><th class="num">p90</th><th class="num">p95</th><th class="num">p99</th><th class="num">Win chance</th></tr></thead>
        <tbody>
          {s && <tr><td>Without hedging</td><td class="num">{quantity(s.before.p90_ms, "ms")}</td><td class="num">{quantity(s.before.p95_ms, "ms")}</td><td class="num">{quantity(s.before.p99_ms, "ms")}</td><td /></tr>}
          {s ? cases(s).map((c) => (
            <tr key={c.name}><td title={c.why}>{c.title}</td>
              {c.hedged ? <><td class="num">{quantity(c.hedged.p90_ms, "ms")}</td><td class="num">{quantity(c.hedged.p95_ms, "ms")}</td><td class="num">{quantity(c.hedged.p99_ms, "ms")}</td><td class="num">{share(c.hedged.win_chance)}</td></>
                : <td class="grey wide" colSpan={4}>{c.why || "not available"}</td>}
            </tr>))
            : <><tr><td>Independent backup</td><td class="num">–</td><td class="num">{quantity(p.near.independent.p95_ms, "ms")}</td><td class="num">{quantity(p.near.independent.p99_ms, "ms")}</td><td class="num">{share(p.near.win_chance)}</td></tr>
              {p.near.pessimistic && <tr><td>Pessimistic (correlated)</td><td class="num">–</td><td class="num">{quantity(p.near.pessimistic.p95_ms, "ms")}</td><td class="num">{quantity(p.near.pessimistic.p99_ms, "ms")}</td><td /></tr>}</>}
        </tbody>
      </table></div>
    </div>
  );
}
