import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { apiURL } from "../api/client";
import type { Meta, Problem } from "../api/types";
import { count, quantity } from "../prepare/format";
import { provenance } from "../prepare/meta";
import type { Asked } from "../state/question";

interface Props<T extends { meta: Meta }> {
  title: string; sub?: string; path: string; params: URLSearchParams; asked: Asked<T>;
  height?: number; empty?: (data: T) => string | null; controls?: ComponentChildren;
  table?: (data: T) => ComponentChildren; children: (data: T) => ComponentChildren;
}

/** Panel frames one answer: its states, how it was computed, and ways to take it along. */
export function Panel<T extends { meta: Meta }>(p: Props<T>) {
  const [asTable, setAsTable] = useState(false);
  const { data, problem, loading, retry } = p.asked;
  const nothing = data && p.empty ? p.empty(data) : null;
  return (
    <section class="card" aria-busy={loading} aria-label={p.title}>
      <div class="head">
        <h2>{p.title}</h2>
        {p.sub && <span class="sub">{p.sub}</span>}
        <div class="acts">
          {p.controls}
          {p.table && <button class="quiet" aria-pressed={asTable} onClick={() => setAsTable(!asTable)}>{asTable ? "View as chart" : "View as table"}</button>}
          <Take path={p.path} params={p.params} />
        </div>
      </div>
      {problem && <Failed problem={problem} retry={retry} />}
      {!problem && !data && <div class="skeleton" style={{ "--h": `${p.height ?? 160}px` }} role="status"><span class="sr">Loading {p.title}</span></div>}
      {data && !problem && (
        <div class={loading ? "loading" : ""}>
          {nothing ? <div class="empty">{nothing}</div> : asTable && p.table ? p.table(data) : p.children(data)}
          <Provenance meta={data.meta} />
        </div>
      )}
    </section>
  );
}

/** Failed shows what went wrong, with the request id and a way to try again. */
export function Failed(p: { problem: Problem; retry: () => void }) {
  return (
    <div class="failed" role="alert">
      <strong>{p.problem.title}</strong>
      <div>{p.problem.detail}</div>
      {p.problem.errors.map((e) => <div key={e.location + e.message}><span class="mono">{e.location}</span> {e.message}{e.nearest.length > 0 && <> – did you mean {e.nearest.join(", ")}?</>}</div>)}
      <div class="soft">{p.problem.instance && <>Request id <span class="mono">{p.problem.instance}</span> </>}<button onClick={p.retry}>Retry</button></div>
    </div>
  );
}

/** Provenance says n, window, table and cost of an answer, and its warnings. */
export function Provenance(p: { meta: Meta }) {
  const m = p.meta;
  return (
    <>
      {m.warnings.length > 0 && <ul class="warnings">{m.warnings.map((w) => <li key={w}>{w}</li>)}</ul>}
      <div class="foot">
        {provenance(m).map((part) => <span key={part}>{part}</span>)}
        <span>{m.table ? `${m.table}, ` : ""}{count(m.rows_read)} rows read in {quantity(m.elapsed_ms, "ms")}, {m.approximation}</span>
      </div>
    </>
  );
}

function Take(p: { path: string; params: URLSearchParams }) {
  const [said, setSaid] = useState("");
  const copy = async (text: string, what: string) => {
    await navigator.clipboard.writeText(text);
    setSaid(`${what} copied`);
    setTimeout(() => setSaid(""), 2000);
  };
  const address = () => location.origin + apiURL(p.path, p.params);
  const sql = async () => {
    const q = new URLSearchParams(p.params);
    q.set("explain", "sql");
    const answer = (await (await fetch(apiURL(p.path, q))).json()) as { meta: Meta };
    await copy((answer.meta.sql ?? []).map((s) => `-- ${s.name} ${JSON.stringify(s.params)}\n${s.sql}`).join(";\n\n"), "SQL");
  };
  const csv = new URLSearchParams(p.params);
  csv.set("format", "csv");
  return (
    <>
      <span role="status" class="soft">{said}</span>
      <button class="quiet" title="Copy this question as a curl line" onClick={() => void copy(`curl '${address()}'`, "curl")}>curl</button>
      <button class="quiet" title="Copy the SQL behind this answer" onClick={() => void sql()}>SQL</button>
      <a class="quiet" href={apiURL(p.path, csv)} download="headway.csv" title="Download as CSV">CSV</a>
    </>
  );
}
