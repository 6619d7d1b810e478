package store

import (
	"strings"
	"testing"

	"headway/classify"
	"headway/schema"
)

// TestBlockBounds measures real blocks against the bounds.
func TestBlockBounds(t *testing.T) {
	t.Parallel()
	large := make(rejectBlock, maxBlockRows+1)
	row := classify.Row{Record: schema.Record{RequestID: strings.Repeat("x", 1<<20)}}
	heavy := newRowBlock()
	which := make([]int, 201) // the same row of 1 MiB, 201 times
	heavy.collect([]classify.Row{row}, which)
	cases := []struct {
		name string
		b    block
		fits bool
	}{
		{"at the bound", large[:maxBlockRows], true},
		{"one row more", large, false},
		{"too many bytes", heavy, false},
		{"empty", rejectBlock{}, true},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if err := fits(c.b); (err == nil) != c.fits {
				t.Errorf("%d rows, %d bytes: %v", c.b.rows(), c.b.bytes(), err)
			}
		})
	}
}
