package api

// Distribution answers GET distribution: quantiles with intervals, histogram
// and exceedance curve of one metric.
type Distribution struct {
	Meta         Meta         `json:"meta"`
	Unit         string       `json:"unit" doc:"Unit of value, low, high, from, to and at."`
	Quantiles    []Quantile   `json:"quantiles"`
	Histogram    []Bin        `json:"histogram" doc:"Bins with at least one row, in order."`
	Exceedance   []Exceedance `json:"exceedance" doc:"Share of rows above a value, largest share first."`
	FailureShare *float64     `json:"failure_share" doc:"Attempts that failed without a value, of those and n; 0 to 1."`
}

// Quantile is one quantile with its two-sided 95 % interval from order
// statistics. A bound is null where the interval has no end.
type Quantile struct {
	Q          float64  `json:"q"`
	ValueMs    *float64 `json:"value_ms" doc:"Null where not reached, or where the metric is no time."`
	LowMs      *float64 `json:"low_ms"`
	HighMs     *float64 `json:"high_ms"`
	Value      *float64 `json:"value" doc:"The same in unit, whatever the metric."`
	Low        *float64 `json:"low"`
	High       *float64 `json:"high"`
	BelowMinN  bool     `json:"below_min_n" doc:"n is below the point minimum of this quantile."`
	NotReached bool     `json:"not_reached" doc:"The quantile lies in the mass that was never observed."`
	AtLeast    *float64 `json:"at_least" doc:"Where not reached: the last time seen, in unit."`
}

// Bin is one logarithmic bin, [from, to).
type Bin struct {
	From     float64 `json:"from"`
	To       float64 `json:"to"`
	N        int64   `json:"n" doc:"Observed rows in the bin."`
	Censored int64   `json:"censored" doc:"Rows whose observation ended in the bin."`
}

// Exceedance is one point of the exceedance curve P(X > at).
type Exceedance struct {
	At    float64 `json:"at"`
	Share float64 `json:"share" doc:"0 to 1; Kaplan–Meier where rows are censored."`
}
