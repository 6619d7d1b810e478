package faults

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// The variables make TestOutage longer: the duration of the outage (10m), and
// the records a second.
const (
	outageVariable = "HEADWAY_OUTAGE"
	rateVariable   = "HEADWAY_OUTAGE_RATE"
)

// memoryMB is ingest.memory_mb of the ingester in TestOutage.
const memoryMB = 64

// TestOutage stops ClickHouse while records come: the ingester's memory is
// bounded, it stays in its generation, and it catches up by itself.
func TestOutage(t *testing.T) {
	outage, rate := 10*time.Second, 2000
	if d, err := time.ParseDuration(os.Getenv(outageVariable)); err == nil {
		outage = d
	}
	if n, err := strconv.Atoi(os.Getenv(rateVariable)); err == nil {
		rate = n
	}
	l := newLab(t, t.TempDir(), false)
	l.ingest(fmt.Sprintf("memory_mb: %d", memoryMB))
	records := l.begin(rate, now)
	l.flowing()
	m := l.sampleMemory()
	wait(max(outage/20, 3*time.Second))
	before := m.peak()
	l.stopEngine()
	down := time.Now()
	wait(outage / 2)
	firstHalf := m.peak()
	wait(time.Until(down.Add(outage)))
	secondHalf := m.peak()
	landed, lag := l.metric("headway_rows_inserted_total", ""), l.metric("headway_lag_records", "")
	if least := 0.8 * float64(rate) * outage.Seconds(); lag < least {
		t.Errorf("headway_lag_records says %.0f during the outage, at least %.0f are missing", lag, least)
	}
	l.startEngine()
	up := time.Now()
	l.within(10*time.Minute, "caught up", func() error {
		if behind := l.metric("headway_lag_records", ""); behind > float64(3*rate) {
			return fmt.Errorf("%.0f records behind", behind)
		}
		return l.ready()
	})
	took := time.Since(up).Seconds()
	caught := l.metric("headway_rows_inserted_total", "") - landed
	after := m.peak()
	m.stop()
	records.settled()
	l.tellsOnce(2)
	if n := l.metric("headway_group_generations_total", ""); n != 1 {
		t.Errorf("%v generations: heartbeats stopped", n)
	}
	if limit := before + 3*memoryMB; max(firstHalf, secondHalf) > limit || outage > 2*time.Minute && float64(secondHalf) > 1.15*float64(firstHalf) {
		t.Errorf("memory grew from %d to %d and %d MiB in the halves of the outage", before, firstHalf, secondHalf)
	}
	t.Logf("ClickHouse away for %s at %d records/s: resident memory %d MiB before, at most %d and %d MiB in the two halves of the outage, %d MiB while catching up (ingest.memory_mb %d);\n"+
		"1 generation; %.0f records behind, caught up by itself in %.1f s: %.0f rows/s beside %d records/s that went on coming; each record once",
		outage, rate, before, firstHalf, secondHalf, after, memoryMB, lag, took, caught/took, rate)
}

// wait lets time pass: the outage is what is measured.
func wait(d time.Duration) {
	if d > 0 {
		<-time.After(d)
	}
}

// memory samples the ingester's resident memory.
type memory struct {
	mu     sync.Mutex
	most   int64 // MiB since the last call of peak
	end    chan struct{}
	ending sync.Once
}

func (l *lab) sampleMemory() *memory {
	m := &memory{end: make(chan struct{})}
	l.t.Cleanup(m.stop)
	path := fmt.Sprintf("/proc/%d/status", l.p.PID())
	go func() {
		tick := time.NewTicker(200 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
			case <-m.end:
				return
			}
			raw, _ := os.ReadFile(path) // nothing to read once it has ended
			_, rest, _ := strings.Cut(string(raw), "\nVmRSS:")
			kib, _, _ := strings.Cut(strings.TrimSpace(rest), " ")
			n, _ := strconv.ParseInt(kib, 10, 64)
			m.mu.Lock()
			m.most = max(m.most, n>>10)
			m.mu.Unlock()
		}
	}()
	return m
}

// peak returns the highest sample since it was last called, in MiB.
func (m *memory) peak() int64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	most := m.most
	m.most = 0
	return most
}

func (m *memory) stop() { m.ending.Do(func() { close(m.end) }) }
