package store_test

import (
	"errors"
	"math/rand/v2"
	"testing"
	"time"

	"headway/schema"
	"headway/store"
)

// TestConnectionsAfterExceptions alternates inserts that the server refuses
// with others, over the same connections: what was under way when an exception
// came must not be met by the next insert.
func TestConnectionsAfterExceptions(t *testing.T) {
	t.Parallel()
	s, cfg := migrated(t)
	conn := admin(t, cfg)
	do(t, conn, "RENAME TABLE requests TO kept")
	rng := rand.New(rand.NewPCG(1, 1))
	bad, failed := 0, 0
	for n := range 120 {
		refused := store.BlockOf(rows(200+rng.IntN(3000), int64(n)*10_000, rng))
		if err := s.Land(t.Context(), schema.Range{Topic: "t", Partition: 1, First: int64(n) * 10_000, Last: int64(n)*10_000 + 9_999}, refused, nil, false); err == nil {
			t.Fatal("it landed without its table")
		} else if code := asStore(t, err).Code(); code != 60 {
			bad++
			t.Logf("round %d: refused insert: %v", n, err)
		}
		o := schema.Origin{Topic: "t", Partition: 1, Offset: int64(n)}
		reject := schema.Reject{Origin: o, Reason: schema.ReasonEmpty, ReceivedAt: base}
		if err := s.Land(t.Context(), schema.Range{Topic: "t", Partition: 1, First: o.Offset, Last: o.Offset}, store.NewBlock(), []schema.Reject{reject}, false); err != nil {
			failed++
			t.Logf("round %d: the insert after it: %v", n, err)
		}
	}
	if bad+failed > 0 {
		t.Errorf("%d refusals and %d good inserts met what was left on their connection", bad, failed)
	}
}

// TestOtherColumnsAreNamedSoon changes a column's type: the insert that finds
// it out does not wait for a server that waits for its rows.
func TestOtherColumnsAreNamedSoon(t *testing.T) {
	t.Parallel()
	s, cfg := migrated(t)
	conn := admin(t, cfg)
	do(t, conn, "ALTER TABLE requests MODIFY COLUMN attempt UInt32")
	batch := rows(10, 0, rand.New(rand.NewPCG(1, 1)))
	begin := time.Now()
	err := s.Land(t.Context(), rangeOf(batch), store.BlockOf(batch), nil, false)
	if _, ok := asStore(t, err).OperatorFault(); !ok {
		t.Errorf("no operator's fault: %v", err)
	}
	if d := time.Since(begin); d > 30*time.Second {
		t.Errorf("it took %s: %v", d, err)
	}
	do(t, conn, "ALTER TABLE requests MODIFY COLUMN attempt UInt16")
	if err := s.Land(t.Context(), rangeOf(batch), store.BlockOf(batch), nil, true); err != nil {
		t.Error(err)
	}
}

func asStore(t testing.TB, err error) *store.Error {
	t.Helper()
	var e *store.Error
	if !errors.As(err, &e) {
		t.Fatalf("error %v is not the store's", err)
	}
	return e
}
