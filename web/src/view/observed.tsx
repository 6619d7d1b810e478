import type { Observed, ObservedKey } from "../api/types";
import { count, quantity, share } from "../prepare/format";
import { keyFilters, keyName } from "../prepare/hedge";
import { bracket, cause, causeTone, counted, proportion, really, tailOf, tokens } from "../prepare/observed";
import { useQuestion } from "../state/question";
import { set } from "../state/store";
import { Panel } from "./panel";

/** ObservedPanel says what hedging really did, where records carry a delay or backups. */
export function ObservedPanel(p: { name: string | null; window: URLSearchParams }) {
  const asked = useQuestion<Observed>("hedge/observed", p.window);
  return (
    <Panel title="Observed hedging" sub="what backups really did; shares with 95 % intervals" path="hedge/observed" params={p.window} asked={asked} height={260}
      empty={(o) => (really(o.keys).length === 0 ? "No record of this window carries a hedge delay or a backup: nothing was hedged, or the gateway does not record it (hedge_after_ms, role)." : null)}>
      {(o) => { const keys = really(o.keys); return <><One k={keys.find((k) => keyName(k.key) === p.name) ?? null} name={p.name} /><Table keys={keys} name={p.name} /></>; }}
    </Panel>
  );
}

/** One shows the chosen key in full. */
function One(p: { k: ObservedKey | null; name: string | null }) {
  const { k } = p;
  if (!k) return <p class="soft under">{p.name} was not hedged in this window; the keys below were.</p>;
  const fact = (of: string, is: string, more: string) => <div key={of}><dt>{of}</dt><dd>{is} <span>{more}</span></dd></div>;
  return (
    <>
      <p><strong>{keyName(k.key)}</strong> <span class={`tag ${causeTone(k.diagnosis.cause)}`}>{cause(k.diagnosis.cause)}</span> <span class="soft">{k.diagnosis.reason}</span></p>
      <dl class="facts">
        {fact("Beyond their delay", counted(k.beyond), `${share(k.beyond.share)}${k.diagnosis.alarm === null ? "" : `; alarm above ${share(k.diagnosis.alarm)}`}`)}
        {fact("Hedged", counted(k.hedged), `${count(k.backups)} backups`)}
        {fact("Backup came first", counted(k.wins), proportion(k.wins))}
        {fact("Backups that worked", counted(k.backup_success), proportion(k.backup_success))}
        {fact("Not hedged though beyond", counted(k.kept), k.refused_estimate === null ? "held out, or the budget was used up" : `held out; budget used up for about ${share(k.refused_estimate)}`)}
        {fact("Extra tokens", `≥ ${share(k.extra_tokens.input_share_at_least)}`, tokens(k))}
      </dl>
      <div class="scroll" tabIndex={0} role="region" aria-label="Waits with and without hedging"><table class="narrow-table">
        <thead><tr><th scope="col">First-token wait</th><th scope="col" class="num">P95</th><th scope="col" class="num">P99</th><th scope="col">From</th></tr></thead>
        <tbody>
          <tr><th scope="row">What clients waited</th><td class="num">{tailOf(k.users, "p95")}</td><td class="num">{tailOf(k.users, "p99")}</td><td class="soft">n {count(k.requests)}</td></tr>
          <tr><th scope="row">Without hedging, estimated</th>{(["p95", "p99"] as const).map((q) => <td key={q} class="num">{tailOf(k.unhedged_estimate, q)} <span class="soft">{bracket(k, q)}</span></td>)}<td class="soft">Kaplan–Meier, same window, with its bounds</td></tr>
          <tr><th scope="row">Without hedging, control</th><td class="num">{quantity(k.control.p95_ms, "ms")}</td><td class="num">{quantity(k.control.p99_ms, "ms")}</td><td class="soft">{k.control.n === 0 ? "nothing was held out" : `n ${count(k.control.n)} held out beyond the delay`}</td></tr>
        </tbody>
      </table></div>
    </>
  );
}

function Table(p: { keys: ObservedKey[]; name: string | null }) {
  return (
    <div class="scroll pinned short" tabIndex={0} role="region" aria-label="Hedged keys"><table>
      <thead><tr><th scope="col">Key</th><th scope="col">Ratio</th><th scope="col" class="num">Beyond delay</th><th scope="col" class="num">Hedged</th><th scope="col" class="num">Backup first</th><th scope="col" class="num">Backups worked</th><th scope="col" class="num">P95 now / without</th><th scope="col" class="num">P99 now / without</th><th scope="col" class="num">Extra input, at least</th><th scope="col" class="num">n</th></tr></thead>
      <tbody>{p.keys.map((k) => (
        <tr key={keyName(k.key)} class={keyName(k.key) === p.name ? "chosen" : ""}>
          <td><button class="value" aria-pressed={keyName(k.key) === p.name} onClick={() => set({ key: keyFilters(k.key), d: null })}>{keyName(k.key)}</button></td>
          <td><span class={`tag ${causeTone(k.diagnosis.cause)}`}>{cause(k.diagnosis.cause)}</span></td>
          <td class="num">{share(k.beyond.share)}</td><td class="num">{count(k.hedged.count)}</td><td class="num">{share(k.wins.share)} <span class="soft">n {count(k.wins.of)}</span></td><td class="num">{share(k.backup_success.share)} <span class="soft">n {count(k.backup_success.of)}</span></td>
          <td class="num">{tailOf(k.users, "p95")} / {tailOf(k.unhedged_estimate, "p95")}</td><td class="num">{tailOf(k.users, "p99")} / {tailOf(k.unhedged_estimate, "p99")}</td>
          <td class="num">{share(k.extra_tokens.input_share_at_least)}</td><td class="num">{count(k.requests)}</td>
        </tr>))}
      </tbody>
    </table></div>
  );
}
