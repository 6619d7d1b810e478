import type { Backtest, RuleTested } from "../api/types";
import { days } from "../draw/days";
import { chosenRule, pair, ruleTitle, shownOf, testedDays, verdictOf } from "../prepare/backtest";
import { count, quantity, share } from "../prepare/format";
import { keyName } from "../prepare/hedge";
import { heldSentence, type Held } from "../prepare/walk";
import { patched } from "../state/place";
import { useQuestion } from "../state/question";
import { params, set } from "../state/store";
import { useCanvasHost } from "./chart";
import { Panel } from "./panel";

/** BacktestPanel shows what each rule would have done on days it had not seen: predicted and realised. */
export function BacktestPanel(p: { name: string; window: URLSearchParams }) {
  const q = patched(p.window, { limit: "100" });
  const asked = useQuestion<Backtest>("hedge/backtest", q);
  const pooled = params.value.has("pooled");
  const key = pooled ? null : p.name;
  const of = (b: Backtest) => chosenRule(b, params.value.get("rule"));
  const held = (b: Backtest) => { const r = of(b); const t = r && shownOf(r, key); return t && !pooled ? testedDays(t) : []; };
  return (
    <Panel title="Back-test" sub={`each day hedged by what the seven days before it say · ${pooled ? "all keys pooled" : p.name}`} path="hedge/backtest" params={q} asked={asked} height={360}
      controls={<span class="joined" role="group" aria-label="Keys of the back-test"><button aria-pressed={!pooled} onClick={() => set({ pooled: null }, true)}>This key</button><button aria-pressed={pooled} onClick={() => set({ pooled: "1" }, true)}>All keys</button></span>}
      empty={(b) => (b.rules.every((r) => r.pooled.realised === null) ? "No day of this window has enough rows before it. Widen the range to at least two days with records." : null)}
      table={(b) => <HeldTable all={held(b)} />}
      sentence={(b) => (pooled ? pooledSentence(of(b)) : heldSentence(held(b)))}>
      {(b) => (
        <div class="two late">
          <div>{pooled ? <KeysHeld rule={of(b)} /> : <Days all={held(b)} title={`${ruleTitle(of(b)?.rule ?? "")}: share of requests still waiting at the delay`} />}
            <p class="soft under">{pooled ? pooledSentence(of(b)) : heldSentence(held(b))}{!pooled && of(b) && ratioNote(of(b)!, key)}</p></div>
          <Rules b={b} name={key} chosen={of(b)} />
        </div>)}
    </Panel>
  );
}

function ratioNote(r: RuleTested, key: string | null): string {
  const t = shownOf(r, key);
  if (!t?.realised || !t.predicted) return "";
  const p = t.p_adjusted === null ? "" : `, p ${t.p_adjusted < 0.001 ? "<0.001" : t.p_adjusted.toFixed(3)} among all keys`;
  return ` All days: predicted ${share(t.predicted.trigger_ratio)}, realised ${share(t.realised.trigger_ratio)} (95 %: ${share(t.low)} to ${share(t.high)}${p}).`;
}

function pooledSentence(r: RuleTested | null): string {
  if (!r) return "";
  const told = r.keys.length - r.insufficient_data;
  return `${ruleTitle(r.rule)}: ${count(told - r.unstable)} of ${count(told)} keys held${r.insufficient_data > 0 ? `; ${count(r.insufficient_data)} more have too few rows` : ""}.`;
}

/** Rules lists the rules for the delay; choosing one shows its days. */
function Rules(p: { b: Backtest; name: string | null; chosen: RuleTested | null }) {
  return (
    <div>
      <h3>Rules for the delay: predicted → realised <span class="soft">(percentiles with an independent backup)</span></h3>
      <div class="scroll pinned" tabIndex={0} role="region" aria-label="Rules"><table class="fit">
        <thead><tr><th scope="col">Delay</th><th scope="col" class="num">Still waiting</th><th scope="col" class="num">P95</th><th scope="col" class="num">P99</th><th scope="col" class="num">P99 without</th><th scope="col" class="num">Won</th><th scope="col" class="num">Extra input</th><th scope="col">Ratio</th></tr></thead>
        <tbody>{p.b.rules.map((r) => <RuleRow key={r.rule} r={r} name={p.name} chosen={r === p.chosen} />)}</tbody>
      </table></div>
    </div>
  );
}

