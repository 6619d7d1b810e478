package store_test

import (
	"bytes"
	"context"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"headway/internal/testkit/proxy"
	"headway/store"
)

// TestLandEndsWithItsContext: a server that answers nothing holds nobody up
// who must stop, whatever he waits for.
func TestLandEndsWithItsContext(t *testing.T) {
	t.Parallel()
	insert := func(b []byte) bool { return bytes.Contains(b, []byte("INSERT INTO")) }
	for name, fault := range map[string]proxy.Fault{
		"before the columns came": {Loss: &proxy.Loss{Way: proxy.RequestHeld, Request: insert}},
		"with the rows under way": {Loss: &proxy.Loss{Way: proxy.RequestHeld, Request: insert, Answers: 1}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, cfg := migrated(t)
			line := proxy.Start(t, cfg.Addr, proxy.Options{})
			cfg.Addr = line.Addr()
			s := open(t, cfg)
			line.Set(fault)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			batch := rows(100, 0, rand.New(rand.NewPCG(1, 1)))
			landed := make(chan error, 1)
			go func() { landed <- s.Land(ctx, rangeOf(batch), store.BlockOf(batch), nil, false) }()
			tick, late := time.NewTicker(5*time.Millisecond), time.After(20*time.Second)
			defer tick.Stop()
			for line.Counts().Lost == 0 {
				select {
				case <-tick.C:
				case err := <-landed:
					t.Fatalf("it did not wait: %v", err)
				case <-late:
					t.Fatal("no insert came in 20 s")
				}
			}
			cancel()
			select {
			case err := <-landed:
				if !errors.Is(err, context.Canceled) {
					t.Errorf("error %v, want the context's", err)
				}
			case <-time.After(5 * time.Second):
				t.Error("it still waits 5 s after its context ended")
			}
			line.Set(proxy.Fault{})
			// The same store goes on.
			if err := s.Land(t.Context(), rangeOf(batch), store.BlockOf(batch), nil, true); err != nil {
				t.Error(err)
			}
			if n := ask[uint64](t, admin(t, cfg), "SELECT count() FROM requests"); n != 100 {
				t.Errorf("%d rows, want 100", n)
			}
		})
	}
}

// TestInsertTimesOut: a server that never answers is a fault of the network,
// and what became of the rows is looked up before they are sent again.
func TestInsertTimesOut(t *testing.T) {
	t.Parallel()
	s, cfg := migrated(t)
	batch := rows(100, 0, rand.New(rand.NewPCG(1, 1)))
	line := proxy.Start(t, cfg.Addr, proxy.Options{})
	slow := cfg
	slow.Addr, slow.InsertTimeout = line.Addr(), 3*time.Second // on a busy machine the rows need some of it
	stalled := open(t, slow)
	line.Set(proxy.Fault{Loss: &proxy.Loss{Request: func(b []byte) bool { return bytes.Contains(b, []byte("INSERT INTO")) }, Answers: 1, Quiet: time.Minute}})
	err := stalled.Land(t.Context(), rangeOf(batch), store.BlockOf(batch), nil, false)
	var said sinkError
	if !errors.As(err, &said) || !said.Retryable() || !strings.Contains(err.Error(), "no answer in 3s") {
		t.Errorf("error %v, want a retryable one that names the limit", err)
	}
	conn := admin(t, cfg)
	if n := ask[uint64](t, conn, "SELECT count() FROM requests"); n != 100 {
		t.Fatalf("%d rows, want 100: they were to arrive", n)
	}
	for _, again := range []*store.Store{stalled, s} {
		if err := again.Land(t.Context(), rangeOf(batch), store.BlockOf(batch), nil, true); err != nil {
			t.Error(err)
		}
	}
	if n := ask[uint64](t, conn, "SELECT count() FROM requests"); n != 100 {
		t.Errorf("%d rows, want 100", n)
	}
}
