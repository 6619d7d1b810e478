import type { Problem } from "./types";

/** An error answer of the server, with everything a person needs. */
export class ProblemError extends Error {
  constructor(readonly problem: Problem) { super(problem.title); }
}

/** apiURL is the address of a question, as curl would use it. */
export function apiURL(path: string, params: URLSearchParams): string {
  const query = params.toString();
  return `/api/v1/${path}${query ? `?${query}` : ""}`;
}

/**
 * ask fetches one answer; aborting the signal cancels the query on the server.
 * It rejects with ProblemError, or with the abort.
 */
export async function ask<T>(path: string, params: URLSearchParams, signal?: AbortSignal): Promise<T> {
  let response: Response;
  try {
    response = await fetch(apiURL(path, params), { signal: signal ?? null, cache: "no-cache", headers: { Accept: "application/json" } });
  } catch (cause) {
    if (signal?.aborted) throw cause;
    throw new ProblemError(local("The server can't be reached", "Check that headway is running, then retry.", ""));
  }
  const id = response.headers.get("X-Request-Id") ?? "";
  let body: unknown;
  try {
    body = await response.json();
  } catch (cause) {
    if (signal?.aborted) throw cause;
    throw new ProblemError(local(`The server answered ${response.status} and no JSON`, "Its log, by the request id, tells more.", id));
  }
  if (response.ok) return body as T;
  throw new ProblemError(complete(body as Partial<Problem>, response.status, id));
}

/** complete fills what an error answer of a proxy in between lacks. */
function complete(p: Partial<Problem>, status: number, id: string): Problem {
  return {
    type: p.type ?? "about:blank", title: p.title ?? `The server answered ${status}`, status,
    detail: p.detail ?? "It gave no reason. Its log, by the request id, tells more.", instance: p.instance ?? id, errors: p.errors ?? [],
  };
}

function local(title: string, detail: string, instance: string): Problem {
  return { type: "about:blank", title, status: 0, detail, instance, errors: [] };
}
