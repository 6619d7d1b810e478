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
	now                                   func() time.Time
	received, rejected, flagged           *prometheus.CounterVec
	contentDropped, overflow              *prometheus.CounterVec
	rows, rowsAgain, redone, fenced       prometheus.Counter
	generations, takeovers, pausedSeconds prometheus.Counter
	sinkErrors, kafkaErrors, lost         *prometheus.CounterVec
	batchRows, batchSeconds               prometheus.Histogram
	lag                                   *prometheus.GaugeVec
	paused                                prometheus.Gauge
	newest                                atomic.Int64 // Unix milliseconds of the newest landed created_at, 0 for none
}

func newMetrics(reg prometheus.Registerer, now func() time.Time, inFlight func() int64) *metrics {
	m := &metrics{now: now}
	m.ofRecords()
	m.ofWork()
	reg.MustRegister(m.received, m.rejected, m.flagged, m.contentDropped, m.overflow, m.rows, m.rowsAgain, m.redone, m.fenced,
		m.generations, m.takeovers, m.pausedSeconds, m.sinkErrors, m.kafkaErrors, m.lost, m.batchRows, m.batchSeconds, m.lag, m.paused,
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: "headway_freshness_seconds", Help: "Now less the newest created_at landed by this process; NaN before the first."}, m.freshness),
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: "headway_in_flight_bytes", Help: "Memory of messages and rows read but not landed."}, func() float64 { return float64(inFlight()) }),
	)
	return m
}

func counters(name, help string, labels ...string) *prometheus.CounterVec {
	return prometheus.NewCounterVec(prometheus.CounterOpts{Name: "headway_" + name, Help: help}, labels)
}

func counter(name, help string) prometheus.Counter {
	return prometheus.NewCounter(prometheus.CounterOpts{Name: "headway_" + name, Help: help})
}

// ofRecords makes what counts messages and rows.
func (m *metrics) ofRecords() {
	m.received = counters("records_received_total", "Messages read from Kafka; what is read again after a change of owner counts again.", "source")
	m.rejected = counters("records_rejected_total", "Messages that became no row, in the rejects table by reason; those of a batch that is landed again count again.", "source", "reason")
	m.flagged = counters("records_flagged_total", "Rows with a quality flag, by its kind; those of a batch that is landed again count again.", "source", "flag")
	m.contentDropped = counters("content_dropped_total", "Keys that carry content or identity, dropped: a gateway leaks.", "source")
	m.overflow = counters("dictionary_overflow_total", "Values stored as "+schema.OtherValue+" because a dimension had its distinct values for the day.", "dimension")
	m.rows = counter("rows_inserted_total", "Rows that this process was the first to land, each once whatever was repeated.")
	m.rowsAgain = counter("rows_landed_again_total", "Rows of batches that may have been in before, after a change of owner or of the group's offsets: only those that were missing were inserted.")
	m.lost = counters("records_lost_total", "Offsets that were gone before they were read, by cause; markers and compacted offsets among them count too.", "topic", "cause")
}

// ofWork makes what tells how the work goes.
func (m *metrics) ofWork() {
	m.redone = counter("batches_redone_total", "Batches whose landing was taken over from an owner that ended.")
	m.fenced = counter("commits_fenced_total", "Commits refused because the partition had a new owner.")
	m.generations = counter("group_generations_total", "Generations of the consumer group that this member took part in.")
	m.takeovers = counter("takeovers_total", "Partitions taken over, also those that the same process had before.")
	m.pausedSeconds = counter("paused_seconds_total", "Time that reading waited for memory, over all partitions; it grows when a pause ends.")
	m.paused = prometheus.NewGauge(prometheus.GaugeOpts{Name: "headway_partitions_paused", Help: "Partitions whose reading waits for memory now."})
	m.sinkErrors = counters("insert_errors_total", "Errors of the store, by what is done about them.", "class")
	m.kafkaErrors = counters("kafka_errors_total", "Requests to Kafka that are repeated, by what kind of trouble they met.", "class")
	m.batchRows = prometheus.NewHistogram(prometheus.HistogramOpts{Name: "headway_batch_rows", Help: "Messages in a landed batch.",
		Buckets: prometheus.ExponentialBuckets(1, 4, 10)})
	m.batchSeconds = prometheus.NewHistogram(prometheus.HistogramOpts{Name: "headway_batch_seconds", Help: "Time to land a batch, repetitions included.",
		Buckets: prometheus.ExponentialBuckets(0.005, 2, 14)})
	m.lag = prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: "headway_lag_records", Help: "Offsets of the partition that have not landed yet."}, []string{"topic", "partition"})
}

func (m *metrics) freshness() float64 {
	if at := m.newest.Load(); at != 0 {
		return float64(m.now().UnixMilli()-at) / 1000
	}
	return math.NaN()
}

// pausing notes that a partition's reading may have to wait, until the
// function that it returns is called.
func (m *metrics) pausing() (resumed func()) {
	begin := m.now()
	m.paused.Inc()
	return func() {
		m.paused.Dec()
		m.pausedSeconds.Add(max(0, m.now().Sub(begin).Seconds()))
	}
}

// landed counts what a batch brought.
func (m *metrics) landed(b *batch, took time.Duration) {
	if b.again {
		m.rowsAgain.Add(float64(len(b.kept)))
	} else {
		m.rows.Add(float64(len(b.kept)))
	}
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
