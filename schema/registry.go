package schema

// Registry is an immutable list of fields with look-up by name or alias.
type Registry struct {
	fields []Field
	byName map[string]int
}

// NewRegistry returns the registry of version 1 records.
func NewRegistry() *Registry {
	all := append(append(append([]Field{}, identityFields()...), dimensionFields()...), measureFields()...)
	r := &Registry{fields: all, byName: make(map[string]int, 2*len(all))}
	for i, f := range all {
		r.byName[f.Name] = i
		for _, a := range f.Aliases {
			r.byName[a] = i
		}
	}
	return r
}

// Fields returns all fields in display order. The caller must not change them.
func (r *Registry) Fields() []Field { return r.fields }

// Lookup finds a field by its name or an alias.
func (r *Registry) Lookup(name string) (Field, bool) {
	i, ok := r.byName[name]
	if !ok {
		return Field{}, false
	}
	return r.fields[i], true
}

// Names returns the names of all fields of one kind, in display order.
func (r *Registry) Names(k Kind) []string {
	var out []string
	for _, f := range r.fields {
		if f.Kind == k {
			out = append(out, f.Name)
		}
	}
	return out
}

func identityFields() []Field {
	return []Field{
		{Name: "created_at", Title: "Received", Kind: KindTime, Value: ValueTime, Column: "created_at", Doc: "When the gateway received the request (t0), UTC."},
		{Name: "request_id", Title: "Request id", Kind: KindIdentity, Value: ValueString, Column: "request_id", Doc: "The request's id as the gateway gave it; a generated one where it was empty."},
		{Name: "trace_id", Title: "Trace id", Kind: KindIdentity, Value: ValueString, Column: "trace_id", Doc: "The network trace's id, where recorded."},
		{Name: "attempt", Title: "Attempt", Kind: KindIdentity, Value: ValueInt, Unit: UnitCount, Column: "attempt", Doc: "Number of the upstream call within its request, from 0."},
	}
}

func dimension(name, title, doc string) Field {
	return Field{Name: name, Title: title, Kind: KindDimension, Value: ValueString, Column: name, Doc: doc}
}

func flag(name, title, doc string) Field {
	f := dimension(name, title, doc)
	f.Value = ValueBool
	return f
}

func dimensionFields() []Field {
	route := dimension("route", "Route", "The gateway's logical route or group.")
	route.Aliases = []string{"group"}
	status := dimension("status", "Status", "HTTP status of the upstream answer.")
	status.Value = ValueInt
	labels := dimension("labels", "Labels", "Slow-stage labels that fired, in checking order.")
	labels.Value = ValueStrings
	flags := dimension("flags", "Quality flags", "What was wrong with the record and removed.")
	flags.Value = ValueStrings
	return []Field{
		dimension("model", "Model", "Model id as requested."),
		route,
		dimension("channel", "Channel", "Upstream channel that served the attempt."),
		dimension("provider", "Provider", "Provider behind the channel."),
		dimension("region", "Region", "Upstream or probe region."),
		dimension("client_region", "Client region", "Coarse region of the client."),
		dimension("gateway", "Gateway", "Gateway instance that wrote the record."),
		dimension("operation", "Operation", "Kind of call, for example chat."),
		dimension("reasoning_effort", "Reasoning effort", "Effort asked for, where recorded."),
		dimension("error_class", "Error class", "Coarse class of the failure, where recorded."),
		dimension("role", "Role", "primary, backup (a hedge) or retry."),
		dimension("outcome", "Outcome", "How the attempt ended."),
		status,
		flag("stream", "Stream", "Whether the answer was streamed; unknown stays unknown."),
		flag("has_tools", "Tools", "Whether the request offered tools."),
		flag("warmup", "Warm-up", "Whether the request was a warm-up."),
		flag("cache_hit", "Cache hit", "Whether the answer came from a response cache."),
		{Name: "input_band", Title: "Input band", Kind: KindDimension, Value: ValueString, Column: "input_band", Doc: "Band of input tokens: 0-1k, 1-4k, 4-16k, 16-64k, 64k+; empty where tokens are unknown."},
		dimension("source", "Source", "Adapter that read the record."),
		dimension("start_point", "Start point", "Instant from which the record's offsets are measured."),
		dimension("tps_basis", "Rate basis", "Whether the rate was given or derived, and from which tokens."),
		{Name: "label", Title: "First label", Kind: KindDimension, Value: ValueString, Column: "primary_label", Doc: "First slow-stage label in checking order, or healthy, or unknown."},
		{Name: "stage", Title: "Largest stage", Kind: KindDimension, Value: ValueString, Column: "stage", Doc: "Stage with the largest share of the total."},
		labels, flags,
	}
}

func offset(name, title, column, end, doc string) Field {
	return Field{Name: name, Title: title, Kind: KindMeasure, Value: ValueDuration, Unit: UnitMillis,
		Start: "t0", End: end, Column: column, HigherIsWorse: true, Doc: doc}
}

func gap(name, title, from, to, start, end, doc string) Field {
	return Field{Name: name, Title: title, Kind: KindMeasure, Value: ValueDuration, Unit: UnitMillis,
		Start: start, End: end, Expr: to + " - " + from, HigherIsWorse: true, Doc: doc}
}

