package ops

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"time"
)

func TestNewLoggerNamesTheChoices(t *testing.T) {
	for _, tc := range []struct{ name, level, format, want string }{
		{"level", "loud", "text", "debug, info, warn or error"},
		{"format", "info", "xml", "text or json"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			_, err := NewLogger(&bytes.Buffer{}, tc.level, tc.format)
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Fatalf("error %v, want one that offers %q", err, tc.want)
			}
		})
	}
}

func TestStackClosesInReverseAndNamesTheFailure(t *testing.T) {
	var order []string
	var s Stack
	boom := errors.New("boom")
	s.Push("first", func() error { order = append(order, "first"); return nil })
	s.Push("second", func() error { order = append(order, "second"); return boom })
	err := s.Close()
	if got := strings.Join(order, " "); got != "second first" {
		t.Errorf("closed %q, want second first", got)
	}
	if !errors.Is(err, boom) || !strings.Contains(err.Error(), "second") {
		t.Errorf("error %v, want boom named second", err)
	}
	if err := s.Close(); err != nil {
		t.Errorf("second Close: %v, want nothing left to close", err)
	}
}

func TestHealthReportsChangesOnce(t *testing.T) {
	at := time.Date(2026, 11, 30, 3, 0, 0, 0, time.UTC)
	h := NewHealth(func() time.Time { return at })
	if !h.Set("database", false, "unreachable") {
		t.Error("the first state is a change")
	}
	if h.Ready("database") || h.Ready("database", "absent") {
		t.Error("ready though one part is not")
	}
	if h.Set("database", false, "unreachable") {
		t.Error("the same state again is no change")
	}
	if !h.Set("database", true, "") {
		t.Error("recovery is a change")
	}
	if !h.Ready("database") {
		t.Error("recovered, but not ready")
	}
	if got := h.States(); len(got) != 1 || !got[0].Ready || got[0].Since != at {
		t.Errorf("states %+v", got)
	}
}
