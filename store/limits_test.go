package store_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"testing"
	"time"

	"headway/query"
	"headway/schema"
	"headway/store"
)

func TestLimitsAreNamed(t *testing.T) {
	t.Parallel()
	_, cfg := migrated(t)
	landed(t, open(t, cfg), rows(100_000, 0, rand.New(rand.NewPCG(1, 1))))
	cases := []struct {
		name    string
		limits  store.Limits
		setting string
		remedy  string
	}{
		{"rows", store.Limits{Rows: 100}, "max_rows_to_read", "raise query.max_rows (now 100)"},
		{"memory", store.Limits{MemoryMiB: 1}, "max_memory_usage", "raise query.max_memory_mb (now 1)"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			limited := cfg
			limited.Limits = c.limits
			s := open(t, limited)
			_, err := s.Latency(t.Context(), query.Latency{Metric: "first_response_ms", Quantiles: []float64{0.5}, Step: time.Minute}, hour())
			var e *store.Error
			if !errors.As(err, &e) {
				t.Fatalf("error %v", err)
			}
			setting, remedy, ok := e.Limit()
			if !ok || setting != c.setting || remedy != c.remedy || e.Retryable() {
				t.Errorf("limit %q %q %v: %v", setting, remedy, ok, err)
			}
		})
	}
}

// TestValuesAreBounded asks for more values than may be sent to the process.
func TestValuesAreBounded(t *testing.T) {
	t.Parallel()
	_, cfg := migrated(t)
	landed(t, open(t, cfg), rows(100_000, 0, rand.New(rand.NewPCG(1, 1))))
	cfg.Limits.Values = 1000
	s := open(t, cfg)
	metric, _ := schema.NewRegistry().Lookup("input_tokens")
	_, _, err := s.Waits(t.Context(), hour(), metric, nil, query.WaitMetric)
	var e *store.Error
	if !errors.As(err, &e) {
		t.Fatalf("error %v, want a limit", err)
	}
	if setting, remedy, ok := e.Limit(); !ok || setting != "max_result_rows" || remedy != "raise query.max_values (now 1000)" {
		t.Errorf("limit %q %q %v: %v", setting, remedy, ok, err)
	}
}

// slowStore has 2,000 rows that come slowly, 40 s of one thread: a view
// stands in for a heavy question. On each of 20 days are 100 of them, so that
// the server reads 20 blocks.
func slowStore(t *testing.T) (store.Config, query.Scope) {
	t.Helper()
	s, cfg := migrated(t)
	slow := rows(2000, 0, rand.New(rand.NewPCG(1, 1)))
	for i := range slow {
		slow[i].Record.CreatedAt = base.Add(time.Duration(i%20) * 24 * time.Hour)
	}
	landed(t, s, slow)
	conn := admin(t, cfg)
	do(t, conn, "RENAME TABLE requests TO kept")
	do(t, conn, "CREATE VIEW requests AS SELECT * FROM kept WHERE sleepEachRow(0.02) = 0")
	return cfg, query.Scope{Window: query.Window{From: base, To: base.Add(20 * 24 * time.Hour)}}
}

func TestTimeLimitIsNamed(t *testing.T) {
	t.Parallel()
	cfg, sc := slowStore(t)
	cfg.Limits.Time = time.Second
	// A deadline of the caller must not take the limit's place.
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	_, err := open(t, cfg).Latency(ctx, query.Latency{Metric: "first_response_ms", Quantiles: []float64{0.5}}, sc)
	var e *store.Error
	if !errors.As(err, &e) {
		t.Fatalf("error %v", err)
	}
	if setting, remedy, ok := e.Limit(); !ok || setting != "max_execution_time" || remedy != "raise query.timeout (now 1s)" {
		t.Errorf("limit %q %q %v: %v", setting, remedy, ok, err)
	}
}

// TestCancelReachesTheServer ends the context of a question that the server
// is busy with, and waits until the server no longer is.
func TestCancelReachesTheServer(t *testing.T) {
	t.Parallel()
	cfg, sc := slowStore(t)
	conn := admin(t, cfg)
	const running = "SELECT count() FROM system.processes WHERE Settings['log_comment'] = 'headway latency for ann'"
	ctx, cancel := context.WithCancel(t.Context())
	cfg.Principal = func(context.Context) string { return "ann" }
	named := open(t, cfg)
	asked := make(chan error, 1)
	go func() {
		_, err := named.Latency(ctx, query.Latency{Metric: "first_response_ms", Quantiles: []float64{0.5}}, sc)
		asked <- err
	}()
	until(t, func() bool { return ask[uint64](t, conn, running) > 0 })
	cancel()
	if err := <-asked; !errors.Is(err, context.Canceled) {
		t.Errorf("error %v; want that of the context", err)
	}
	cancelled := time.Now()
	until(t, func() bool { return ask[uint64](t, conn, running) == 0 })
	if d := time.Since(cancelled); d > 6*time.Second {
		t.Errorf("the server went on for %s", d)
	}
}

// until polls the engine, which can't tell us by itself.
func until(t *testing.T, done func() bool) {
	t.Helper()
	deadline := time.Now().Add(20 * time.Second)
	for !done() {
		if time.Now().After(deadline) {
			t.Fatal("it did not come to that within 20 s")
		}
	}
}
