package hedge

import "testing"

// TestFastestRows: the row without a first token is missing, never fast.
func TestFastestRows(t *testing.T) {
	n := 0
	for model, rows := range fastest(t) {
		n += len(rows)
		for _, r := range rows {
			if r.Micros < 1000 {
				t.Errorf("%s: %+v", model, r)
			}
		}
	}
	if n != 3027 {
		t.Errorf("%d rows, want 3,027 of 3,028", n)
	}
}
