import type { Timeline } from "../api/types";

/** Bar is one stage on the shared axis, as shares of its length. */
export interface Bar { stage: string; left: number; width: number; ms: number; estimated: boolean }

export interface Lane { attempt: Timeline; bars: Bar[]; marks: { name: string; left: number; ms: number }[] }

const instants: [string, string][] = [
  ["first_sse_event_ms", "first event"], ["first_response_ms", "first effective response"],
  ["first_text_delta_ms", "first visible text"], ["upstream_done_ms", "upstream done"],
];

/** lanes places every attempt of a request on one time axis; a missing time draws nothing. */
export function lanes(attempts: Timeline[]): { lanes: Lane[]; totalMs: number } {
  const ends = attempts.flatMap((a) => [
    ...a.spans.map((s) => a.offset_ms + s.end_ms),
    ...["total_handler_ms", "upstream_done_ms", ...instants.map(([f]) => f)].map((f) => num(a, f)).filter((v): v is number => v !== null).map((v) => a.offset_ms + v),
  ]);
  const totalMs = Math.max(0, ...ends);
  const at = (a: Timeline, ms: number) => (totalMs > 0 ? (a.offset_ms + ms) / totalMs : 0);
  return {
    totalMs,
    lanes: attempts.map((a) => ({
      attempt: a,
      bars: a.spans.map((s) => ({ stage: s.stage, left: at(a, s.start_ms), width: at(a, s.end_ms) - at(a, s.start_ms), ms: s.end_ms - s.start_ms, estimated: s.estimated })),
      marks: instants.flatMap(([field, label]) => {
        const ms = num(a, field);
        return ms === null ? [] : [{ name: label, left: at(a, ms), ms }];
      }),
    })),
  };
}

function num(a: Timeline, field: string): number | null {
  const v = a.timing[field];
  return typeof v === "number" ? v : null;
}
