package classify

// LabelInfo describes one label to people.
type LabelInfo struct {
	Label     Label  `json:"label"`
	Text      string `json:"text"`       // what was slow
	Fires     string `json:"fires"`      // the rule, with threshold names
	LookAt    string `json:"look_at"`    // where to look first
	NextCheck string `json:"next_check"` // what to compare next
	Caveat    string `json:"caveat"`     // what the label can't tell apart
}

// Labels describes every label in the order in which a person should check.
func Labels() []LabelInfo { return append([]LabelInfo(nil), labelTable[:]...) }

// order is a label's place in labelTable.
type order int

const (
	upstreamHeadersSlow order = iota
	effectiveOutputSlow
	metadataOnlyStart
	visibleTextLate
	generationSlow
	streamStalled
	authSlow
	distributionSlow
	bodyReadSlow
	handlerTailSlow
	noFirstToken
)

// labelTable is immutable; its order is the checking order.
var labelTable = [...]LabelInfo{
	upstreamHeadersSlow: {UpstreamHeadersSlow, "The upstream's response headers came late or never.",
		"upstream_headers_ms ≥ upstream_headers_slow_ms; where headers never came, the time from dispatch to the attempt's end stands in (censored)",
		"network path, upstream admission, provider queue, proxy route", "compare channel, region, status and concurrency",
		"Slow headers cover network, admission, provider queue and proxy alike; this record can't tell which."},
	effectiveOutputSlow: {EffectiveOutputSlow, "Headers were quick, but the first effective output came late or never.",
		"headers not slow, first_response_ms − dispatch_ms − upstream_headers_ms ≥ effective_output_slow_ms (no response: the attempt's end stands in, censored), metadata_only_start not firing",
		"model queue, prompt prefill, reasoning, upstream scheduling", "compare input tokens, model, route and inflight",
		"A queue, the prefill of a long prompt and hidden reasoning look the same; compare within one band of input tokens."},
	metadataOnlyStart: {MetadataOnlyStart, "Stream events came early, effective output late.",
		"first_response_ms − first_sse_event_ms ≥ metadata_only_start_ms",
		"metadata events, heartbeats, reasoning start", "look at event types, not content",
		"An early event proves that the connection lives, not that the model works; prefill and reasoning behind it look the same."},
	visibleTextLate: {VisibleTextLate, "Effective output came early, visible text late.",
		"first_text_delta_ms − first_response_ms ≥ visible_text_late_ms",
		"tool or reasoning phase, answer composition", "look at the request's tool and output mode",
		"A tool call, a reasoning summary and slow composition look the same; it may be what the request asked for."},
	generationSlow: {GenerationSlowTPS, "Text started, then came slowly.",
		"tps ≤ generation_slow_tps with ≥ generation_slow_min_tokens visible tokens and a window ≥ generation_slow_min_window_ms",
		"decode throughput, contention, long context, network back-pressure", "compare output length and channel inflight",
		"Slow decoding, a stall in mid-stream and a client that reads slowly look the same in one rate."},
	streamStalled: {StreamStalled, "The stream fell silent in its middle or before its end.",
		"max_gap_ms ≥ stream_stalled_ms",
		"decode throughput, contention, long context, network back-pressure, in mid-stream", "is a no-new-token time-out set?",
		"One long silence says nothing of who was silent: upstream, proxy and network look the same."},
	authSlow: {AuthSlow, "Local authentication was slow.", "auth_ms ≥ auth_slow_ms",
		"local authentication", "only the stage that rose",
		"The identity store and a busy gateway look the same; see whether other local stages rose too."},
	distributionSlow: {DistributionSlow, "Choosing a channel was slow.", "distribution_ms ≥ distribution_slow_ms",
		"policy selection", "only the stage that rose",
		"A slow policy store, a wait for a free channel and a busy gateway look the same."},
	bodyReadSlow: {BodyReadSlow, "Reading the client's request was slow.", "body_read_ms ≥ body_read_slow_ms",
		"client upload", "only the stage that rose",
		"A large body, a slow client network and a busy gateway look the same."},
	handlerTailSlow: {HandlerTailSlow, "The gateway went on long after the upstream had ended.",
		"total_handler_ms − upstream_done_ms ≥ handler_tail_slow_ms, on the attempt that served the client",
		"gateway post-processing, slow reader", "compare gateways, then clients: only the stage that rose",
		"Work in the gateway and a client that reads slowly look the same."},
	noFirstToken: {NoFirstToken, "A stream ended without any effective output.",
		"streaming, ended without effective output, not superseded, no error within no_first_token_fast_failure_ms of dispatch",
		"status and error class", "compare the wait with the time-outs of client, gateway and upstream",
		"A client that gave up, a time-out and an upstream that never answers look the same without the status."},
}
