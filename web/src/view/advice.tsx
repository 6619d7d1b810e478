import type { Advice } from "../api/types";
import { change, few } from "../prepare/advice";
import { count, number, quantity, share, span, words } from "../prepare/format";
import { keyFilters, keyName, tally, verdictSign, verdictTone } from "../prepare/hedge";
import { params, set } from "../state/store";

/** Verdict is a verdict as a tag with a shape and a word. */
export function Verdict(p: { verdict: string; big?: boolean }) {
  return <span class={`tag verdict ${verdictTone(p.verdict)}${p.big ? " big" : ""}`}><span aria-hidden="true">{verdictSign(p.verdict)}</span> {words(p.verdict)}</span>;
}

/** Keys lists all keys as the API ranks them, by seconds saved; verdict and name narrow the list. */
export function Keys(p: { keys: Advice[]; chosen: Advice | null }) {
  const verdict = params.value.get("verdict") ?? "", find = params.value.get("find") ?? "";
  const counts = tally(p.keys);
  const shown = p.keys.filter((k) => (!verdict || k.verdict === verdict) && keyName(k.key).toLowerCase().includes(find.toLowerCase()));
  const anySet = p.keys.some((k) => k.configured_hedge_after_ms !== null);
  const only = (v: string) => set({ verdict: v || null }, true);
  return (
    <>
      <div class="filters">
        <span class="joined" role="group" aria-label="Verdict">
          <button aria-pressed={verdict === ""} onClick={() => only("")}>All <span class="soft">{count(p.keys.length)}</span></button>
          {counts.map(([v, n]) => <button key={v} aria-pressed={verdict === v} onClick={() => only(v)}><span aria-hidden="true">{verdictSign(v)}</span> {words(v)} <span class="soft">{count(n)}</span></button>)}
        </span>
        <input type="search" aria-label="Find a key" placeholder="Find a key" value={find} onInput={(e) => set({ find: e.currentTarget.value || null }, true)} />
      </div>
      <div class="scroll tall pinned" tabIndex={0} role="region" aria-label="Keys"><table class="keys">
        <thead><tr><th scope="col">Key</th><th scope="col">Verdict</th><th scope="col" class="num">Saves a week</th><th scope="col" class="num">Hedge after <span class="soft">95 % interval</span></th>{anySet && <th scope="col" class="num">Configured</th>}<th scope="col" class="num">Triggers for</th><th scope="col" class="num">Win chance*</th>
          <th scope="col" class="num">P95 → indep. / pess.</th><th scope="col" class="num">P99 → indep. / pess.</th><th scope="col" class="num">Extra input</th><th scope="col" class="num">n</th></tr></thead>
        <tbody>{shown.map((k) => <KeyRow key={keyName(k.key)} k={k} chosen={k === p.chosen} configured={anySet} />)}</tbody>
      </table></div>
      {shown.length === 0 && <p class="empty">No key matches.</p>}
      <p class="soft under">* With an independent backup. What a key would save is in the measured case where there is one, else in the pessimistic. Percentiles below their minimum n are not shown. A hedge at P90 leaves every percentile up to P90 as it is.</p>
    </>
  );
}

function KeyRow(p: { k: Advice; chosen: boolean; configured: boolean }) {
  const { k } = p;
  const choose = () => {
    set({ key: keyFilters(k.key), d: null });
    scrollTo({ top: 0 });
  };
  const tails = (of: "p95" | "p99") => (
    few(k.before, of) ? <td class="num grey">n too small</td>
      : <td class="num">{change(k, of)}</td>
  );
  return (
    <tr class={p.chosen ? "chosen" : ""}>
      <td><button class="value" data-row aria-pressed={p.chosen} onClick={choose}>{keyName(k.key)}</button></td>
      <td><Verdict verdict={k.verdict} /></td>
      <td class="num" title={k.seconds_saved_case ? `${k.seconds_saved_case} case` : undefined}>{span(k.seconds_saved_per_week)}</td>
      <td class="num">{quantity(k.hedge_after_ms, "ms")} <span class="soft">{k.interval.low_ms === null && k.interval.high_ms === null ? "" : `(${number(k.interval.low_ms)} … ${k.interval.high_ms === null ? "no bound" : number(k.interval.high_ms)})`}</span></td>
      {p.configured && <td class="num">{quantity(k.configured_hedge_after_ms, "ms")}</td>}
      <td class="num">{share(k.trigger_ratio)}</td><td class="num">{share(k.win_chance)}</td>
      {tails("p95")}{tails("p99")}
      <td class="num">{share(k.cost?.extra_input_share)}</td>
      <td class="num">{count(k.n)}</td>
    </tr>
  );
}
