package intake

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"headway/schema"
)

func decoder(t *testing.T, source string) *schema.Decoder {
	t.Helper()
	src, err := schema.NewSources().Need(source)
	if err != nil {
		t.Fatal(err)
	}
	dec, err := schema.NewDecoder(schema.Config{Source: src, Retention: schema.KeepForever, NewID: func() string { return "id" }})
	if err != nil {
		t.Fatal(err)
	}
	return dec
}

var now = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

func TestOpenNamesTheRemedy(t *testing.T) {
	dir := t.TempDir()
	for _, tc := range []struct{ name, path, want string }{
		{"absent", filepath.Join(dir, "absent"), "readable file"},
		{"folder", dir, "name its files"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if _, err := Open(tc.path, nil); err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Fatalf("error %v, want %q", err, tc.want)
			}
		})
	}
}

func TestEachKeepsTheNeighboursOfABadRow(t *testing.T) {
	in := `{"model":"m","created_at":"2026-11-30T11:00:00Z","prompt":"SECRET"}
not json
{"created_at":"2026-11-30T11:00:00Z"}
{"model":"m","created_at":"2026-11-30T11:30:00Z"}
`
	var lines []int
	var reasons []string
	dropped := 0
	err := Input{Name: "in", Reader: strings.NewReader(in), Decoder: decoder(t, "headway"), Now: now}.Each(func(i Item) error {
		dropped += i.Dropped
		if i.Reject != nil {
			reasons = append(reasons, string(i.Reject.Reason))
			if strings.Contains(i.Reject.Error(), "SECRET") {
				t.Error("a reject quotes the payload")
			}
			return nil
		}
		lines = append(lines, i.Line)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(lines) != 2 || lines[0] != 1 || lines[1] != 4 || strings.Join(reasons, " ") != "not_json no_model" || dropped != 1 {
		t.Errorf("lines %v, reasons %v, dropped %d", lines, reasons, dropped)
	}
}

func TestNewestIgnoresRefusedRows(t *testing.T) {
	text := "{\"model\":\"m\",\"created_at\":\"2024-04-15T08:00:00Z\"}\n{\"created_at\":\"2025-01-01T00:00:00Z\"}\n{\"model\":\"m\",\"created_at\":\"2024-04-16T08:00:00Z\"}\n"
	got, err := Input{Name: "in", Reader: strings.NewReader(text), Decoder: decoder(t, "headway"), Now: now}.Newest()
	if want := time.Date(2024, 4, 16, 8, 0, 0, 0, time.UTC); err != nil || !got.Equal(want) {
		t.Errorf("newest %v, %v; want %v", got, err, want)
	}
}

// TestRowIDsRepeat reads a file of rows without ids twice; the same rows get
// the same ids, and equal rows on different lines different ones.
func TestRowIDsRepeat(t *testing.T) {
	src, err := schema.NewSources().Need("thefastest")
	if err != nil {
		t.Fatal(err)
	}
	row := "2024-04-15T08:04:59,sea,a/b,,0.7,0.8,18,101,6.0\n"
	text := "time_utc,region,model,cmd,ttr_s,ttft_s,tps,num_tokens,total_time_s\n" + row + row
	read := func() []string {
		var out []string
		ids := &RowIDs{}
		dec, err := schema.NewDecoder(schema.Config{Source: src, Retention: schema.KeepForever, NewID: ids.Next})
		if err != nil {
			t.Fatal(err)
		}
		err = Input{Name: "in", Reader: strings.NewReader(text), Decoder: dec, IDs: ids, Now: now}.Each(func(i Item) error {
			out = append(out, i.Record.RequestID)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	first, second := read(), read()
	if len(first) != 2 || first[0] == first[1] || first[0] != second[0] || first[1] != second[1] {
		t.Errorf("ids %q and %q", first, second)
	}
}
