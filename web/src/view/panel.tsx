import type { ComponentChildren } from "preact";
import { useRef, useState } from "preact/hooks";
import { apiURL, ask, ProblemError } from "../api/client";
import type { Meta, Problem } from "../api/types";
import { savePNG } from "../draw/png";
import { cost, provenance, warnings } from "../prepare/meta";
import { curlLine, fileName, sqlText } from "../prepare/take";
import type { Asked } from "../state/question";
import { copy, notice, say } from "../state/store";

interface Props<T extends { meta: Meta }> {
  title: string; sub?: string; path: string; params: URLSearchParams; asked: Asked<T>;
  height?: number; empty?: (data: T) => string | null; controls?: ComponentChildren;
  /** The same numbers as a table, for a panel that draws them. */
  table?: (data: T) => ComponentChildren;
  /** One sentence with what the drawing shows. */
  sentence?: (data: T) => string;
  children: (data: T) => ComponentChildren;
}

/** Panel frames one answer: its states, how it was computed, and ways to take it along. */
export function Panel<T extends { meta: Meta }>(p: Props<T>) {
  const [asTable, setAsTable] = useState(false);
  const box = useRef<HTMLElement>(null);
  const { data, problem, loading, retry } = p.asked;
  const nothing = data && p.empty ? p.empty(data) : null;
  return (
    <section ref={box} class="card" aria-busy={loading} aria-label={p.title}>
      <div class="head">
        <h2>{p.title}</h2>
        {p.sub && <span class="sub">{p.sub}</span>}
        <div class="acts">
          {p.controls}
          <span class="takes">
            {p.table && <button class="quiet" aria-pressed={asTable} onClick={() => setAsTable(!asTable)}>{asTable ? "View as chart" : "View as table"}</button>}
            <Take path={p.path} params={p.params} picture={p.table && data && !nothing && !asTable ? () => savePNG(box.current!, p.title, p.sub ?? "", data.meta, fileName(p.path, data.meta.from, data.meta.to, "png")) : null} />
          </span>
        </div>
      </div>
      {problem && <Failed problem={problem} retry={retry} stale={data !== null} />}
      {!problem && !data && <Skeleton height={p.height ?? 160} what={p.title} />}
      {data && (
        <div class={loading || problem ? "loading" : ""}>
          {nothing ? <div class="empty">{nothing}</div> : asTable && p.table ? p.table(data) : p.children(data)}
          {!nothing && p.sentence && <p class={asTable ? "soft" : "sr"}>{p.sentence(data)}</p>}
          <Provenance meta={data.meta} />
        </div>
      )}
    </section>
  );
}

/** Skeleton keeps the place of an answer that is on its way. */
export function Skeleton(p: { height: number; what: string }) {
  return <div class="skeleton" style={{ "--h": `${p.height}px` }} role="status"><span class="sr">Loading {p.what}</span></div>;
}

/** Failed shows what went wrong, with the request id and a way to try again. */
export function Failed(p: { problem: Problem; retry: () => void; stale?: boolean }) {
  return (
    <div class="failed" role="alert">
      <strong>{p.problem.title}</strong>
      <div>{p.problem.detail}</div>
      {p.problem.errors.filter((e) => !p.problem.detail.includes(e.message)).map((e) => <div key={e.location + e.message}><span class="mono">{e.location}</span> {e.message}{e.nearest.length > 0 && !e.message.includes(e.nearest[0]!) && <> – did you mean {e.nearest.join(", ")}?</>}</div>)}
      {p.stale && <div>Below stands the last good answer to this question.</div>}
      <div class="soft"><button onClick={p.retry}>Retry</button>{p.problem.instance && <> Request id <span class="mono">{p.problem.instance}</span></>}</div>
    </div>
  );
}

/** Provenance says n, window, table and cost of an answer, and its warnings. */
export function Provenance(p: { meta: Meta }) {
  const all = warnings(p.meta, notice.value);
  return (
    <div class="provenance">
      {all.length === 1 && <p class="warning">{all[0]}</p>}
      {all.length > 1 && (
        <details class="warning">
          <summary><span class="first">{all[0]}</span> <span class="more">and {all.length - 1} more</span></summary>
          <ul>{all.slice(1).map((w) => <li key={w}>{w}</li>)}</ul>
        </details>
      )}
      <div class="foot">{provenance(p.meta).map((part) => <span key={part}>{part}</span>)}<span>{cost(p.meta)}</span></div>
    </div>
  );
}

/** Take offers a question and its answer as curl line, SQL, CSV and, where it is drawn, picture. */
export function Take(p: { path: string; params: URLSearchParams; picture: (() => Promise<void>) | null }) {
  const csv = new URLSearchParams(p.params);
  csv.set("format", "csv");
  const range = [p.params.get("from") ?? "", p.params.get("to") ?? ""] as const;
  return (
    <>
      <button class="quiet" title="Copy this question as a curl line" onClick={() => void copy(curlLine(location.origin + apiURL(p.path, p.params)), "curl line")}>curl</button>
      <button class="quiet" title="Copy the SQL behind this answer" onClick={() => void copySQL(p.path, p.params)}>SQL</button>
      <a class="quiet" href={apiURL(p.path, csv)} download={fileName(p.path, ...range, "csv")} title="Download as CSV">CSV</a>
      {p.picture && <button class="quiet" title="Download the picture as PNG" onClick={() => void p.picture!()}>PNG</button>}
    </>
  );
}

async function copySQL(path: string, params: URLSearchParams): Promise<void> {
  const q = new URLSearchParams(params);
  q.set("explain", "sql");
  try {
    const answer = await ask<{ meta: Meta }>(path, q);
    await copy(sqlText(answer.meta.sql ?? []), "SQL");
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error;
    say(`SQL not copied: ${error.problem.title}`);
  }
}
