package store

import (
	"context"
	"errors"
	"fmt"
	"net"
	"runtime"
	"strconv"
	"sync"
	"time"

	"github.com/ClickHouse/ch-go"
	"github.com/ClickHouse/ch-go/proto"
	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"
)

// duplicatedBlocks is the server's profile event that tells that an insert
// was dropped because its token was known.
const duplicatedBlocks = "DuplicatedInsertedBlocks"

// errOtherColumns is found before anything is sent: the table is of another
// version.
var errOtherColumns = errors.New("the table's columns are not those that are sent")

// writer sends blocks through connections of its own: one block, one INSERT.
type writer struct {
	options ch.Options
	limit   time.Duration // of one insert
	fault   func(doing string, err error) error
	slots   chan struct{} // holds one for each insert under way

	mu     sync.Mutex
	closed bool
	idle   []*ch.Client // at most as many as slots
	blocks []*Block     // for parts of a range
}

func newWriter(cfg Config, fault func(string, error) error) *writer {
	o := cfg.writeOptions()
	n := max(4, runtime.GOMAXPROCS(0))
	if o.Compression != ch.CompressionDisabled {
		n /= 2 // each holds its block twice more, plain and packed
	}
	return &writer{options: o, limit: cfg.InsertTimeout, fault: fault, slots: make(chan struct{}, n)}
}

// writeOptions are those of connections that insert.
func (c Config) writeOptions() ch.Options {
	o := ch.Options{
		Address: c.Addr, Database: c.Database, User: c.User, Password: c.Password, ClientName: "headway " + c.Version,
		DialTimeout: c.DialTimeout, HandshakeTimeout: c.DialTimeout,
		ReadTimeout: c.InsertTimeout,
		Compression: ch.CompressionLZ4,
		TLS:         c.tls(),
	}
	if host, _, err := net.SplitHostPort(c.Addr); err == nil && (host == "localhost" || net.ParseIP(host).IsLoopback()) {
		o.Compression = ch.CompressionDisabled // packing costs more than it saves where nothing leaves the machine
	}
	return o
}

// insert sends one block and returns how many blocks the server dropped as
// duplicates. Without an error, and with none dropped, its rows are in.
func (w *writer) insert(ctx context.Context, statement string, input proto.Input, token string) (duplicates int64, err error) {
	conn, err := w.take(ctx)
	if err != nil {
		return 0, w.fault("connecting to insert", err)
	}
	limited, cancel := context.WithTimeoutCause(ctx, w.limit, fmt.Errorf("no answer in %s", w.limit))
	defer cancel()
	limited, giveUp := context.WithCancelCause(limited)
	defer giveUp(nil)
	// The client looks at the context only between packets: closing its
	// connection is what ends a wait for a server that says nothing.
	unhook := context.AfterFunc(limited, func() { _ = conn.Close() })
	told := false
	err = conn.Do(limited, ch.Query{Body: statement + " VALUES", Input: checked(input, giveUp), Settings: insertSettings(token),
		OnProfileEvents: func(_ context.Context, events []ch.ProfileEvent) error {
			told = told || len(events) > 0
			for _, e := range events {
				if e.Name == duplicatedBlocks {
					duplicates += e.Value
				}
			}
			return nil
		}})
	if !unhook() {
		_ = conn.Close() // it is about to be
	}
	w.give(conn, err)
	switch {
	case err != nil && limited.Err() != nil:
		err = context.Cause(limited) // not that its connection was closed
	case err == nil && !told:
		duplicates = 1 // a server that tells of no event may have dropped it
	}
	return duplicates, w.fault("inserting", err)
}

// take waits for a slot and returns an idle connection, or a new one.
func (w *writer) take(ctx context.Context) (*ch.Client, error) {
	select {
	case w.slots <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	w.mu.Lock()
	if n := len(w.idle); n > 0 {
		conn := w.idle[n-1]
		w.idle = w.idle[:n-1]
		w.mu.Unlock()
		return conn, nil
	}
	w.mu.Unlock()
	conn, err := ch.Dial(ctx, w.options)
	if err != nil {
		<-w.slots
	}
	return conn, err
}

// give keeps a connection whose insert went well, and frees its slot. After an
// error, an exception too, the client may hold what it was about to send, and
// would send it before the next insert; and the server may wait for it.
func (w *writer) give(conn *ch.Client, err error) {
	defer func() { <-w.slots }()
	w.mu.Lock()
	defer w.mu.Unlock()
	if err == nil && !w.closed && !conn.IsClosed() {
		w.idle = append(w.idle, conn)
		return
	}
	_ = conn.Close() // nothing is under way on it
	if err != nil && !ch.IsException(err) {
		w.drop() // whatever ended it most likely ended the others
	}
}

func (w *writer) close() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.closed = true
	w.drop()
}

