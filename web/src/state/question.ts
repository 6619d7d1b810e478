import { useEffect, useRef, useState } from "preact/hooks";
import { ask, ProblemError } from "../api/client";
import type { Problem } from "../api/types";
import { resolved, tick } from "./store";

/** What a panel knows of its question: the last answer stays while a new one loads. */
export interface Asked<T> {
  data: T | null; problem: Problem | null; loading: boolean; retry: () => void;
  /** Whether data, or problem, is of the very question asked now. */
  current: boolean;
}

interface State<T> { data: T | null; problem: Problem | null; loading: boolean; of: string; path: string }

/**
 * useQuestion asks whenever path or parameters change or the page refreshes. A
 * changed question cancels the running one. An answer to the same question
 * stays beside the problem of a failed refresh. An empty path asks nothing.
 */
export function useQuestion<T>(path: string, params: URLSearchParams): Asked<T> {
  const [state, setState] = useState<State<T>>({ data: null, problem: null, loading: path !== "", of: "", path });
  const [again, setAgain] = useState(0);
  const query = params.toString();
  const refreshed = tick.value;
  const asked = useRef("");
  useEffect(() => {
    if (!path) {
      setState({ data: null, problem: null, loading: false, of: "", path });
      return undefined;
    }
    const abort = new AbortController();
    asked.current = `${path}?${query}`;
    setState((s) => ({ ...s, loading: true, path, data: s.path === path ? s.data : null, problem: s.of === asked.current ? s.problem : null }));
    ask<T>(path, new URLSearchParams(query), abort.signal).then(
      (data) => {
        if (abort.signal.aborted) return;
        if (!path.startsWith("requests/")) remember(data); // one request's cohort has a window of its own
        setState({ data, problem: null, loading: false, of: `${path}?${query}`, path });
      },
      (error: unknown) => {
        if (abort.signal.aborted) return;
        if (!(error instanceof ProblemError)) throw error;
        setState((s) => ({ data: s.of === `${path}?${query}` ? s.data : null, problem: error.problem, loading: false, of: `${path}?${query}`, path }));
      });
    return () => abort.abort();
  }, [path, query, refreshed, again]);
  return { data: state.data, problem: state.problem, loading: state.loading, retry: () => setAgain(again + 1), current: state.of === `${path}?${query}` };
}

/** remember keeps the window as the server resolved it, for absolute links and for zooming out. */
function remember(answer: unknown): void {
  const meta = (answer as { meta?: { from?: string; to?: string } }).meta;
  if (meta?.from && meta.to) resolved.value = { from: meta.from, to: meta.to };
}
