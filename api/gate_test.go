package api

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"testing"
	"time"
)

func TestGate(t *testing.T) {
	g := newGate(Limits{Concurrency: 1, Queue: 1, QueueTime: time.Hour})
	leave, err := g.enter(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	waited := make(chan error, 1)
	go func() {
		_, err := g.enter(ctx)
		waited <- err
	}()
	for g.waiting.Load() == 0 { // until the second waits
		runtime.Gosched()
	}
	var p *Problem
	if _, err := g.enter(context.Background()); !errors.As(err, &p) || p.Status != 429 || p.GetHeaders().Get("Retry-After") == "" {
		t.Errorf("third: %v", err)
	}
	cancel()
	if err := <-waited; !errors.Is(err, context.Canceled) {
		t.Errorf("second: %v", err)
	}
	leave()
	if leave, err := g.enter(context.Background()); err != nil {
		t.Errorf("after leaving: %v", err)
	} else {
		leave()
	}
}

func TestGateGivesUpWaiting(t *testing.T) {
	g := newGate(Limits{Concurrency: 1, Queue: 1, QueueTime: time.Millisecond})
	if _, err := g.enter(context.Background()); err != nil {
		t.Fatal(err)
	}
	var p *Problem
	if _, err := g.enter(context.Background()); !errors.As(err, &p) || p.Status != 503 || p.GetHeaders().Get("Retry-After") == "" {
		t.Errorf("%v", err)
	}
}

// TestQuestionsAreLimitedAndTimed asks three questions of a server with one
// place and one seat to wait.
func TestQuestionsAreLimitedAndTimed(t *testing.T) {
	b := newBench(t, func(o *Options) {
		o.Limits = Limits{Concurrency: 1, Queue: 1, QueueTime: time.Hour, Timeout: time.Hour}
	})
	entered, release := make(chan struct{}, 3), make(chan struct{})
	b.shelf.block = func(context.Context) error {
		entered <- struct{}{}
		<-release
		return nil
	}
	var wg sync.WaitGroup
	codes := make(chan int, 3)
	call := func() {
		wg.Go(func() { codes <- b.get("/api/v1/quality").Code })
	}
	call()
	<-entered
	call()
	for b.gate.waiting.Load() == 0 {
		runtime.Gosched()
	}
	if w := b.get("/api/v1/quality"); w.Code != 429 || w.Header().Get("Retry-After") == "" {
		t.Errorf("third: %d", w.Code)
	}
	if w := b.get("/healthz"); w.Code != 200 {
		t.Errorf("health waits for a place: %d", w.Code)
	}
	close(release)
	wg.Wait()
	for range 2 {
		if c := <-codes; c != 200 {
			t.Errorf("code %d", c)
		}
	}
}

func TestSlowQuestionsEnd(t *testing.T) {
	b := newBench(t, func(o *Options) { o.Limits.Timeout = time.Millisecond })
	b.shelf.block = func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() }
	if w := b.get("/api/v1/quality"); w.Code != 504 {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}
