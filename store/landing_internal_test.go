package store

import (
	"fmt"
	"strings"
	"testing"

	"headway/classify"
	"headway/schema"
)

// TestBlockBounds measures blocks against the bounds.
func TestBlockBounds(t *testing.T) {
	t.Parallel()
	row := classify.Row{Record: schema.Record{RequestID: strings.Repeat("x", 1<<20)}}
	heavy := NewBlock()
	for range 201 {
		heavy.Add(&row)
	}
	for _, c := range []struct {
		name  string
		rows  int
		bytes int64
		fits  bool
	}{
		{"at the bound", maxBlockRows, maxBlockBytes, true},
		{"one row more", maxBlockRows + 1, 1, false},
		{"too many bytes", heavy.Len(), heavy.Bytes(), false},
		{"empty", 0, 0, true},
	} {
		if err := fits(c.rows, c.bytes); (err == nil) != c.fits {
			t.Errorf("%s: %d rows, %d bytes: %v", c.name, c.rows, c.bytes, err)
		}
	}
}

// TestBlockMemory holds the memory of a row to what a batch is planned with.
func TestBlockMemory(t *testing.T) {
	t.Parallel()
	b := NewBlock()
	for i := range 10_000 {
		b.Add(&classify.Row{Record: schema.Record{RequestID: fmt.Sprintf("%032d", i), Model: fmt.Sprint("model-", i%12)}})
	}
	if got := b.Bytes() / 10_000; got < 300 || got > 500 {
		t.Errorf("a row takes %d bytes, want 300 to 500", got)
	}
	b.Reset()
	if b.Len() != 0 || b.Bytes() != 0 {
		t.Errorf("after Reset: %d rows, %d bytes", b.Len(), b.Bytes())
	}
}
