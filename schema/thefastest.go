package schema

import (
	"bytes"
	"time"
)

// thefastestSource is a row of thefastest.ai's published results: a probe's
// view of one streamed chat completion.
//
//	time_utc      → created_at; UTC by the file's definition, no zone is written
//	region        → client_region: where the probe ran, not the upstream
//	model         → provider before the first slash, model after it; a bare
//	                name is the model and its provider stays missing. The file
//	                renames both over time, and nothing is guessed back
//	provider      → also route, so that each provider gets advice of its own
//	ttr_s         → upstream_headers_ms: for a client, t1 is where it begins
//	ttft_s        → first_text_delta_ms: the first content token. 0 or less is
//	                missing; before ttr_s it can't be, and is removed
//	total_time_s  → upstream_done_ms: the client saw the body end. It knows no
//	                handler, so total_handler_ms stays missing
//	tps           → visible_output_tps; 999 is the file's cap for windows too
//	                short to measure
//	num_tokens    → output_tokens
//
// A row with its tokens and its end was completed; of any other the outcome
// is not recorded. cmd is not kept.
func thefastestSource() Source {
	return Source{
		Name: "thefastest", Doc: "Probe results of thefastest.ai, seen from a client.",
		StartPoint: StartClient, Precision: time.Microsecond, HedgeMetric: MetricFirstText,
		Zone: time.UTC, Flat: true, read: (*Decoder).readThefastest, columns: thefastestColumns,
	}
}

func thefastestColumns() []string {
	return []string{"time_utc", "region", "model", "ttr_s", "ttft_s", "tps", "num_tokens", "total_time_s"}
}

// thefastestCap is the rate that stands for "more than could be measured".
const thefastestCap = 999

func (d *Decoder) readThefastest(rec *Record) {
	if !d.readCells(thefastestColumns()) {
		return
	}
	at, region, model, ttr, ttft, tps, tokens, total := &d.cells[0], &d.cells[1], &d.cells[2], &d.cells[3],
		&d.cells[4], &d.cells[5], &d.cells[6], &d.cells[7]
	if at.set {
		d.stamp, d.stampWhy = parseTime(d.words(at), d.cfg.Zone)
	}
	rec.ClientRegion = d.strings.share(d.words(region))
	provider, name, found := bytes.Cut(d.words(model), []byte{'/'})
	if !found {
		provider, name = nil, provider
	}
	rec.Model, rec.Provider = d.strings.share(bytes.TrimSpace(name)), d.strings.share(bytes.TrimSpace(provider))
	rec.Route = rec.Provider
	rec.Operation, rec.Stream = "chat", Some(true)
	t := &rec.Timing
	ttr.seconds(rec, "upstream_headers_ms", &t.UpstreamHeaders)
	ttft.seconds(rec, "first_text_delta_ms", &t.FirstTextDelta)
	total.seconds(rec, "upstream_done_ms", &t.UpstreamDone)
	if t.FirstTextDelta.Valid && t.FirstTextDelta.Value < t.UpstreamHeaders.Value-orderSlack {
		t.FirstTextDelta = Opt[time.Duration]{}
		rec.AddFlag(orderPrefix + "first_text_delta_ms")
	}
	tokens.whole(rec, "output_tokens", &rec.OutputTokens)
	switch rate := tps.float(); {
	case rate.Value == thefastestCap:
		rec.AddFlag(FlagTPSCapped)
	case rate.Value > 0:
		rec.GivenTPS = rate
	case tps.set && !rate.Valid:
		rec.AddFlag(badValue("visible_output_tps"))
	}
	if t.UpstreamDone.Valid && rec.OutputTokens.Value > 0 {
		rec.Outcome = OutcomeCompleted
	}
}
