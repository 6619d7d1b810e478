import type { Timeline, Timing } from "../api/types";

/** Bar is one stage on the shared axis, as shares of its length. */
export interface Bar { stage: string; left: number; width: number; ms: number; estimated: boolean }

/** Mark is one instant of an attempt on the shared axis. */
export interface Mark { name: string; left: number; ms: number }

export interface Lane { attempt: Timeline; bars: Bar[]; marks: Mark[] }

const instants: [keyof Timing, string][] = [
  ["first_sse_event_ms", "first event"], ["first_response_ms", "first effective output"],
  ["first_text_delta_ms", "first visible text"], ["upstream_done_ms", "upstream done"], ["total_handler_ms", "handler done"],
];

/** lanes places every attempt of a request on one time axis; a missing time draws nothing. */
export function lanes(attempts: Timeline[]): { lanes: Lane[]; totalMs: number } {
  const ends = attempts.flatMap((a) => [
    ...a.spans.map((s) => a.offset_ms + s.end_ms),
    ...instants.map(([f]) => num(a, f)).filter((v): v is number => v !== null).map((v) => a.offset_ms + v),
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

function num(a: Timeline, field: keyof Timing): number | null {
  const v = a.timing[field];
  return typeof v === "number" ? v : null;
}

/** axis are round times for the waterfall's axis: at most about six. */
export function axis(totalMs: number): number[] {
  if (totalMs <= 0) return [0];
  const raw = totalMs / 5, power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map((m) => m * power).find((s) => s >= raw)!;
  const out: number[] = [];
  for (let t = 0; t <= totalMs; t += step) out.push(t);
  return out;
}
