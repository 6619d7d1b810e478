import type { Attempt, Fields, Requests } from "../api/types";
import { count, name, quantity, when } from "../prepare/format";
import { scope } from "../state/place";
import { useQuestion } from "../state/question";
import { href, params, set, utc } from "../state/store";
import { Panel } from "./panel";
import { MetricPicker } from "./percentiles";
import { follow } from "./shell";

/** RequestsPanel answers "show me one": single attempts, newest or slowest first. */
export function RequestsPanel(p: { fields: Fields | null; limit: number }) {
  const q = scope(params.value);
  const metric = params.value.get("metric");
  if (metric) q.set("metric", metric);
  q.set("sort", params.value.get("sort") ?? "slow");
  q.set("limit", String(p.limit));
  const page = params.value.get("page");
  if (page) q.set("page", page);
  const asked = useQuestion<Requests>("requests", q);
  return (
    <Panel title="Requests" sub="attempts with labels; open one for its timeline" path="requests" params={q} asked={asked} height={320}
      controls={<>
        <MetricPicker fields={p.fields} value={metric ?? asked.data?.meta.metric?.name ?? ""} />
        <select aria-label="Sort" value={q.get("sort")!} onChange={(e) => set({ sort: e.currentTarget.value, page: null })}><option value="slow">Slowest first</option><option value="time">Newest first</option></select>
      </>}
      empty={(a) => (a.attempts.length === 0 ? "No attempts in the window. Widen the range or drop a filter." : null)}>
      {(a) => <List a={a} />}
    </Panel>
  );
}

function List(p: { a: Requests }) {
  const metric = p.a.meta.metric?.name ?? "first_response_ms";
  const unit = p.a.meta.metric?.unit ?? "ms";
  return (
    <>
      <div class="scroll"><table>
        <thead><tr><th>Received</th><th>Request</th><th>Model</th><th>Route</th><th>Provider · channel</th><th>Outcome</th><th class="num">{p.a.meta.metric?.title ?? metric}</th><th class="num">Total</th><th class="num">Input tokens</th><th>Label</th></tr></thead>
        <tbody>{p.a.attempts.map((r) => <Row key={r.request_id + r.attempt + r.role} r={r} metric={metric} unit={unit} />)}</tbody>
      </table></div>
      <div class="head">
        {params.value.has("page") && <button onClick={() => history.back()}>Previous page</button>}
        {p.a.next_page && <button onClick={() => set({ page: p.a.next_page! })}>Next page</button>}
      </div>
    </>
  );
}

function Row(p: { r: Attempt; metric: string; unit: string }) {
  const { r } = p;
  const v = r.timing[p.metric];
  return (
    <tr>
      <td>{when(r.created_at, utc.value)}</td>
      <td><a class="mono" href={href(location.pathname, { open: r.request_id })} onClick={follow}>{r.request_id.slice(0, 26)}</a>{r.role !== "primary" && <span class="tag">{r.role}</span>}</td>
      <td>{r.model}</td><td>{name(r.route)}</td><td>{name(r.provider)}{r.channel ? ` · ${r.channel}` : ""}</td>
      <td>{r.outcome === "completed" ? "completed" : <span class="tag bad">{name(r.outcome)}{r.status ? ` ${r.status}` : ""}</span>}</td>
      <td class="num">{quantity(typeof v === "number" ? v : null, p.unit)}</td>
      <td class="num">{quantity(r.timing.total_handler_ms as number | null, "ms")}</td>
      <td class="num">{count(r.input_tokens)}</td>
      <td>{r.labels.length > 0 ? r.labels.map((l) => <span key={l} class="tag warn">{l.replaceAll("_", " ")}</span>) : <span class="soft">{r.label}</span>}</td>
    </tr>
  );
}
