package ingest

import (
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"
)

// TestBoardLogsEachChangeOnce has two partitions with different problems of
// one store, each tried again and again.
func TestBoardLogsEachChangeOnce(t *testing.T) {
	var said logBuffer
	b := newBoard(slog.New(slog.NewTextHandler(&said, nil)), time.Now)
	lines := func(want int, when string) {
		t.Helper()
		if n := strings.Count(said.String(), "\n"); n != want {
			t.Fatalf("%d lines %s, want %d:\n%s", n, when, want, said.String())
		}
	}
	full, absent := errors.New("disk full"), errors.New("no table")
	for range 5 {
		b.report(onSink, "t/0", "retry", "", full)
		b.report(onSink, "t/1", "operator_fault", "make one", absent)
	}
	lines(2, "for two problems")
	b.report(onSink, "t/0", "operator_fault", "make one", absent)
	lines(2, "when one problem becomes the other")
	b.report(onSink, "t/0", "retry", "", full)
	lines(3, "when a problem is back that was gone")
	b.clear(onSink, "t/0")
	lines(3, "while one partition still waits")
	b.clear(onSink, "t/1")
	b.clear(onSink, "t/1")
	lines(4, "when all go on")
	b.report(onSink, "t/0", "retry", "", full)
	lines(5, "for a new fault")
}

// TestBoardDoesNotTakeLeavingForMending: a partition that goes to another
// member takes its problem with it.
func TestBoardDoesNotTakeLeavingForMending(t *testing.T) {
	var said logBuffer
	b := newBoard(slog.New(slog.NewTextHandler(&said, nil)), time.Now)
	p := place{topic: "t"}
	b.report(onSink, p.String(), "retry", "", errors.New("disk full"))
	b.leave(p)
	if strings.Contains(said.String(), "goes on") {
		t.Errorf("nothing was mended, but the log says:\n%s", said.String())
	}
	b.report(onSink, p.String(), "retry", "", errors.New("disk full"))
	b.clear(onSink, p.String())
	if n := strings.Count(said.String(), "waits"); n != 2 || strings.Count(said.String(), "goes on") != 1 {
		t.Errorf("the next owner's fault and its end are not told:\n%s", said.String())
	}
}

// TestStatusNamesARemedyOnce: a store's errors end with their remedy.
func TestStatusNamesARemedyOnce(t *testing.T) {
	for _, what := range []string{"no table; run x", "no table"} {
		s := Status{Problems: []Problem{{Component: onSink, What: what, Remedy: "run x"}}}
		if got := s.Err().Error(); got != "sink: no table; run x" {
			t.Errorf("status says %q", got)
		}
	}
}
