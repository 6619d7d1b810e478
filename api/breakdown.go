package api

// Breakdown answers GET breakdown: groups sorted by their contribution to
// excess slow requests.
type Breakdown struct {
	Meta         Meta                `json:"meta"`
	By           string              `json:"by"`
	Unit         string              `json:"unit" doc:"Unit of p50, p95, p99 and band_p95."`
	BaselineFrom string              `json:"baseline_from" format:"date-time"`
	BaselineTo   string              `json:"baseline_to" format:"date-time"`
	BaselineN    int64               `json:"baseline_n"`
	BandP95      map[string]*float64 `json:"band_p95" doc:"The baseline's P95 by input band."`
	Groups       []Group             `json:"groups"`
}

// Group is one row of a breakdown. Shares are 0 to 1.
type Group struct {
	Value        *string  `json:"value" doc:"Null where the dimension was not recorded."`
	N            int64    `json:"n"`
	Censored     int64    `json:"censored"`
	Failures     int64    `json:"failures"`
	FailureShare *float64 `json:"failure_share" doc:"Failures of n + failures."`
	Slow         int64    `json:"slow" doc:"Rows above the baseline's P95 of the same input band."`
	Excess       float64  `json:"excess" doc:"slow minus the 5 % expected."`
	P50          *float64 `json:"p50" doc:"In unit; null below the minimum n or not reached."`
	P95          *float64 `json:"p95"`
	P99          *float64 `json:"p99"`
	P50Ms        *float64 `json:"p50_ms" doc:"The same where the metric is a time."`
	P95Ms        *float64 `json:"p95_ms"`
	P99Ms        *float64 `json:"p99_ms"`
}