func stage(name, title, column, doc string) Field {
	f := offset(name, title, column, "own", doc)
	f.Start = "own"
	return f
}

func count(name, title string, unit Unit, doc string) Field {
	return Field{Name: name, Title: title, Kind: KindMeasure, Value: ValueInt, Unit: unit, Column: name, HigherIsWorse: true, Doc: doc}
}

func measureFields() []Field {
	response := offset("first_response_ms", "Time to First Effective Response", "first_response_us", "t4", "First effective content or action: text, reasoning summary, function arguments.")
	response.FirstToken, response.Aliases = true, []string{"first_response"}
	text := offset("first_text_delta_ms", "Time to First Visible Text", "first_text_delta_us", "t5", "First visible text delta; exists only when visible text streamed.")
	text.FirstToken, text.Aliases = true, []string{"first_text"}
	headers := offset("upstream_headers_ms", "Upstream Headers", "upstream_headers_us", "t2", "Upstream call to response headers; covers network, admission, provider queue and proxy alike.")
	headers.Start = "t1"
	dispatch := offset("dispatch_ms", "Dispatch", "dispatch_us", "t1", "Start to upstream call; an estimate (lower bound) where upstream_start_ms was not recorded.")
	hedgeAfter := stage("hedge_after_ms", "Hedge after", "hedge_after_us", "Hedge delay in force for the request.")
	gapMax := stage("max_gap_ms", "Largest gap", "max_gap_us", "Largest silence between stream events, the last one to the end included.")
	tps := Field{Name: "tps", Title: "Visible output rate", Kind: KindMeasure, Value: ValueFloat, Unit: UnitTokensPerSec, Start: "t5", End: "t6", Column: "tps",
		Aliases: []string{"visible_output_tps"}, Doc: "Visible output tokens per second of the generation window; see tps_basis. Not the system's throughput."}
	tpot := offset("tpot_ms", "Time per output token", "tpot_us", "t6", "Mean time of a visible output token after the first.")
	tpot.Start = "t5"
	headersAt := Field{Name: "time_to_headers_ms", Title: "Time to Headers", Kind: KindMeasure, Value: ValueDuration, Unit: UnitMillis, Start: "t0", End: "t2",
		Expr: "dispatch_us + upstream_headers_us", HigherIsWorse: true, Doc: "Derived: dispatch + upstream headers; an estimate where dispatch is one."}
	return []Field{
		response, text, headers, headersAt,
		offset("first_sse_event_ms", "Time to First Event", "first_sse_event_us", "t3", "First non-empty stream event; it may be metadata only."),
		offset("total_handler_ms", "Handler total", "total_handler_us", "t7", "Request received to gateway handler finished."),
		offset("upstream_done_ms", "Upstream done", "upstream_done_us", "t6", "Upstream body complete or closed; closing is not success."),
		offset("upstream_start_ms", "Upstream start", "upstream_start_us", "t1", "Offset of this attempt's dispatch, as recorded."),
		dispatch,
		stage("auth_ms", "Authentication", "auth_us", "Local authentication."),
		stage("distribution_ms", "Distribution", "distribution_us", "Local channel choice and routing policy."),
		stage("body_read_ms", "Body read", "body_read_us", "Reading the client's request body."),
		gap("event_to_response_ms", "Event to response", "first_sse_event_us", "first_response_us", "t3", "t4", "Stream opened to first effective output."),
		gap("response_to_text_ms", "Response to text", "first_response_us", "first_text_delta_us", "t4", "t5", "First effective output to first visible text."),
		gap("text_to_done_ms", "Generation", "first_text_delta_us", "upstream_done_us", "t5", "t6", "Visible generation window."),
		gap("done_to_handler_ms", "Handler tail", "upstream_done_us", "total_handler_us", "t6", "t7", "Upstream end to handler end."),
		tps, tpot, gapMax, hedgeAfter,
		count("input_tokens", "Input tokens", UnitTokens, "Prompt tokens."),
		count("output_tokens", "Output tokens", UnitTokens, "Output tokens, reasoning included."),
		count("cached_tokens", "Cached tokens", UnitTokens, "Prompt tokens served from the provider's prompt cache."),
		count("reasoning_tokens", "Reasoning tokens", UnitTokens, "Reasoning tokens; unknown is not 0."),
		count("max_output_tokens", "Output limit", UnitTokens, "Output limit asked for."),
		count("stream_events", "Stream events", UnitCount, "Non-empty stream events; never a token count."),
		count("text_deltas", "Text deltas", UnitCount, "Visible text deltas; never a token count."),
		count("channel_inflight", "Channel in flight", UnitCount, "Requests in flight on the channel at dispatch."),
		{Name: "temperature", Title: "Temperature", Kind: KindMeasure, Value: ValueFloat, Column: "temperature", Doc: "Sampling temperature asked for."},
		{Name: "top_p", Title: "Top p", Kind: KindMeasure, Value: ValueFloat, Column: "top_p", Doc: "Nucleus sampling limit asked for."},
	}
}
