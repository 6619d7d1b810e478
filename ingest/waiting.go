package ingest

import (
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// waiting knows when the oldest message that was read and has not landed was
// put on the log. Its owner locks it.
type waiting struct{ chunks []waitingChunk }

type waitingChunk struct {
	next  int64 // the chunk has landed when everything before it has
	since time.Time
}

// add notes a chunk that was read at now.
func (w *waiting) add(c chunk, now time.Time) {
	if len(c.msgs) == 0 {
		return
	}
	since := now // the log may give no time
	if at := c.msgs[0].millis; at > 0 {
		since = time.UnixMilli(at)
	}
	w.chunks = append(w.chunks, waitingChunk{c.next, since})
}

// landed notes that everything before an offset has.
func (w *waiting) landed(offset int64) {
	for len(w.chunks) > 0 && w.chunks[0].next <= offset {
		w.chunks = w.chunks[1:]
	}
}

// since returns the time of the oldest chunk's first message, zero for none.
func (w *waiting) since() time.Time {
	if len(w.chunks) == 0 {
		return time.Time{}
	}
	return w.chunks[0].since
}

// boardMetrics tells at each scrape what the board shows.
type boardMetrics struct {
	board       *board
	now         func() time.Time
	waits, ages *prometheus.Desc
}

func newBoardMetrics(b *board, now func() time.Time) *boardMetrics {
	return &boardMetrics{board: b, now: now,
		waits: prometheus.NewDesc("headway_ingest_waits", "1 for each component that keeps records from landing, with what kind of trouble it has.", []string{"component", "class"}, nil),
		ages: prometheus.NewDesc("headway_oldest_waiting_seconds", "Age of the oldest message of the partition that was read and has not landed, by the log's time of its chunk; 0 where there is none.",
			[]string{"topic", "partition"}, nil)}
}

// Describe names the metrics.
func (b *boardMetrics) Describe(to chan<- *prometheus.Desc) { to <- b.waits; to <- b.ages }

// Collect gives their values.
func (b *boardMetrics) Collect(to chan<- prometheus.Metric) {
	s := b.board.status()
	for _, p := range s.Problems {
		to <- prometheus.MustNewConstMetric(b.waits, prometheus.GaugeValue, 1, p.Component, p.Class)
	}
	for _, p := range s.Partitions {
		age := 0.0
		if !p.Waiting.IsZero() {
			age = max(0, b.now().Sub(p.Waiting).Seconds())
		}
		to <- prometheus.MustNewConstMetric(b.ages, prometheus.GaugeValue, age, p.Topic, strconv.Itoa(int(p.Partition)))
	}
}
