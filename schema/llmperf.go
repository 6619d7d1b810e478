package schema

import "time"

// llmperfSource is a row of the LLMPerf leaderboard's raw results: a client's
// view of one streamed chat completion. Rows carry no clock time.
//
//	provider       → provider, and route, so that each gets advice of its own
//	model_size     → model, as written
//	error_code     → empty and −100 ("too few tokens", whose first token is
//	                 real) are completed; 429 is rate_limited with that
//	                 status; a status from 400 to 599 is an error with it; any
//	                 other code is an error
//	ttft_s         → first_text_delta_ms; 0 is missing, never a fast answer
//	end_to_end_s   → upstream_done_ms: the client saw the body end. It knows
//	                 no handler, so total_handler_ms stays missing; 0 is missing
//	input_tokens, output_tokens → the same; a failed row's output count is a
//	                 placeholder and stays missing
//
// inter_token_s has no field: it is a mean over chunks, and the first wait
// is inside where a row has few tokens. seq is not kept.
func llmperfSource() Source {
	return Source{
		Name: "llmperf", Doc: "Raw rows of the LLMPerf leaderboard, seen from a client, without clock time.",
		StartPoint: StartClient, Precision: time.Microsecond, HedgeMetric: MetricFirstText,
		NoClock: true, Flat: true, read: (*Decoder).readLLMPerf, columns: llmperfColumns,
	}
}

func llmperfColumns() []string {
	return []string{"provider", "model_size", "error_code", "ttft_s", "end_to_end_s", "input_tokens", "output_tokens"}
}

// llmperfTooFewTokens marks an answer shorter than the benchmark wanted.
const llmperfTooFewTokens = -100

func (d *Decoder) readLLMPerf(rec *Record) {
	if !d.readCells(llmperfColumns()) {
		return
	}
	provider, model, code, ttft, total, input, output := &d.cells[0], &d.cells[1], &d.cells[2], &d.cells[3],
		&d.cells[4], &d.cells[5], &d.cells[6]
	rec.Provider = d.strings.share(d.words(provider))
	rec.Route = rec.Provider
	rec.Model = d.strings.share(d.words(model))
	rec.Operation, rec.Stream = "chat", Some(true)
	llmperfOutcome(code, rec)
	ttft.seconds(rec, "first_text_delta_ms", &rec.Timing.FirstTextDelta)
	total.seconds(rec, "upstream_done_ms", &rec.Timing.UpstreamDone)
	input.whole(rec, "input_tokens", &rec.InputTokens)
	if rec.Outcome == OutcomeCompleted {
		output.whole(rec, "output_tokens", &rec.OutputTokens)
	}
}

// llmperfOutcome reads the error code.
func llmperfOutcome(code *cell, rec *Record) {
	n := code.num
	switch status := code.status(); {
	case !code.set, code.kind == '0' && n.neg && n.exp == 0 && n.mant == -llmperfTooFewTokens, code.kind == '0' && n.mant == 0:
		rec.Outcome = OutcomeCompleted
	case status.Value == 429:
		rec.Outcome, rec.Status = OutcomeRateLimited, status
	case status.Value >= 400 && status.Value <= 599:
		rec.Outcome, rec.Status = OutcomeError, status
	default:
		rec.Outcome = OutcomeError
	}
}
