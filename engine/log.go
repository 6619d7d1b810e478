package engine

import (
	"bufio"
	"context"
	"io"
	"log/slog"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
)

// engineLog passes the engine's own log on to slog and remembers the last
// lines, so that the reason of an early death can be told.
type engineLog struct {
	log *slog.Logger
	// serving says that the engine has clients.
	serving atomic.Bool

	mu    sync.Mutex
	last  []string
	fatal string
}

// keptLines is how many lines are remembered.
const keptLines = 40

// logLine matches "2026.11.30 07:45:48.890542 [ 14582 ] {query id} <Error> source: text".
var logLine = regexp.MustCompile(`^\d{4}\.\d\d\.\d\d [\d:.]+ \[ \d+ \] \{[^}]*\} <(\w+)> ([^:]+): (.*)$`)

// lastWords matches what a child says without the engine's logger before it
// ends: our own error, the engine's uncaught one, or that of a runtime.
var lastWords = regexp.MustCompile(`^(engine child: |Code: \d+\. |fatal error: |panic: |SIG[A-Z]+: )`)

// follow reads until the engine closes its output.
func (e *engineLog) follow(r io.Reader) {
	lines := bufio.NewReaderSize(r, 64<<10)
	for {
		line, more, err := lines.ReadLine()
		if err != nil {
			return
		}
		e.take(string(line))
		for more && err == nil {
			_, more, err = lines.ReadLine()
		}
	}
}

func (e *engineLog) take(line string) {
	m := logLine.FindStringSubmatch(line)
	if m == nil {
		// The rest of a longer entry is a stack or, once there are clients, the
		// text of a statement.
		if lastWords.MatchString(line) || !e.serving.Load() && !strings.Contains(line, " @ 0x") {
			e.remember(withoutQuery(line))
		}
		return
	}
	text := withoutQuery(m[3])
	at := level(m[1], m[2])
	switch {
	case m[1] == "Fatal":
		e.mark(text)
	case at > slog.LevelDebug || m[1] == "Error" && !e.serving.Load():
		e.remember(text)
	}
	e.log.Log(context.Background(), at, text, "from", "clickhouse", "source", m[2])
}

// level says how loud a line of the engine is here. What a client caused was
// answered to that client, most warnings are about normal scheduling, and a
// fatal error comes in dozens of lines: the supervisor tells it in one.
func level(severity, source string) slog.Level {
	if severity == "Error" && source != "executeQuery" && !strings.HasSuffix(source, "Handler") {
		return slog.LevelWarn
	}
	return slog.LevelDebug
}

// mark keeps what a fatal error is about: the exception if it has one, else
// its first line.
func (e *engineLog) mark(text string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	isException := strings.HasPrefix(text, "Code: ")
	if e.fatal == "" || isException && !strings.HasPrefix(e.fatal, "Code: ") {
		e.fatal, _, _ = strings.Cut(text, ", Stack trace")
	}
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

// reason is why the engine died, as far as it said: its fatal error, else the
// last error among the last lines, else the last of them.
func (e *engineLog) reason() string {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.fatal != "" {
		return e.fatal
	}
	for _, line := range slices.Backward(e.last) {
		if lastWords.MatchString(line) || strings.Contains(line, "Exception") {
			return line
		}
	}
	if len(e.last) == 0 {
		return "it left no message"
	}
	return e.last[len(e.last)-1]
}
