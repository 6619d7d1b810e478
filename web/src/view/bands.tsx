import type { Bands as Shape } from "../api/types";
import { count, quantity, share } from "../prepare/format";

/** Bands shows a key's rows by input size: whether one delay hedges the long prompts and few others. */
export function Bands(p: { bands: Shape; delay: number | null }) {
  return (
    <div>
      <h3>By input size: who would get the backups</h3>
      <p class={p.bands.differ ? "warning" : "soft under"}>{p.bands.note}</p>
      <div class="scroll" tabIndex={0} role="region" aria-label="Input sizes"><table class="fit">
        <thead><tr><th scope="col">Input tokens</th><th scope="col" class="num">Own P90</th><th scope="col" class="num">Hedged after {quantity(p.delay, "ms")}</th><th scope="col" class="num">Of all hedges</th><th scope="col" class="num">Of all requests</th><th scope="col" class="num">n</th></tr></thead>
        <tbody>{p.bands.bands.map((b) => (
          <tr key={b.band}><th scope="row">{b.band}</th><td class="num" title={b.interval.low_ms === null || b.interval.high_ms === null ? undefined : `95 % interval ${quantity(b.interval.low_ms, "ms")} to ${quantity(b.interval.high_ms, "ms")}`}>{quantity(b.hedge_after_ms, "ms")}</td><td class="num">{share(b.trigger_ratio)}</td>
            <td class="num bar"><i style={{ width: `${(b.hedge_share ?? 0) * 100}%` }} /><span>{share(b.hedge_share)}</span></td><td class="num">{share(b.share)}</td><td class="num">{count(b.n)}</td></tr>))}
        </tbody>
      </table></div>
    </div>
  );
}
