import { useEffect, useState } from "preact/hooks";
import { ask, ProblemError } from "../api/client";
import type { Problem } from "../api/types";
import { tick } from "./store";

/** What a panel knows of its question: the last answer stays while a new one loads. */
export interface Asked<T> { data: T | null; problem: Problem | null; loading: boolean; retry: () => void }

/**
 * useQuestion asks whenever path or parameters change or the page refreshes. A
 * changed question cancels the running one. An empty path asks nothing.
 */
export function useQuestion<T>(path: string, params: URLSearchParams): Asked<T> {
  const [state, setState] = useState<{ data: T | null; problem: Problem | null; loading: boolean; of: string }>(
    { data: null, problem: null, loading: true, of: "" });
  const [again, setAgain] = useState(0);
  const query = params.toString();
  const refreshed = tick.value;
  useEffect(() => {
    if (!path) return undefined;
    const abort = new AbortController();
    setState((s) => ({ ...s, loading: true, data: s.of === path ? s.data : null }));
    ask<T>(path, new URLSearchParams(query), abort.signal).then(
      (data) => setState({ data, problem: null, loading: false, of: path }),
      (error: unknown) => {
        if (abort.signal.aborted) return;
        if (!(error instanceof ProblemError)) throw error;
        setState({ data: null, problem: error.problem, loading: false, of: path });
      });
    return () => abort.abort();
  }, [path, query, refreshed, again]);
  return { data: state.data, problem: state.problem, loading: state.loading, retry: () => setAgain(again + 1) };
}
