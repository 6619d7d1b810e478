package api

// Recommendation answers GET hedge/recommendation: one piece of advice a key.
type Recommendation struct {
	Meta Meta     `json:"meta"`
	By   []string `json:"by" doc:"The dimensions of a key."`
	Keys []Advice `json:"keys" doc:"Sorted by seconds_saved_per_week, the most first; then by n."`
	// Horizon makes an answer repeatable: rows stored later are not in it.
	Horizon *string `json:"horizon" doc:"When the newest row behind the answer was stored; null where there is none."`
}

// Advice is the recommendation for one key. A number is null where the rows
// don't support it; reasons say why.
type Advice struct {
	Key   map[string]*string `json:"key"`
	Model *string            `json:"model" doc:"Null where model is not part of the key or was not recorded."`
	Route *string            `json:"route"`
	Sample

	HedgeAfterMs    *float64        `json:"hedge_after_ms"`
	Interval        Interval        `json:"interval" doc:"95 % interval of hedge_after_ms."`
	ConfiguredMs    *float64        `json:"configured_hedge_after_ms" doc:"The route's configured delay; null where none is set."`
	TriggerRatio    *float64        `json:"trigger_ratio" doc:"Share of requests that would be hedged, 0 to 1."`
	TriggerInterval TriggerInterval `json:"trigger_interval"`
	TargetQ         *float64        `json:"target_q" doc:"Quantile the verdict is about."`
	Before          Percentiles     `json:"before" doc:"First-token wait without hedging."`
	After           After           `json:"after"`
	WinChance       *float64        `json:"win_chance" doc:"P(backup answers first | hedged), independent backup; 0 to 1."`
	Cost            *Cost           `json:"cost"`
	Verdict         string          `json:"verdict" doc:"unsafe, insufficient_data, censored, unstable, hedge or do_not_hedge."`
	Reasons         []string        `json:"reasons"`
	Notes           []string        `json:"notes" doc:"Guards that moved the delay, and assumptions."`
	Tier            string          `json:"tier" doc:"core or other: hedging is meant for core routes, and off elsewhere."`
	Budget          *float64        `json:"budget" doc:"Largest share of requests that may be hedged; null where none is configured."`
	SingleR         *SingleR        `json:"single_r" doc:"Best policy within the same budget that sends the backup by chance; null unless the target is P95."`
	SecondsSaved    *float64        `json:"seconds_saved_per_week" doc:"Σ (wait without − wait with hedging) over a week like the window, in seconds."`
	SavedCase       *string         `json:"seconds_saved_case" doc:"The case behind it: measured if there is one, else pessimistic."`
	Walk            *Walk           `json:"walk" doc:"Walk-forward over the window's days; null without times on two days."`
	Bands           *Bands          `json:"bands" doc:"The key's rows by input size; null without input tokens."`
	Last            *LastAdvice     `json:"last_advice" doc:"The stored advice of a week earlier, else the newest before this window's end; null without one."`
	Channels        []Channel       `json:"channels" doc:"Where the key's primaries run, the busiest first."`
	Halves          *Halves         `json:"halves" doc:"The window's two halves in order of time; null without enough rows."`
}

// Halves shows whether two regimes lie in one window.
type Halves struct {
	FirstN        int64    `json:"first_n"`
	SecondN       int64    `json:"second_n"`
	FirstP90Ms    *float64 `json:"first_p90_ms"`
	SecondP90Ms   *float64 `json:"second_p90_ms"`
	FirstAtLeast  *float64 `json:"first_p90_at_least_ms" doc:"Where first_p90_ms was not reached: the last time seen."`
	SecondAtLeast *float64 `json:"second_p90_at_least_ms"`
	FirstShare    float64  `json:"first_share" doc:"Share above the advised delay, 0 to 1."`
	SecondShare   float64  `json:"second_share"`
	P             float64  `json:"p" doc:"Chance of so uneven a split if nothing had changed."`
}

// Sample says which rows stand behind one key.
type Sample struct {
	Metric       string           `json:"metric"`
	Clock        string           `json:"clock" doc:"dispatch, estimated, start or mixed: what the wait starts from."`
	N            int64            `json:"n" doc:"observed + censored."`
	Observed     int64            `json:"observed"`
	Censored     int64            `json:"censored"`
	LeftOut      map[string]int64 `json:"left_out"`
	Failures     int64            `json:"failures" doc:"Error, rate limited, timeout or upstream closed; a time-out may be censored as well. Those without a token are left_out.failed."`
	FailureShare *float64         `json:"failure_share" doc:"Failures of the attempts whose fate is known, 0 to 1."`
}

// Interval is a 95 % interval in ms; a bound is null where it has no end.
type Interval struct {
	LowMs  *float64 `json:"low_ms"`
	HighMs *float64 `json:"high_ms"`
}

