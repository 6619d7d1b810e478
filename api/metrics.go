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
}

func newMeters(reg *prometheus.Registry) (*meters, error) {
	buckets := []float64{.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30}
	m := &meters{
		requests: prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: "headway_http_request_seconds",
			Help: "Time of HTTP requests by route and class of status code.", Buckets: buckets}, []string{"route", "code"}),
		queries: prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: "headway_query_seconds",
			Help: "Time the database took for a question, by endpoint and table.", Buckets: buckets}, []string{"endpoint", "table"}),
		content: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "headway_upload_content_dropped_total",
			Help: "Content or identity keys dropped from uploads and classify, by source."}, []string{"source"}),
		uploads: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "headway_upload_records_total",
			Help: "Uploaded records by source and result: accepted or rejected."}, []string{"source", "result"}),
	}
	for _, c := range []prometheus.Collector{m.requests, m.queries, m.content, m.uploads} {
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

func (m *meters) upload(u Upload) {
	m.content.WithLabelValues(u.Source).Add(float64(u.ContentDropped))
	m.uploads.WithLabelValues(u.Source, "accepted").Add(float64(u.Accepted))
	m.uploads.WithLabelValues(u.Source, "rejected").Add(float64(u.Rejected))
}

func (s *Server) metricsHandler() http.Handler {
	return promhttp.HandlerFor(s.Metrics, promhttp.HandlerOpts{Registry: s.Metrics})
}
