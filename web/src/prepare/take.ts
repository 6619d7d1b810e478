// What a person takes along from a panel: a curl line, SQL, file names.

import type { Statement } from "../api/types";

/** curlLine asks the same question from a shell. */
export function curlLine(address: string): string {
  return `curl -sS '${address.replaceAll("'", "%27")}'`;
}

/** sqlText joins the statements behind an answer; each sets its parameters itself. */
export function sqlText(statements: Statement[]): string {
  return statements.map((s) => `-- ${s.name}\n${s.sql.trim().replace(/;?$/, ";")}\n`).join("\n");
}

/** fileName names a download by question, window and kind. */
export function fileName(question: string, from: string, to: string, kind: string): string {
  const safe = (s: string) => s.replace(/[^A-Za-z0-9._-]+/g, "-").replace(/^-+|-+$/g, "");
  return `headway-${safe(question)}-${safe(from)}-${safe(to)}.${kind}`;
}