// TriggerInterval bounds the trigger ratio of the next window of m requests.
type TriggerInterval struct {
	Low    *float64 `json:"low"`
	High   *float64 `json:"high"`
	NextN  int64    `json:"next_n" doc:"Requests of the next window."`
	Method string   `json:"method" doc:"How the interval was computed."`
	// Widened is true where the bounds are the wider ones of two ways.
	Widened bool `json:"widened" doc:"Whether the block bootstrap widened the beta-binomial interval."`
}

// Percentiles of a wait in ms; null where not reached and, in
// recommendations, below the point minimum n.
type Percentiles struct {
	P50Ms     *float64           `json:"p50_ms"`
	P75Ms     *float64           `json:"p75_ms"`
	P90Ms     *float64           `json:"p90_ms"`
	P95Ms     *float64           `json:"p95_ms"`
	P99Ms     *float64           `json:"p99_ms"`
	AtLeastMs map[string]float64 `json:"at_least_ms" doc:"Name of a percentile that was not reached, since too many rows ended before, to the last time seen: it is at least that."`
	BelowMinN []string           `json:"below_min_n" doc:"Names of the percentiles whose point minimum n is not met."`
}

// After holds the hedged percentiles for the three assumptions about how
// primary and backup go together; null where one can't be had.
type After struct {
	Independent *Hedged           `json:"independent"`
	Measured    *Hedged           `json:"measured" doc:"From pairs that were really hedged."`
	Pessimistic *Hedged           `json:"pessimistic" doc:"Gaussian copula with the configured correlation."`
	Unavailable map[string]string `json:"unavailable" doc:"Case to the reason why it is null."`
}

// Hedged is the law of the wait with a backup, under one assumption.
type Hedged struct {
	Percentiles
	P95Interval Interval `json:"p95_interval" doc:"95 % bootstrap interval of p95_ms."`
	P99Interval Interval `json:"p99_interval"`
	WinChance   *float64 `json:"win_chance"`
	Rho         *float64 `json:"rho" doc:"Correlation of the copula; null for the other cases."`
	GainMs      *float64 `json:"gain_ms" doc:"Gain at the target quantile, ms; null where that is not reached without hedging."`
	GainAtLeast *float64 `json:"gain_at_least_ms" doc:"Where the target quantile is not reached without hedging: the last time seen minus the hedged quantile, a lower bound of the gain."`
	GainLowMs   *float64 `json:"gain_low_ms" doc:"Lower bound of the gain's 95 % interval."`
	GainHighMs  *float64 `json:"gain_high_ms"`
	Enough      *float64 `json:"enough_share" doc:"Share of the bootstrap's weeks that gain what the verdict asks for, 0 to 1."`
	SavedS      *float64 `json:"seconds_saved_per_week" doc:"In a week like the window."`
	Pairs       *int64   `json:"pairs" doc:"Usable pairs behind the measured case; null for the others."`
	PairKind    *string  `json:"pair_kind" doc:"hedged: primary and backup of one request; same_minute: requests of one minute on two channels."`
	PairedWith  []string `json:"paired_channels" doc:"The two channels of same_minute pairs, the primaries' first."`
}

// Simulation answers GET hedge/simulate: one delay, or a curve over delays.
type Simulation struct {
	Meta Meta        `json:"meta"`
	By   []string    `json:"by"`
	Keys []Simulated `json:"keys"`
}

// Simulated is one key's simulation at one delay.
type Simulated struct {
	Key   map[string]*string `json:"key"`
	Model *string            `json:"model"`
	Route *string            `json:"route"`
	Sample
	Backup       map[string]*string `json:"backup" doc:"Key whose waits stand for the backup; null: the primary's own."`
	HedgeAfterMs *float64           `json:"hedge_after_ms"`
	TriggerRatio *float64           `json:"trigger_ratio"`
	WinChance    *float64           `json:"win_chance" doc:"Independent backup."`
	Before       Percentiles        `json:"before"`
	After        After              `json:"after"`
	Cost         *Cost              `json:"cost"`
	TargetQ      *float64           `json:"target_q"`
	Verdict      string             `json:"verdict"`
	Reasons      []string           `json:"reasons"`
	Notes        []string           `json:"notes"`
	HedgesPerMin *float64           `json:"hedges_per_min" doc:"Expected hedges a minute at the window's rate."`
	Curve        []CurvePoint       `json:"curve" doc:"Only with curve=N; sorted by delay."`
}

// CurvePoint is a simulation at one delay of a curve.
type CurvePoint struct {
	HedgeAfterMs float64     `json:"hedge_after_ms"`
	TriggerRatio float64     `json:"trigger_ratio"`
	WinChance    *float64    `json:"win_chance"`
	Independent  CurveAfter  `json:"independent"`
	Pessimistic  *CurveAfter `json:"pessimistic" doc:"Null where that case is not available."`
}

// CurveAfter is what the tail becomes at one delay.
type CurveAfter struct {
	P95Ms        *float64 `json:"p95_ms"`
	P99Ms        *float64 `json:"p99_ms"`
	P95AtLeastMs *float64 `json:"p95_at_least_ms" doc:"Where p95_ms was not reached: the last time seen."`
	P99AtLeastMs *float64 `json:"p99_at_least_ms"`
}
