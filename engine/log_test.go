package engine

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"
)

func TestEngineLog(t *testing.T) {
	t.Parallel()
	const stamp = "2026.11.30 07:45:48.890542 [ 14582 ] {8ae745bc-a9c3-4e29-9791-526df3020b73} "
	tests := []struct {
		name, line string
		serving    bool
		log        string // what reaches slog at the level of information and above
		reason     string
	}{
		{"a client's error", stamp + "<Error> executeQuery: Code: 60. DB::Exception: no table (in query: SELECT 'abc')", true,
			"", "it left no message"},
		{"an error while starting", stamp + "<Error> executeQuery: Code: 210. DB::Exception: Listen failed (in query: SYSTEM START)", false,
			"", "Code: 210. DB::Exception: Listen failed"},
		{"an error of its own", stamp + "<Error> MergeTreeBackgroundExecutor: Code: 243. DB::Exception: Cannot reserve (in query: x)", true,
			"level=WARN msg=\"Code: 243. DB::Exception: Cannot reserve\" from=clickhouse source=MergeTreeBackgroundExecutor\n", "Code: 243. DB::Exception: Cannot reserve"},
		{"a signal", stamp + "<Fatal> ClientBase: Received signal 11\n" + stamp + "<Fatal> ClientBase: 3. raise @ 0x1", true, "", "Received signal 11"},
		{"an uncaught exception", stamp + "<Fatal> ClientBase: Terminate called:\n" + stamp + "<Fatal> ClientBase: Code: 516. DB::Exception: no, Stack trace (when", true,
			"", "Code: 516. DB::Exception: no"},
		{"a warning", stamp + "<Warning> BackgroundSchedulePool/BgSchPool: Temporarily pause", true, "", "it left no message"},
		{"a stack", "12. ? @ 0x000000001c92c63f", false, "", "it left no message"},
		{"a line while starting", "cannot open shared object", false, "", "cannot open shared object"},
		{"a statement's second line", "WHERE request_id = 'abc')", true, "", "it left no message"},
		{"last words while serving", "fatal error: unexpected signal", true, "", "fatal error: unexpected signal"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var out bytes.Buffer
			e := &engineLog{log: slog.New(slog.NewTextHandler(&out, &slog.HandlerOptions{ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
				if a.Key == slog.TimeKey {
					return slog.Attr{}
				}
				return a
			}}))}
			e.serving.Store(tt.serving)
			e.follow(strings.NewReader(tt.line + "\n"))
			if out.String() != tt.log {
				t.Errorf("logged %q, want %q", out.String(), tt.log)
			}
			if got := e.reason(); got != tt.reason {
				t.Errorf("reason %q, want %q", got, tt.reason)
			}
		})
	}
}

func TestEngineLogKeepsLittle(t *testing.T) {
	t.Parallel()
	e := &engineLog{log: slog.New(slog.DiscardHandler)}
	e.follow(strings.NewReader(strings.Repeat(strings.Repeat("x", 1<<20)+"\n", 3) + strings.Repeat("short\n", 2*keptLines) + "Code: 1. DB::Exception: last\nafter\n"))
	if len(e.last) != keptLines || e.reason() != "Code: 1. DB::Exception: last" {
		t.Errorf("keeps %d lines, reason %q", len(e.last), e.reason())
	}
}

func TestConfigurationEscapes(t *testing.T) {
	t.Parallel()
	got := branch("a", leaf("b", `<&"]]>`), branch("c", number("d", 5))).String()
	if want := "<a>\n  <b>&lt;&amp;&#34;]]&gt;</b>\n  <c>\n    <d>5</d>\n  </c>\n</a>\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestQuoteName(t *testing.T) {
	t.Parallel()
	if got, want := quoteName("a`b\\c"), "`a\\`b\\\\c`"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
