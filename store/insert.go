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
	// The client looks at the context only between packets: closing its
	// connection is what ends a wait for a server that says nothing.
	unhook := context.AfterFunc(limited, func() { _ = conn.Close() })
	expected := checked(input)
	err = conn.Do(limited, ch.Query{Body: statement + " VALUES", Input: expected, Settings: insertSettings(token),
		OnProfileEvents: func(_ context.Context, events []ch.ProfileEvent) error {
			for _, e := range events {
				if e.Name == duplicatedBlocks {
					duplicates += e.Value
				}
			}
			return nil
		}})
	if !unhook() || err != nil {
		// It is about to be closed, here or by the server, and the next insert
		// would meet that instead of what is wrong.
		_ = conn.Close()
	}
	w.give(conn)
	if err != nil && limited.Err() != nil {
		err = context.Cause(limited) // not that its connection was closed
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

// give keeps a connection that can be used again, and frees its slot.
func (w *writer) give(conn *ch.Client) {
	defer func() { <-w.slots }()
	w.mu.Lock()
	defer w.mu.Unlock()
	if conn.IsClosed() {
		w.drop() // whatever ended it most likely ended the others
		return
	}
	if w.closed {
		_ = conn.Close() // nothing is under way on it
		return
	}
	w.idle = append(w.idle, conn)
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
	name string
}

// Infer is called with the type of the table's column.
func (e expected) Infer(t proto.ColumnType) error {
	if have := e.Type(); t != have {
		return fmt.Errorf("%w: %s is %s, not %s", errOtherColumns, e.name, t, have)
	}
	return nil
}

// EncodeState is the column's, where it has one.
func (e expected) EncodeState(b *proto.Buffer) {
	if s, ok := e.ColInput.(proto.StateEncoder); ok {
		s.EncodeState(b)
	}
}

func checked(in proto.Input) proto.Input {
	out := make(proto.Input, len(in))
	for i, c := range in {
		out[i] = proto.InputColumn{Name: c.Name, Data: expected{c.Data, c.Name}}
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
	var out []ch.Setting
	for _, s := range [][2]string{
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
		{"log_comment", "headway ingest"},
	} {
		out = append(out, ch.Setting{Key: s[0], Value: s[1]})
	}
	return out
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
