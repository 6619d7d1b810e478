package engine

import (
	"bufio"
	"context"
	"io"
	"log/slog"
	"regexp"
	"strings"
	"sync"
)

// engineLog passes the engine's own log on to slog and remembers the last
// lines, so that the reason of an early death can be told.
type engineLog struct {
	log *slog.Logger

	mu   sync.Mutex
	last []string
}

// keptLines is how many lines are remembered.
const keptLines = 40

// logLine matches "2026.11.30 07:45:48.890542 [ 14582 ] {query id} <Error> source: text".
var logLine = regexp.MustCompile(`^\d{4}\.\d\d\.\d\d [\d:.]+ \[ \d+ \] \{[^}]*\} <(\w+)> ([^:]+): (.*)$`)

// follow reads until the engine closes its output.
func (e *engineLog) follow(r io.Reader) {
	lines := bufio.NewReaderSize(r, 64<<10)
	for {
		line, _, err := lines.ReadLine()
		if err != nil {
			return
		}
		e.take(string(line))
	}
}

func (e *engineLog) take(line string) {
	m := logLine.FindStringSubmatch(line)
	if m == nil {
		if !strings.Contains(line, " @ 0x") && strings.TrimSpace(line) != "" {
			e.remember(withoutQuery(line))
		}
		return
	}
	text := withoutQuery(m[3])
	e.remember(text)
	e.log.Log(context.Background(), level(m[1], m[2]), text, "from", "clickhouse", "source", m[2])
}

// level says how loud a line of the engine is here. What a client caused was
// answered to that client, and most warnings are about normal scheduling.
func level(severity, source string) slog.Level {
	switch {
	case severity == "Fatal" || severity == "Critical":
		return slog.LevelError
	case severity == "Error" && source != "executeQuery" && !strings.HasSuffix(source, "Handler"):
		return slog.LevelWarn
	}
	return slog.LevelDebug
}

// withoutQuery cuts off the text of a statement: it may hold values.
func withoutQuery(text string) string {
	text, _, _ = strings.Cut(text, " (in query:")
	return text
}

func (e *engineLog) remember(line string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if len(e.last) == keptLines {
		e.last = e.last[1:]
	}
	e.last = append(e.last, line)
}

// contains says whether one of the last lines has the text.
func (e *engineLog) contains(text string) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, line := range e.last {
		if strings.Contains(line, text) {
			return true
		}
	}
	return false
}

// reason is the most telling of the last lines: the last one that names an
// error, else the last one.
func (e *engineLog) reason() string {
	e.mu.Lock()
	defer e.mu.Unlock()
	for i := len(e.last) - 1; i >= 0; i-- {
		for _, sign := range []string{"engine child:", "DB::Exception", "Exception:", "fatal error", "SIG"} {
			if strings.Contains(e.last[i], sign) {
				return e.last[i]
			}
		}
	}
	if len(e.last) == 0 {
		return "it left no message"
	}
	return e.last[len(e.last)-1]
}
