package store

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/ClickHouse/ch-go"
	"github.com/ClickHouse/ch-go/proto"
	"github.com/ClickHouse/clickhouse-go/v2"

	"headway/query"
)

// stream sends one statement over a connection of its own and hands its
// blocks to take, column by column: the way for millions of rows. A slow take
// holds the server back. The bound of rows is the caller's matter.
func (q *question) stream(ctx context.Context, f sqlFile, fill map[string]string, p *params, into proto.Results, take func() error) error {
	text := f.render(fill)
	q.mu.Lock()
	q.said = append(q.said, query.Statement{Name: f.name, SQL: pasteable(text, p), Params: p.values})
	q.mu.Unlock()
	doing := "answering " + q.name
	options := q.store.cfg.writeOptions()
	options.ReadTimeout = q.store.cfg.Limits.Time + time.Minute
	conn, err := ch.Dial(ctx, options)
	if err != nil {
		return q.store.questionFault(ctx, doing, err)
	}
	// The client looks at the context only between packets: closing its
	// connection is what ends a wait for a server that says nothing.
	unhook := context.AfterFunc(ctx, func() { _ = conn.Close() })
	defer func() {
		unhook()
		_ = conn.Close() // nothing is under way on it
	}()
	var refused error
	err = conn.Do(ctx, ch.Query{Body: text, Result: into, Parameters: streamParameters(p), Settings: q.streamSettings(ctx),
		OnResult: func(context.Context, proto.Block) error {
			refused = take()
			return refused
		},
		OnProgress: func(_ context.Context, p proto.Progress) error {
			q.rowsRead.Add(int64(p.Rows))
			q.elapsed.Add(int64(p.ElapsedNs))
			return nil
		}})
	if refused != nil {
		return refused
	}
	return q.store.questionFault(ctx, doing, asServerError(err))
}

// asServerError gives errors of this client the type of the other one, by
// which limits are told.
func asServerError(err error) error {
	var e *ch.Exception
	if errors.As(err, &e) {
		return &clickhouse.Exception{Code: int32(e.Code), Name: e.Name, Message: e.Message}
	}
	return err
}

// streamParameters are the parameters as this client sends them: texts in
// quotes.
func streamParameters(p *params) []proto.Parameter {
	var out []proto.Parameter
	for name, v := range p.values {
		out = append(out, proto.Parameter{Key: name, Value: "'" + fieldEscapes.Replace(v) + "'"})
	}
	slices.SortFunc(out, func(a, b proto.Parameter) int { return strings.Compare(a.Key, b.Key) })
	return out
}

var fieldEscapes = strings.NewReplacer(`\`, `\\`, `'`, `\'`)

// unhurriedTimes is how many times Limits.Time a stream may last whose context
// has no deadline.
const unhurriedTimes = 10

// streamSettings are those of question.context, without the bound of rows. A
// stream lasts as long as its rows are worked on: what bounds it is the
// context's deadline.
func (q *question) streamSettings(ctx context.Context) []ch.Setting {
	l := q.store.cfg.Limits
	within := unhurriedTimes * l.Time
	if deadline, ok := ctx.Deadline(); ok {
		within = time.Until(deadline)
	}
	comment := "headway " + q.name
	if who := q.store.cfg.Principal(ctx); who != "" {
		comment += " for " + who
	}
	memory := l.MemoryMiB << 20
	set := [][2]string{
		{"max_execution_time", fmt.Sprint(int64(max(1, (within+time.Second-1)/time.Second)))}, {"timeout_overflow_mode", "throw"},
		{"max_rows_to_read", fmt.Sprint(l.Rows)}, {"read_overflow_mode", "throw"},
		{"max_memory_usage", fmt.Sprint(memory)},
		{"log_comment", comment},
		{"transform_null_in", "0"}, {"aggregate_functions_null_for_empty", "0"}, {"prefer_column_name_to_alias", "0"},
		{"low_cardinality_allow_in_native_format", "0"},
	}
	if q.store.cfg.Cluster != "" {
		set = append(set, [2]string{"distributed_product_mode", "global"})
	}
	return plainSettings(set...)
}
