package ops

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"
)

func TestGroupStopsTheOthersWhenOneFails(t *testing.T) {
	boom := errors.New("boom")
	var g Group
	ended := false
	g.Add(func(ctx context.Context) error { <-ctx.Done(); ended = true; return nil })
	g.Add(func(context.Context) error { return boom })
	if err := g.Run(context.Background()); !errors.Is(err, boom) || !ended {
		t.Errorf("error %v, other part ended %v; want boom and true", err, ended)
	}
}

func TestGroupEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	var g Group
	g.Add(func(ctx context.Context) error { cancel(); <-ctx.Done(); return nil })
	if err := g.Run(ctx); err != nil {
		t.Errorf("error %v, want a clean end", err)
	}
}

// TestWatchLogsOnlyChanges fails with ever new words, recovers, and fails
// again: three lines, whatever the words.
func TestWatchLogsOnlyChanges(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	var out bytes.Buffer
	h := NewHealth(time.Now)
	looks := 0
	look := func(context.Context) error {
		looks++
		switch {
		case looks <= 20, looks > 25 && looks <= 40:
			return fmt.Errorf("connection %d was reset", looks)
		case looks > 40:
			cancel()
		}
		return nil
	}
	h.Watch(ctx, slog.New(slog.NewTextHandler(&out, nil)), "database", Watch{Well: time.Microsecond, IllFirst: time.Microsecond, IllMost: time.Millisecond}, look)
	if lines := strings.Count(out.String(), "\n"); lines != 3 {
		t.Errorf("%d lines, want 3:\n%s", lines, out.String())
	}
	if s := h.States(); len(s) != 1 || s[0].Ready || !strings.Contains(s[0].Reason, "connection 40") {
		t.Errorf("states %+v, want the newest reason", s)
	}
}
