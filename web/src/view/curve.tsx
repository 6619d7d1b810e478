import { useRef } from "preact/hooks";
import type { Advice, CurvePoint } from "../api/types";
import { exceedance, tails, xScale, type Tail } from "../draw/exceedance";
import { quantity, share } from "../prepare/format";
import { nearest, stepped } from "../prepare/hedge";
import { toValue } from "../prepare/scale";
import { useCanvasHost } from "./chart";

interface Props { points: CurvePoint[]; rho: number | null; d: number; advice: Advice; onMove: (ms: number) => void; onSettle: (ms: number) => void }

/** Curve is the slider over both drawings of a key: drag its line, or use the arrow keys. */
export function Curve(p: Props) {
  const above = useRef<HTMLCanvasElement>(null), below = useRef<HTMLCanvasElement>(null);
  const widthOf = useRef(0);
  const tail: Tail = p.advice.target_q === 0.99 ? "p99_ms" : "p95_ms";
  const host = useCanvasHost((_el, width) => {
    widthOf.current = width;
    const marks = { at: p.d, advised: p.advice.hedge_after_ms, low: p.advice.interval.low_ms, high: p.advice.interval.high_ms, configured: p.advice.configured_hedge_after_ms };
    exceedance(above.current!, p.points, p.rho, marks, width, 270);
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
  const backups = <><span class="t-good" data-legend="independent backup" data-tone="good">— independent backup</span>{p.rho !== null && <>, <span class="t-p95" data-legend="pessimistic" data-tone="p95">╌ pessimistic</span></>}</>;
  return (
    <div>
      <div ref={host} class="drag" role="slider" tabIndex={0} aria-label="Hedge after" aria-orientation="horizontal"
        aria-valuemin={Math.round(scale.lo)} aria-valuemax={Math.round(scale.hi)} aria-valuenow={Math.round(p.d)}
        aria-valuetext={`${quantity(p.d, "ms")}, triggers for ${share(near.trigger_ratio)} of requests`}
        onKeyDown={keys}
        onPointerDown={(e) => { if (e.button !== 0) return; e.currentTarget.setPointerCapture(e.pointerId); p.onMove(at(e)); }}
        onPointerMove={(e) => { if (e.currentTarget.hasPointerCapture(e.pointerId)) p.onMove(at(e)); }}
        onPointerUp={(e) => { if (!e.currentTarget.hasPointerCapture(e.pointerId)) return; e.currentTarget.releasePointerCapture(e.pointerId); p.onSettle(at(e)); }}>
        <h3>Requests still without a first token after a time: <span class="t-p50" data-legend="without hedging" data-tone="p50">— without hedging</span>, {backups}</h3>
        <canvas ref={above} />
        <h3>{tail === "p99_ms" ? "P99" : "P95"} for every delay: <span class="soft">┄ without hedging</span>, {backups}</h3>
        <canvas ref={below} />
      </div>
      <p class="soft under">Drag the line, or focus it and use ← → (PageUp, PageDown: ten steps). Dashed green: P90, its 95 % interval shaded. Both axes are logarithmic.</p>
    </div>
  );
}
