package api

import (
	"fmt"
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// meters are the metrics of this package. Labels are bounded: routes and
// endpoints come from the code, tables from storage.
type meters struct {
	requests *prometheus.HistogramVec
	queries  *prometheus.HistogramVec
	content  *prometheus.CounterVec
	uploads  *prometheus.CounterVec
	rejected *prometheus.CounterVec
}

func newMeters(reg *prometheus.Registry) (*meters, error) {
	buckets := []float64{.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30}
	m := &meters{
		requests: prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: "headway_http_request_seconds",
			Help: "Time of HTTP requests by route and class of status code.", Buckets: buckets}, []string{"route", "code"}),
		queries: prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: "headway_query_seconds",
			Help: "Time the database took for a question, by endpoint and table.", Buckets: buckets}, []string{"endpoint", "table"}),
		content: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "headway_upload_content_dropped_total",
			Help: "Content or identity keys dropped from uploads and classify before the log, by source; those dropped behind the log are in headway_content_dropped_total."}, []string{"source"}),
		uploads: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "headway_upload_records_total",
			Help: "Uploaded records by source and result: accepted or rejected."}, []string{"source", "result"}),
		rejected: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "headway_upload_rejected_total",
			Help: "Uploaded records that were refused before the log, by source and reason; those that clients refused themselves included."}, []string{"source", "reason"}),
	}
	for _, c := range []prometheus.Collector{m.requests, m.queries, m.content, m.uploads, m.rejected} {
		if err := reg.Register(c); err != nil {
			return nil, fmt.Errorf("registering the HTTP metrics: %w; give each server a registry of its own", err)
		}
	}
	return m, nil
}

func (m *meters) request(route string, status int, took time.Duration) {
	m.requests.WithLabelValues(route, fmt.Sprintf("%dxx", status/100)).Observe(took.Seconds())
}

func (m *meters) query(endpoint string, meta Meta) {
	table := meta.Table
	if table == "" {
		table = "none"
	}
	m.queries.WithLabelValues(endpoint, table).Observe(meta.ElapsedMs / 1000)
}

func (m *meters) upload(source string, accepted int64, rejected map[string]int64, content int64) {
	m.content.WithLabelValues(source).Add(float64(content))
	m.uploads.WithLabelValues(source, "accepted").Add(float64(accepted))
	m.uploads.WithLabelValues(source, "rejected").Add(float64(total(rejected)))
	for reason, n := range rejected {
		m.rejected.WithLabelValues(source, reason).Add(float64(n))
	}
}

func (s *Server) metricsHandler() http.Handler {
	return promhttp.HandlerFor(s.Metrics, promhttp.HandlerOpts{Registry: s.Metrics})
}
