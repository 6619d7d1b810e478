package store

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"

	"headway/query"
)

// question runs the statements of one answer, with limits, and counts what
// they cost.
type question struct {
	store    *Store
	name     string // of the question, for errors and the server's query log
	rowsRead atomic.Int64
	elapsed  atomic.Int64

	mu   sync.Mutex // statements of one question may run at the same time
	said []query.Statement
}

func (s *Store) ask(name string) *question { return &question{store: s, name: name} }

// run sends one statement and hands each row of its answer to take.
func (q *question) run(ctx context.Context, f sqlFile, fill map[string]string, p *params, take func(driver.Rows) error) error {
	text := f.render(fill)
	q.mu.Lock()
	q.said = append(q.said, query.Statement{Name: f.name, SQL: pasteable(text, p), Params: p.values})
	q.mu.Unlock()
	doing := "answering " + q.name
	rows, err := q.store.conn.Query(q.context(ctx, p), text)
	if err != nil {
		return q.store.questionFault(ctx, doing, err)
	}
	return q.store.questionFault(ctx, doing, each(rows, take))
}

// context carries limits, parameters and who asks to the server, and what the
// server says of its progress back.
func (q *question) context(ctx context.Context, p *params) context.Context {
	l := q.store.cfg.Limits
	comment := "headway " + q.name
	if who := q.store.cfg.Principal(ctx); who != "" {
		comment += " for " + who
	}
	set := clickhouse.Settings{
		"max_execution_time": int64(max(1, l.Time/time.Second)), "timeout_overflow_mode": "throw",
		"max_rows_to_read": l.Rows, "read_overflow_mode": "throw",
		"max_memory_usage": l.MemoryMiB << 20,
		// The limits above bound the server, this one the process that asks.
		"max_result_rows": l.Values, "result_overflow_mode": "throw",
		"log_comment": comment,
		// Defaults that an answer depends on and that servers may change.
		"transform_null_in": 0, "aggregate_functions_null_for_empty": 0, "prefer_column_name_to_alias": 0,
	}
	if q.store.cfg.Cluster != "" {
		// A request's attempts may lie on several shards.
		set["distributed_product_mode"] = "global"
	}
	return clickhouse.Context(unhurried{ctx}, clickhouse.WithParameters(p.values), clickhouse.WithSettings(set),
		clickhouse.WithProgress(func(p *clickhouse.Progress) {
			q.rowsRead.Add(int64(p.Rows))
			q.elapsed.Add(int64(p.Elapsed))
		}))
}

// unhurried hides a context's deadline from the driver, which would put it in
// place of max_execution_time; the context still ends when it ends.
type unhurried struct{ context.Context }

// Deadline implements context.Context.
func (unhurried) Deadline() (time.Time, bool) { return time.Time{}, false }

// meta is the part of an answer's meta that only this package knows.
func (q *question) meta(sc query.Scope, explain bool) query.Meta {
	m := query.Meta{From: sc.From, To: sc.To, Table: "requests", RowsRead: q.rowsRead.Load(),
		Elapsed: time.Duration(q.elapsed.Load()), Approximation: "exact", LeftOut: map[string]int64{}}
	if explain {
		m.SQL = q.said
	}
	return m
}

// questionFault is fault for questions: beyond a limit is an error of its
// own, and an ended context stays what it is.
func (s *Store) questionFault(ctx context.Context, doing string, err error) error {
	if err == nil {
		return nil
	}
	if ctx.Err() != nil {
		return fmt.Errorf("%s: %w", doing, ctx.Err())
	}
	var server *clickhouse.Exception
	if errors.As(err, &server) {
		if l, ok := s.limitOf(server.Code); ok && !strings.Contains(server.Message, "(total)") {
			return &Error{doing: doing, code: server.Code, class: classLimit, setting: l.setting, err: brief(server.Code, server.Message),
				remedy: fmt.Sprintf("raise %s (now %s)", l.config, l.value)}
		}
	}
	return s.fault(doing, err)
}

// pasteable puts a statement's parameters before it, as clickhouse-client
// takes them.
func pasteable(text string, p *params) string {
	names := make([]string, 0, len(p.values))
	for name := range p.values {
		names = append(names, name)
	}
	slices.Sort(names)
	var out strings.Builder
	for _, name := range names {
		// SET reads a literal; the parameter's own escapes are inside it.
		fmt.Fprintf(&out, "SET param_%s = %s;\n", name, quoteText(p.values[name]))
	}
	out.WriteString(text)
	return out.String()
}
