package api

// Latency answers GET latency: percentiles of one metric over time, by group.
type Latency struct {
	Meta      Meta      `json:"meta"`
	Quantiles []float64 `json:"quantiles" doc:"The asked quantiles, each in (0, 1); the order of every values list."`
	Unit      string    `json:"unit" doc:"Unit of every values list."`
	Series    []Series  `json:"series"`
}

// Series is one group of a latency answer, oldest point first.
type Series struct {
	Key    map[string]*string `json:"key" doc:"Dimension to value; null where it was not recorded; empty without by."`
	N      int64              `json:"n"`
	Points []Point            `json:"points"`
}

// Point is one time bucket. A value is null where there is no data, where n is
// below the quantile's point minimum, or where the quantile was not reached.
type Point struct {
	At        string     `json:"at" format:"date-time" doc:"Start of the bucket."`
	N         int64      `json:"n"`
	Censored  int64      `json:"censored"`
	Failures  int64      `json:"failures" doc:"Attempts that failed without a value; not part of n."`
	Open      bool       `json:"open" doc:"The bucket is not over yet."`
	Values    []*float64 `json:"values" doc:"One per quantile, in unit."`
	BelowMinN []bool     `json:"below_min_n" doc:"One per quantile: n is below its point minimum."`
}
