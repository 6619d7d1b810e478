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

/** ask fetches one answer; aborting the signal cancels the query on the server. */
export async function ask<T>(path: string, params: URLSearchParams, signal: AbortSignal): Promise<T> {
  let response: Response;
  try {
    response = await fetch(apiURL(path, params), { signal, headers: { Accept: "application/json" } });
  } catch (cause) {
    if (signal.aborted) throw cause;
    throw new ProblemError(local("The server can't be reached", "Check that headway is running, then retry."));
  }
  if (response.ok) return (await response.json()) as T;
  let problem: Problem;
  try {
    problem = (await response.json()) as Problem;
  } catch {
    problem = local(`The server answered ${response.status}`, "It gave no reason. Its log, by the request id, tells more.");
    problem.instance = response.headers.get("X-Request-Id") ?? "";
  }
  throw new ProblemError(problem);
}

function local(title: string, detail: string): Problem {
  return { type: "about:blank", title, status: 0, detail, instance: "", errors: [] };
}
