package api

// Quality answers GET quality: what arrived, was rejected, flagged, stripped.
type Quality struct {
	Meta     Meta               `json:"meta"`
	Sources  []SourceQuality    `json:"sources"`
	Gateways []GatewayFreshness `json:"gateways"`
}

// SourceQuality is what one source delivered in the window.
type SourceQuality struct {
	Source     string             `json:"source"`
	Rows       int64              `json:"rows"`
	Duplicates int64              `json:"duplicates"`
	Rejected   map[string]int64   `json:"rejected" doc:"By reason."`
	Flags      map[string]int64   `json:"flags"`
	Coverage   map[string]float64 `json:"coverage" doc:"Field to the share of rows that carry it, 0 to 1."`
	NewestAt   *string            `json:"newest_at" format:"date-time"`
	FreshnessS *float64           `json:"freshness_s" doc:"Now minus newest_at, seconds."`
}

// GatewayFreshness is when a gateway was last heard.
type GatewayFreshness struct {
	Gateway    *string `json:"gateway"`
	Source     string  `json:"source"`
	NewestAt   string  `json:"newest_at" format:"date-time"`
	FreshnessS float64 `json:"freshness_s"`
	Rows       int64   `json:"rows"`
}