function RuleRow(p: { r: RuleTested; name: string | null; chosen: boolean }) {
  const t = shownOf(p.r, p.name), was = t?.predicted, is = t?.realised;
  return (
    <tr class={p.chosen ? "chosen" : ""}>
      <th scope="row"><button class="value" aria-pressed={p.chosen} onClick={() => set({ rule: p.r.rule === "p90" ? null : p.r.rule }, true)}>{ruleTitle(p.r.rule)}</button></th>
      <td class="num">{pair(was?.trigger_ratio, is?.trigger_ratio, "share")}</td><td class="num">{pair(was?.p95_ms, is?.p95_ms, "ms")}</td><td class="num">{pair(was?.p99_ms, is?.p99_ms, "ms")}</td>
      <td class="num">{quantity(is?.before_p99_ms, "ms")}</td><td class="num">{share(is?.win_rate)}</td><td class="num">{share(is?.extra_input_share)}</td>
      <td><span class={`tag ${t?.verdict === "unstable" ? "bad" : t?.realised ? "good" : "warn"}`}>{verdictOf(t)}</span></td>
    </tr>
  );
}

/** KeysHeld lists the keys on which a rule did not hold. */
function KeysHeld(p: { rule: RuleTested | null }) {
  const bad = (p.rule?.keys ?? []).filter((k) => k.verdict === "unstable");
  if (bad.length === 0) return <p class="empty">On no key was the ratio outside its interval.</p>;
  return <ul class="reasons">{bad.map((k) => <li key={keyName(k.key!)}>{keyName(k.key!)}: {k.warning}</li>)}</ul>;
}

/** Days is the drawing of predictions held against days, with its legend. */
function Days(p: { all: Held[]; title: string }) {
  return p.all.length === 0 ? <p class="empty">This key has no day with enough rows before it, or is not among those with the most rows.</p> : <Drawing {...p} />;
}

function Drawing(p: { all: Held[]; title: string }) {
  const host = useCanvasHost((el, width) => {
    days(el.querySelector("canvas")!, p.all, share, width, 200);
    return () => undefined;
  }, [p.all]);
  return (
    <>
      <h3>{p.title}</h3>
      <div ref={host} role="img" aria-label={`${p.title}. ${heldSentence(p.all)}`}><canvas /></div>
      <p class="legend soft"><span data-legend="predicted, 95 % interval" data-tone="accent"><span class="t-accent" aria-hidden="true">▯</span> predicted, 95 % interval</span><span data-legend="realised" data-tone="text"><span aria-hidden="true">●</span> realised</span><span data-legend="realised, outside" data-tone="p99"><span class="t-p99" aria-hidden="true">□</span> realised, outside</span><span>days in UTC</span></p>
    </>
  );
}

function HeldTable(p: { all: Held[] }) {
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label="Days as a table"><table>
      <thead><tr><th scope="col">Day (UTC)</th><th scope="col" class="num">Delay</th><th scope="col" class="num">Learned from n</th><th scope="col" class="num">Predicted</th><th scope="col" class="num">95 % interval</th><th scope="col" class="num">Realised</th><th scope="col" class="num">n</th></tr></thead>
      <tbody>{p.all.map((d) => (
        <tr key={d.day}><th scope="row">{d.day}</th><td class="num">{quantity(d.delay, "ms")}</td><td class="num">{count(d.trainN)}</td><td class="num">{share(d.predicted)}</td><td class="num">{share(d.low)} … {share(d.high)}</td><td class="num">{share(d.realised)}{d.out && " outside"}</td><td class="num">{count(d.n)}</td></tr>))}
      </tbody>
    </table></div>
  );
}
