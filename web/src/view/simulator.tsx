import { useEffect, useRef, useState } from "preact/hooks";
import type { Advice, CurvePoint, Simulation } from "../api/types";
import { savePNG } from "../draw/png";
import { curveSentence } from "../prepare/advice";
import { perTime, quantity, reached, share } from "../prepare/format";
import { budgetAt, budgets, fitting, keyName, nearest, perMinute, positionOf, tenth } from "../prepare/hedge";
import { fileName } from "../prepare/take";
import { patched } from "../state/place";
import { useQuestion } from "../state/question";
import { params, set } from "../state/store";
import { Curve } from "./curve";
import { Effect } from "./effect";
import { Failed, Skeleton, Take } from "./panel";

/**
 * Simulator shows what a delay would do to one key; drag it, use the arrow
 * keys, or give a budget. One answer with a curve serves the whole drag; a
 * second one is asked for the settled delay, unless the first is about it.
 */
export function Simulator(p: { advice: Advice; params: URLSearchParams }) {
  const question = patched(p.params, { curve: "200" });
  const curve = useQuestion<Simulation>("hedge/simulate", question);
  const box = useRef<HTMLDivElement>(null);
  const sim = curve.data?.keys[0] ?? null;
  const points = sim?.curve ?? [];
  const advised = p.advice.hedge_after_ms;
  const start = (Number(params.value.get("d")) || null) ?? advised ?? tenth(points);
  const [d, setD] = useState(start);
  useEffect(() => setD(start), [start]);
  const own = sim !== null && start !== null && same(sim.hedge_after_ms, start);
  const exact = useQuestion<Simulation>(start === null || own || !curve.data ? "" : "hedge/simulate", patched(p.params, { hedge_after: `${(start ?? 0).toFixed(3)}ms` }));
  const [asTable, setAsTable] = useState(false);
  if (curve.problem) return <Failed problem={curve.problem} retry={curve.retry} />;
  if (!curve.data || !sim) return curve.loading ? <Skeleton height={560} what="simulation" /> : <div class="empty">No rows of this key in the window.</div>;
  if (points.length === 0 || start === null) return <div class="empty">No first-token times, so there is no curve.</div>;
  const shown = d ?? start;
  const settle = (ms: number) => {
    setD(ms);
    set({ d: same(ms, advised) ? null : ms.toFixed(1) }, true);
  };
  const settled = own ? sim : exact.current ? exact.data?.keys[0] ?? null : null;
  return (
    <>
      <div ref={box} class="two">
        {asTable ? <CurveTable points={points} /> : <Curve points={points} rho={sim.after.pessimistic?.rho ?? null} d={shown} advice={p.advice} onMove={setD} onSettle={settle} />}
        <div>
          <Budget points={points} d={shown} trigger={same(shown, start) ? settled?.trigger_ratio ?? null : null} rate={(trigger) => perMinute(sim, trigger)} configured={p.advice.budget} onMove={setD} onSettle={settle} />
          <Effect sim={settled} d={shown} moving={!same(shown, start)} near={nearest(points, shown)!} asked={own ? curve : exact} />
        </div>
      </div>
      <p class="acts under">
        <button class="quiet" aria-pressed={asTable} onClick={() => setAsTable(!asTable)}>{asTable ? "View as chart" : "View as table"}</button>
        <span class="takes"><Take path="hedge/simulate" params={question} picture={asTable ? null : () => savePNG(box.current!, `Backup after ${quantity(shown, "ms")}: ${keyName(p.advice.key)}`, curveSentence(points, p.advice, shown), curve.data!.meta, fileName("hedge/simulate", curve.data!.meta.from, curve.data!.meta.to, "png"))} /></span>
        {advised !== null && <button class="quiet" disabled={same(shown, advised)} onClick={() => settle(advised)}>Back to P90, {quantity(advised, "ms")}</button>}
        {p.advice.configured_hedge_after_ms !== null && <button class="quiet" disabled={same(shown, p.advice.configured_hedge_after_ms)} onClick={() => settle(p.advice.configured_hedge_after_ms!)}>Show the configured {quantity(p.advice.configured_hedge_after_ms, "ms")}</button>}
      </p>
      <p class={asTable ? "soft" : "sr"}>{curveSentence(points, p.advice, shown)}</p>
    </>
  );
}

/** same says whether two delays are one to the tenth of a millisecond that addresses hold. */
function same(a: number | null, b: number | null): boolean {
  return a !== null && b !== null && Math.abs(a - b) < 0.06;
}

interface BudgetProps { points: CurvePoint[]; d: number; trigger: number | null; rate: (trigger: number) => number | null; configured: number | null; onMove: (ms: number) => void; onSettle: (ms: number) => void }

/** Budget is a slider over the share of requests that may be hedged; it moves the delay to the smallest that fits. */
function Budget(p: BudgetProps) {
  const ends = budgets(p.points);
  const now = p.trigger ?? nearest(p.points, p.d)!.trigger_ratio;
  const rate = (trigger: number) => perTime(perSecond(p.rate(trigger)));
  const delay = (e: { currentTarget: HTMLInputElement }) => fitting(p.points, budgetAt(ends, Number(e.currentTarget.value) / 200))!;
  return (
    <div class="budget">
      <label for="budget">Hedge at most <strong>{share(now)}</strong> of requests <span class="soft">({rate(now)} hedges)</span></label>
      <input id="budget" type="range" min={0} max={200} step={1} value={Math.round(positionOf(ends, now) * 200)}
        aria-valuetext={`${share(now)} of requests: backup after ${quantity(p.d, "ms")}, ${rate(now)} hedges`}
        onInput={(e) => p.onMove(delay(e))} onChange={(e) => p.onSettle(delay(e))} />
      <div class="ends soft"><span>{share(ends[0])}</span><span>{p.configured === null ? "no budget configured" : `configured budget ${share(p.configured)}${now > p.configured ? ": this delay is over it" : ""}`}</span><span>{share(ends[1])}</span></div>
    </div>
  );
}

function perSecond(perMin: number | null): number | null {
  return perMin === null ? null : perMin / 60;
}

function CurveTable(p: { points: CurvePoint[] }) {
  return (
    <div class="scroll tall" tabIndex={0} role="region" aria-label="Simulation as a table"><table>
      <thead><tr><th scope="col" class="num">Hedge after</th><th scope="col" class="num">Triggers for</th><th scope="col" class="num">Win chance</th><th scope="col" class="num">P95 independent</th><th scope="col" class="num">P99 independent</th><th scope="col" class="num">P95 pessimistic</th><th scope="col" class="num">P99 pessimistic</th></tr></thead>
      <tbody>{p.points.map((c) => (
        <tr key={c.hedge_after_ms}><td class="num">{quantity(c.hedge_after_ms, "ms")}</td><td class="num">{share(c.trigger_ratio)}</td><td class="num">{share(c.win_chance)}</td>
          {[c.independent, c.pessimistic].flatMap((a, i) => [<td key={`95${i}`} class="num">{reached(a?.p95_ms, a?.p95_at_least_ms, "ms")}</td>, <td key={`99${i}`} class="num">{reached(a?.p99_ms, a?.p99_at_least_ms, "ms")}</td>])}</tr>))}
      </tbody>
    </table></div>
  );
}
