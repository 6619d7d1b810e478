package store_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"headway/classify"
	"headway/store"
)

// TestMigrateMends takes away what was there after a migration: the remedy
// that every error names must be one.
func TestMigrateMends(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, breaks, applied string }{
		{"requests dropped", "DROP TABLE requests SYNC", "0001_requests.sql"},
		{"rejects dropped", "DROP TABLE rejects SYNC", "0002_rejects.sql"},
		{"losses dropped", "DROP TABLE losses SYNC", "0003_losses.sql"},
		{"column dropped", "ALTER TABLE requests DROP COLUMN stage", "column stage of requests"},
		{"column with a default dropped", "ALTER TABLE rejects DROP COLUMN inserted_at", "column inserted_at of rejects"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s, cfg := migrated(t)
			conn := admin(t, cfg)
			types := func() map[string]string {
				out := columnTypes(t, conn, "requests")
				for k, v := range columnTypes(t, conn, "rejects") {
					out["rejects."+k] = v
				}
				return out
			}
			before := types()
			do(t, conn, c.breaks)
			if applied, err := s.Migrate(t.Context()); err != nil || !slices.Contains(applied, c.applied) {
				t.Fatalf("applied %v, %v; want %s among them", applied, err, c.applied)
			}
			after := types()
			for name, want := range before {
				if after[name] != want {
					t.Errorf("column %s is %q, was %q", name, after[name], want)
				}
			}
			if err := s.Ping(t.Context()); err != nil {
				t.Error(err)
			}
			r := row(1)
			if err := s.Land(t.Context(), rangeOf([]classify.Row{r}), store.BlockOf([]classify.Row{r}), nil, true); err != nil {
				t.Error(err)
			}
			if applied, err := s.Migrate(t.Context()); err != nil || len(applied) > 0 {
				t.Errorf("the second time: applied %v, %v", applied, err)
			}
		})
	}
}

// TestFaultsNameARemedy lands in a table that is out of order.
func TestFaultsNameARemedy(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, breaks, mends string
		operator            bool
		words               string
	}{
		{"read-only table", "ALTER TABLE requests MODIFY SETTING table_readonly = 1", "ALTER TABLE requests MODIFY SETTING table_readonly = 0", true, "MODIFY SETTING table_readonly = 0"},
		{"too many parts", "ALTER TABLE requests MODIFY SETTING parts_to_delay_insert = 1, parts_to_throw_insert = 1",
			"ALTER TABLE requests RESET SETTING parts_to_delay_insert, parts_to_throw_insert", false, "let merges catch up"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s, cfg := migrated(t)
			conn := admin(t, cfg)
			first, second := row(1), row(2)
			land := func(r classify.Row) error {
				return s.Land(t.Context(), rangeOf([]classify.Row{r}), store.BlockOf([]classify.Row{r}), nil, true)
			}
			if err := land(first); err != nil {
				t.Fatal(err)
			}
			do(t, conn, "SYSTEM STOP MERGES requests")
			do(t, conn, c.breaks)
			err := land(second)
			var se sinkError
			if !errors.As(err, &se) || !strings.Contains(err.Error(), c.words) {
				t.Fatalf("land: %v; want the remedy %q", err, c.words)
			}
			if _, operator := se.OperatorFault(); operator != c.operator || se.Retryable() == operator {
				t.Errorf("operator's fault %v, retryable %v", operator, se.Retryable())
			}
			do(t, conn, c.mends)
			if err := land(second); err != nil {
				t.Errorf("after mending: %v", err)
			}
		})
	}
}

// TestFaultsStayTheSame lands again and again in a table that is not there,
// from several goroutines: each try is answered by the server, none ends on a
// connection that an earlier error has used up.
func TestFaultsStayTheSame(t *testing.T) {
	t.Parallel()
	s, cfg := migrated(t)
	do(t, admin(t, cfg), "RENAME TABLE requests TO away")
	failed := make(chan error, 4)
	for range cap(failed) {
		go func() {
			for i := range 100 {
				r := row(int64(i))
				err := s.Land(t.Context(), rangeOf([]classify.Row{r}), store.BlockOf([]classify.Row{r}), nil, false)
				var e *store.Error
				if !errors.As(err, &e) || e.Code() != 60 {
					failed <- err
					return
				}
			}
			failed <- nil
		}()
	}
	for range cap(failed) {
		if err := <-failed; err != nil {
			t.Errorf("%v; want code 60", err)
		}
	}
}
