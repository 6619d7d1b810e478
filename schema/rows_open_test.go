package schema

import (
	"errors"
	"io"
	"strings"
	"testing"
)

// TestOpenRowsRefusesWhatHoldsNoRecords: garbage is no CSV without rows.
func TestOpenRowsRefusesWhatHoldsNoRecords(t *testing.T) {
	sources := NewSources()
	source := func(name string) Source { s, _ := sources.Lookup(name); return s }
	for _, c := range []struct {
		name, in string
		o        RowOptions
		want     string // of the error; empty where the file is taken
	}{
		{"text as JSON", "not json", RowOptions{OnlyJSON: true}, "not_json"},
		{"null as JSON", "null", RowOptions{OnlyJSON: true}, "not_json"},
		{"a number as JSON", " 123", RowOptions{OnlyJSON: true}, "not_json"},
		{"a string as JSON", "\"text\"", RowOptions{OnlyJSON: true}, "not_json"},
		{"binary as JSON", "\x89PNG\r\n", RowOptions{OnlyJSON: true}, "not_json"},
		{"objects as JSON", "{}", RowOptions{OnlyJSON: true}, ""},
		{"an array as JSON", "[]", RowOptions{OnlyJSON: true}, ""},
		{"CSV that is named", "model\nm", RowOptions{OnlyJSON: true, Format: FormatCSV}, ""},
		{"text", "not json", RowOptions{Source: source("headway")}, "request_id"},
		{"null", "null", RowOptions{Source: source("headway")}, "neither JSON nor a CSV"},
		{"NULs", "\x00\x00\x00", RowOptions{Source: source("headway")}, "neither JSON nor a CSV"},
		{"text that is called CSV", "not json", RowOptions{Source: source("headway"), Format: FormatCSV}, "neither JSON nor a CSV"},
		{"a CSV of another source", "time_utc,ttr_s\n1,2\n", RowOptions{Source: source("llmperf")}, "ttft_s"},
		{"a CSV of the source", "\"ttft_s\",own\n1,2\n", RowOptions{Source: source("llmperf")}, ""},
		{"a CSV without a source", "own\n1\n", RowOptions{}, ""},
		{"compressed twice", gzipped(gzipped("{}")), RowOptions{}, "compressed twice"},
		{"unpacks to the bound", gzipped(strings.Repeat(" ", 98) + "{}"), RowOptions{MaxUnpacked: 100}, ""},
		{"unpacks beyond the bound", gzipped(strings.Repeat(" ", 101)), RowOptions{MaxUnpacked: 100}, "more than 100 bytes"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := OpenRows(strings.NewReader(c.in), c.o)
			if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want %q", err, c.want)
			}
		})
	}
}

func TestRowReaderTellsEmptyFiles(t *testing.T) {
	for in, want := range map[string]bool{"": true, " \n\t\r\n": true, "\xef\xbb\xbf": true, gzipped(""): true, "[]": false, "{}": false, "a\n": false} {
		rr, err := NewRowReader(strings.NewReader(in), FormatAuto, 0)
		if err != nil || rr.Empty() != want {
			t.Errorf("%q: empty %v, error %v; want %v", in, rr.Empty(), err, want)
		}
	}
}

// TestUnpackingEndsAtItsBound: a file of gzip that is small itself must not
// cost what it unpacks to.
func TestUnpackingEndsAtItsBound(t *testing.T) {
	rr, err := OpenRows(strings.NewReader(gzipped("{\"a\":1}\n"+strings.Repeat("\n", 1<<20))), RowOptions{MaxUnpacked: 100_000})
	if err != nil {
		t.Fatal(err)
	}
	if row, err := rr.Next(); err != nil || string(row.JSON) != `{"a":1}` {
		t.Fatalf("the row before: %s, %v", row.JSON, err)
	}
	var beyond *UnpackedError
	if _, err := rr.Next(); !errors.As(err, &beyond) || beyond.Limit != 100_000 {
		t.Errorf("error %v", err)
	}
	if _, err := rr.Next(); err != io.EOF {
		t.Errorf("reading goes on: %v", err)
	}
}

func TestUnclosedNestingIsTooDeep(t *testing.T) {
	for in, want := range map[string]Reason{
		strings.Repeat("[", 5000):                         ReasonTooDeep,
		"[{\"a\":" + strings.Repeat("[", DefaultMaxDepth): ReasonTooDeep,
		"[" + strings.Repeat("[", DefaultMaxDepth):        ReasonNotJSON,
	} {
		rr, err := NewRowReader(strings.NewReader(in), FormatAuto, 0)
		if err != nil {
			t.Fatal(err)
		}
		if row, err := rr.Next(); err != nil || row.Reject == nil || row.Reject.Reason != want {
			t.Errorf("%.20s…: %+v, %v; want %s", in, row.Reject, err, want)
		}
	}
}