// drop closes the idle connections.
func (w *writer) drop() {
	for _, conn := range w.idle {
		_ = conn.Close() // nothing is under way on it
	}
	w.idle = nil
}

// takeBlock returns an empty block.
func (w *writer) takeBlock() *Block {
	w.mu.Lock()
	defer w.mu.Unlock()
	if n := len(w.blocks); n > 0 {
		b := w.blocks[n-1]
		w.blocks = w.blocks[:n-1]
		return b
	}
	return NewBlock()
}

func (w *writer) giveBlock(b *Block) {
	b.Reset()
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.blocks) < cap(w.slots) {
		w.blocks = append(w.blocks, b)
	}
}

// expected is a column that compares its type with the table's before
// anything is sent.
type expected struct {
	proto.ColInput
	name   string
	giveUp context.CancelCauseFunc // of the insert: the client would wait for the server, which waits for rows
}

// Infer is called with the type of the table's column.
func (e expected) Infer(t proto.ColumnType) error {
	have := e.Type()
	if t == have {
		return nil
	}
	err := fmt.Errorf("%w: %s is %s, not %s", errOtherColumns, e.name, t, have)
	e.giveUp(err)
	return err
}

// EncodeState is the column's, where it has one.
func (e expected) EncodeState(b *proto.Buffer) {
	if s, ok := e.ColInput.(proto.StateEncoder); ok {
		s.EncodeState(b)
	}
}

func checked(in proto.Input, giveUp context.CancelCauseFunc) proto.Input {
	out := make(proto.Input, len(in))
	for i, c := range in {
		out[i] = proto.InputColumn{Name: c.Name, Data: expected{c.Data, c.Name, giveUp}}
	}
	return out
}

// leastFree is the free space, in bytes, below which an insert is refused: on
// a disk that is full to the last byte ClickHouse 26.7 acknowledges inserts
// that it could not write.
const leastFree = 256 << 20

// insertSettings are all settings that an insert depends on: the server's
// defaults differ between versions. Servers ignore those they don't know.
func insertSettings(token string) []ch.Setting {
	n := func(v int) string { return strconv.Itoa(v) }
	return plainSettings([][2]string{
		{"async_insert", "0"},
		{"insert_deduplicate", "1"},
		{"deduplicate_insert", "enable"},
		{"insert_deduplication_token", token},
		{"max_insert_block_size", n(serverBlockRows)},
		{"min_insert_block_size_rows", n(serverBlockRows)},
		{"min_insert_block_size_bytes", n(serverBlockBytes)},
		// A block of two days would become two parts under one token.
		{"max_partitions_per_insert_block", "1"},
		{"throw_on_max_partitions_per_insert_block", "1"},
		{"insert_null_as_default", "0"},
		{"min_free_disk_bytes_to_perform_insert", n(leastFree)},
		{"low_cardinality_allow_in_native_format", "1"},
		// Without them it is not told that a block was dropped.
		{"send_profile_events", "1"},
		{"log_comment", "headway ingest"},
	}...)
}

// consistent makes a read on a cluster see every write that was acknowledged.
func (s *Store) consistent(ctx context.Context) context.Context {
	if s.cfg.Cluster == "" {
		return ctx
	}
	return clickhouse.Context(ctx, clickhouse.WithSettings(clickhouse.Settings{"select_sequential_consistency": 1}))
}

// each calls take for every row and closes the rows.
func each(rows driver.Rows, take func(driver.Rows) error) error {
	defer func() { _ = rows.Close() }() // its error is also Err's
	for rows.Next() {
		if err := take(rows); err != nil {
			return err
		}
	}
	return rows.Err()
}

// scanColumn reads the one column of rows.
func scanColumn[T any](rows driver.Rows, take func(T)) error {
	return each(rows, func(r driver.Rows) error {
		var v T
		err := r.Scan(&v)
		take(v)
		return err
	})
}
