import type { CurveAfter, CurvePoint, Hedged, Interval, Percentiles, Simulated } from "../api/types";
import { count, perTime, quantity, reached, share } from "../prepare/format";
import { cases, few, money, tail, type Case } from "../prepare/advice";
import type { Asked } from "../state/question";
import { Failed } from "./panel";

interface Props { sim: Simulated | null; d: number; moving: boolean; near: CurvePoint; asked: Asked<unknown> }

/**
 * Effect says what a backup after d would do: exactly for the settled delay,
 * from the nearest point of the curve while it moves.
 */
export function Effect(p: Props) {
  const s = p.moving ? null : p.sim;
  const cost = s?.cost ?? null;
  const win = s ? (s.after.measured ?? s.after.pessimistic)?.win_chance ?? null : null;
  return (
    <div class="effect" aria-busy={p.asked.loading}>
      <h3>With a backup after {quantity(p.d, "ms")}{p.moving && <span class="soft"> (moving: nearest point of the curve)</span>}</h3>
      {p.asked.problem && <Failed problem={p.asked.problem} retry={p.asked.retry} />}
      <dl class="facts">
        <Fact of="Triggers for" is={share(s ? s.trigger_ratio : p.near.trigger_ratio)} more={`of requests${s ? `, n ${count(s.n)}` : ""}`} />
        <Fact of="Hedges" is={s ? perTime(s.hedges_per_min === null ? null : s.hedges_per_min / 60) : "…"} more="at the window's mean rate" />
        <Fact of="Win chance" is={share(s ? s.win_chance : p.near.win_chance)} more={`of hedged requests, independent${win === null ? "" : `; ${share(win)} ${s!.after.measured ? "measured" : "pessimistic"}`}`} />
        <Fact of="Extra input" is={cost ? `${count(cost.extra_input_tokens)}` : s ? "–" : "…"} more={cost ? `tokens, ${share(cost.extra_input_share)} more in the window; known for ${count(cost.known_tokens)} of ${count(cost.hedges)} hedges` : "tokens"} />
        <Fact of="Extra output" is={cost ? between(cost.extra_output_tokens_low, cost.extra_output_tokens_high) : s ? "–" : "…"} more="tokens in the window: cancelling honoured … not honoured" />
        {cost && money(cost) && <Fact of="Extra cost" is={money(cost)} more="in the window" />}
      </dl>
      <div class="scroll" tabIndex={0} role="region" aria-label="Percentiles before and after"><table>
        <thead><tr><th scope="col">First-token wait</th><th scope="col" class="num">P90</th><th scope="col" class="num">P95</th><th scope="col" class="num">P99</th><th scope="col" class="num">Win</th></tr></thead>
        <tbody>
          <tr><th scope="row">Without hedging</th>{s ? <Tail of={s.before} /> : <><td class="num">…</td><td class="num">…</td><td class="num">…</td></>}<td class="num">–</td></tr>
          {s ? cases(s).map((c) => <CaseRow key={c.name} c={c} />) : <Moving near={p.near} />}
        </tbody>
      </table></div>
      {s && <Gains s={s} />}
    </div>
  );
}

function between(low: number | null, high: number | null): string {
  return low === null && high === null ? "–" : `${count(low)} … ${count(high)}`;
}

function Fact(p: { of: string; is: string; more: string }) {
  return <div><dt>{p.of}</dt><dd>{p.is} <span>{p.more}</span></dd></div>;
}

function Tail(p: { of: Percentiles; intervals?: Hedged }) {
  return <>{(["p90", "p95", "p99"] as const).map((q) => {
    const i = q === "p95" ? p.intervals?.p95_interval : q === "p99" ? p.intervals?.p99_interval : undefined;
    const low = few(p.of, q);
    return <td key={q} class={low ? "num grey" : "num"} title={low ? "n is below this percentile's minimum" : interval(i)}>{tail(p.of, q)}{low && "°"}</td>;
  })}</>;
}

function interval(i: Interval | undefined): string | undefined {
  if (!i || (i.low_ms === null && i.high_ms === null)) return undefined;
  return `95 % interval ${quantity(i.low_ms, "ms")} to ${i.high_ms === null ? "no bound" : quantity(i.high_ms, "ms")}`;
}

function CaseRow(p: { c: Case }) {
  const { hedged, title, why } = p.c;
  return (
    <tr><th scope="row">{title}</th>
      {hedged ? <><Tail of={hedged} intervals={hedged} /><td class="num">{share(hedged.win_chance)}</td></> : <td class="grey wide" colSpan={4}>{why || "not available"}</td>}
    </tr>
  );
}

function Moving(p: { near: CurvePoint }) {
  const row = (title: string, c: CurveAfter | null, win: number | null) => (
    <tr><th scope="row">{title}</th><td class="num">…</td><td class="num">{reached(c?.p95_ms, c?.p95_at_least_ms, "ms")}</td><td class="num">{reached(c?.p99_ms, c?.p99_at_least_ms, "ms")}</td><td class="num">{share(win)}</td></tr>
  );
  return <>{row("Independent backup", p.near.independent, p.near.win_chance)}<tr><th scope="row">Measured pairs</th><td class="grey wide" colSpan={4}>…</td></tr>{row("Pessimistic", p.near.pessimistic, null)}</>;
}

/** Gains says what the target quantile gains, with its interval, in each case that has numbers. */
function Gains(p: { s: Simulated }) {
  const known = cases(p.s).filter((c) => c.hedged !== null && (c.hedged.gain_ms !== null || c.hedged.gain_at_least_ms !== null));
  if (known.length === 0) return null;
  const q = p.s.target_q === null ? "the tail" : `P${p.s.target_q * 100}`;
  return (
    <p class="soft under">Gain at {q}: {known.map((c) => `${reached(c.hedged!.gain_ms, c.hedged!.gain_at_least_ms, "ms")} ${c.name}${c.hedged!.gain_low_ms !== null ? ` (at least ${quantity(c.hedged!.gain_low_ms, "ms")})` : ""}`).join(", ")}.
      {(["p95", "p99"] as const).some((k) => few(p.s.before, k)) && " ° n is below this percentile's minimum."}</p>
  );
}
