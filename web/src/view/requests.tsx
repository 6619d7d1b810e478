import type { Attempt, Fields, Requests } from "../api/types";
import { count, name, quantity, when, words } from "../prepare/format";
import { scope } from "../state/place";
import { useQuestion } from "../state/question";
import { href, params, place, set, utc } from "../state/store";
import { Panel } from "./panel";
import { MetricPicker } from "./pickers";
import { follow } from "./shell";
import { Value } from "./value";

/** RequestsPanel answers "show me one": single attempts, newest or slowest first. */
export function RequestsPanel(p: { fields: Fields | null; limit: number }) {
  const q = scope(place.value);
  const metric = params.value.get("metric");
  if (metric) q.set("metric", metric);
  const sort = params.value.get("sort") ?? "slow";
  q.set("sort", sort);
  q.set("limit", String(p.limit));
  const page = params.value.get("page");
  if (page) q.set("page", page);
  const asked = useQuestion<Requests>("requests", q);
  const m = asked.data?.meta.metric;
  return (
    <Panel title="Requests" sub={sort === "slow" ? `slowest by ${m?.title ?? "the metric"}; open one for its timeline` : "newest attempts; open one for its timeline"} path="requests" params={q} asked={asked} height={320}
      controls={<>
        <MetricPicker fields={p.fields} value={metric ?? m?.name ?? ""} />
        <select aria-label="Sort" value={sort} onChange={(e) => set({ sort: e.currentTarget.value, page: null })}><option value="slow">Slowest first</option><option value="time">Newest first</option></select>
      </>}
      empty={(a) => (a.attempts.length === 0 ? "No attempts in the window. Widen the range or drop a filter." : null)}>
      {(a) => <List a={a} />}
    </Panel>
  );
}

function List(p: { a: Requests }) {
  const metric = p.a.meta.metric;
  return (
    <>
      <div class="scroll" tabIndex={0} role="region" aria-label="Attempts"><table class="list">
        <thead><tr><th scope="col">Received, {utc.value ? "UTC" : "local"}</th><th scope="col">Request</th><th scope="col">Model</th><th scope="col">Route</th><th scope="col">Provider · channel</th><th scope="col">Outcome</th>
          {metric && <th scope="col" class="num" title={`${metric.start} → ${metric.end}`}>{metric.title}</th>}<th scope="col" class="num">Total</th><th scope="col" class="num">Input tokens</th><th scope="col">Slow stages</th></tr></thead>
        <tbody>{p.a.attempts.map((r) => <Row key={r.request_id + r.attempt + r.role} r={r} metric={metric?.name ?? ""} unit={metric?.unit ?? ""} />)}</tbody>
      </table></div>
      <div class="pager">
        {params.value.has("page") && <button onClick={() => history.back()}>Previous page</button>}
        {p.a.next_page && <button onClick={() => set({ page: p.a.next_page! })}>Next page</button>}
      </div>
    </>
  );
}

function Row(p: { r: Attempt; metric: string; unit: string }) {
  const { r } = p;
  const v = (r.timing as unknown as Record<string, unknown>)[p.metric];
  return (
    <tr>
      <td class="nowrap" title={when(r.created_at, utc.value)}>{when(r.created_at, utc.value).slice(5).replace(" UTC", "")}</td>
      <td class="nowrap"><a class="mono" data-open={r.request_id} href={href(place.value.page, { open: r.request_id })} onClick={follow} title={r.request_id}>{r.request_id.length > 26 ? `${r.request_id.slice(0, 25)}…` : r.request_id}</a>{r.role !== "primary" && <> <span class="tag">{r.role}</span></>}</td>
      <td><Value dimension="model" value={r.model} /></td><td><Value dimension="route" value={r.route} /></td>
      <td class="nowrap"><Value dimension="provider" value={r.provider} />{r.channel && <> · <Value dimension="channel" value={r.channel} /></>}</td>
      <td>{r.outcome === "completed" ? "completed" : <span class="tag bad">{words(name(r.outcome))}{r.status ? ` ${r.status}` : ""}</span>}</td>
      {p.metric && <td class="num">{typeof v === "number" ? quantity(v, p.unit) : r.at_least_ms !== null ? <span title="Ended without it: a lower bound">≥ {quantity(r.at_least_ms, "ms")}</span> : <span class="grey" title="not recorded, or does not apply">–</span>}</td>}
      <td class="num">{quantity(r.timing.total_handler_ms, "ms")}</td>
      <td class="num">{count(r.input_tokens)}</td>
      <td class="labels">{r.labels.length > 0 ? r.labels.map((l) => <span key={l} class="tag warn">{words(l)}</span>) : <span class="soft">{r.label === "healthy" ? "none" : r.label}</span>}</td>
    </tr>
  );
}
