package api

// Headline answers GET headline: the main figures of a window beside the same
// window one week earlier.
type Headline struct {
	Meta               Meta     `json:"meta"`
	Figures            []Figure `json:"figures"`
	Requests           int64    `json:"requests" doc:"Distinct primary attempts."`
	RequestsBefore     int64    `json:"requests_before"`
	RatePerS           float64  `json:"rate_per_s"`
	RatePerSBefore     *float64 `json:"rate_per_s_before"`
	FailureShare       *float64 `json:"failure_share" doc:"0 to 1."`
	FailureShareBefore *float64 `json:"failure_share_before"`
	NewestAt           *string  `json:"newest_at" format:"date-time" doc:"Newest stored record; null when the store is empty."`
	FreshnessS         *float64 `json:"freshness_s" doc:"Now minus the newest stored record, seconds."`
	Spark              []Point  `json:"spark" doc:"P95 of the first figure over the window."`
	SparkUnit          string   `json:"spark_unit"`
}

// Figure is one number beside the same number a week earlier.
type Figure struct {
	Metric  string   `json:"metric" doc:"For example first_response_ms."`
	Title   string   `json:"title"`
	Q       float64  `json:"q"`
	Unit    string   `json:"unit" doc:"Unit of now and before."`
	Start   string   `json:"start"`
	End     string   `json:"end"`
	Now     *float64 `json:"now"`
	NowN    int64    `json:"now_n"`
	Before  *float64 `json:"before"`
	BeforeN int64    `json:"before_n"`
}
