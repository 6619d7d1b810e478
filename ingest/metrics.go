package ingest

import (
	"math"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"headway/schema"
)

// unknownSource is the label of messages whose header names no source there
// is; the name itself could be anything, and would make labels unbounded.
const unknownSource = "unknown"

// metrics are what ingestion tells about itself. All labels come from closed
// sets or the configuration.
type metrics struct {
	received, rejected, flagged *prometheus.CounterVec
	contentDropped, overflow    *prometheus.CounterVec
	rows, redone, fenced        prometheus.Counter
	generations                 prometheus.Counter
	sinkErrors, lost            *prometheus.CounterVec
	batchRows, batchSeconds     prometheus.Histogram
	lag                         *prometheus.GaugeVec
	newest                      atomic.Int64 // Unix milliseconds of the newest landed created_at, 0 for none
}

func newMetrics(reg prometheus.Registerer, now func() time.Time, inFlight func() int64) *metrics {
	counters := func(name, help string, labels ...string) *prometheus.CounterVec {
		return prometheus.NewCounterVec(prometheus.CounterOpts{Name: "headway_" + name, Help: help}, labels)
	}
	counter := func(name, help string) prometheus.Counter {
		return prometheus.NewCounter(prometheus.CounterOpts{Name: "headway_" + name, Help: help})
	}
	m := &metrics{
		received:       counters("records_received_total", "Messages read from Kafka; what is read again after a change of owner counts again.", "source"),
		rejected:       counters("records_rejected_total", "Messages that became no row, in the rejects table by reason.", "source", "reason"),
		flagged:        counters("records_flagged_total", "Rows with a quality flag, by its kind.", "source", "flag"),
		contentDropped: counters("content_dropped_total", "Keys that carry content or identity, dropped: a gateway leaks.", "source"),
		overflow:       counters("dictionary_overflow_total", "Values stored as "+schema.OtherValue+" because a dimension had its distinct values for the day.", "dimension"),
		rows:           counter("rows_inserted_total", "Rows landed in the store."),
		redone:         counter("batches_redone_total", "Batches whose landing was taken over from an owner that ended."),
		fenced:         counter("commits_fenced_total", "Commits refused because the partition had a new owner."),
		generations:    counter("group_generations_total", "Generations of the consumer group that this member took part in."),
		sinkErrors:     counters("insert_errors_total", "Errors of the store, by what is done about them.", "class"),
		lost:           counters("records_lost_total", "Offsets that were gone before they were read, by cause; markers and compacted offsets among them count too.", "topic", "cause"),
		batchRows: prometheus.NewHistogram(prometheus.HistogramOpts{Name: "headway_batch_rows", Help: "Messages in a landed batch.",
			Buckets: prometheus.ExponentialBuckets(1, 4, 10)}),
		batchSeconds: prometheus.NewHistogram(prometheus.HistogramOpts{Name: "headway_batch_seconds", Help: "Time to land a batch, repetitions included.",
			Buckets: prometheus.ExponentialBuckets(0.005, 2, 14)}),
		lag: prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: "headway_lag_records", Help: "Offsets of the partition that have not landed yet."}, []string{"topic", "partition"}),
	}
	reg.MustRegister(m.received, m.rejected, m.flagged, m.contentDropped, m.overflow, m.rows, m.redone, m.fenced,
		m.generations, m.sinkErrors, m.lost, m.batchRows, m.batchSeconds, m.lag,
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: "headway_freshness_seconds", Help: "Now less the newest created_at landed by this process; NaN before the first."}, func() float64 {
			if at := m.newest.Load(); at != 0 {
				return float64(now().UnixMilli()-at) / 1000
			}
			return math.NaN()
		}),
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: "headway_in_flight_bytes", Help: "Memory of messages and rows read but not landed."}, func() float64 { return float64(inFlight()) }),
	)
	return m
}

// landed counts what a batch brought.
func (m *metrics) landed(b *batch, took time.Duration) {
	m.rows.Add(float64(len(b.kept)))
	m.batchRows.Observe(float64(b.len()))
	m.batchSeconds.Observe(took.Seconds())
	for f, n := range b.tally.flags {
		m.flagged.WithLabelValues(f.source, f.kind).Add(float64(n))
		if f.kind == overflowKind {
			m.overflow.WithLabelValues(f.field).Add(float64(n))
		}
	}
	for i := range b.rejects {
		m.rejected.WithLabelValues(b.rejects[i].Source, string(b.rejects[i].Reason)).Inc()
	}
	for {
		old := m.newest.Load()
		if b.tally.newest <= old || m.newest.CompareAndSwap(old, b.tally.newest) {
			return
		}
	}
}

// overflowKind is the kind of the flags other:<dimension>.
const overflowKind = "other"

func (m *metrics) setLag(p place, n int64) {
	m.lag.WithLabelValues(p.topic, strconv.Itoa(int(p.partition))).Set(float64(max(n, 0)))
}

func (m *metrics) dropLag(p place) {
	m.lag.DeleteLabelValues(p.topic, strconv.Itoa(int(p.partition)))
}
