package schema

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
)

func gzipped(s string) string {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	w.Write([]byte(s)) //nolint:errcheck // a buffer takes all
	w.Close()          //nolint:errcheck // a buffer takes all
	return b.String()
}

// TestRowReader writes rows as "line json" or "line !reason", and the error
// that ends the reading, if any, as "error".
func TestRowReader(t *testing.T) {
	long := strings.Repeat("x", 100)
	for _, c := range []struct {
		name, in string
		format   Format
		want     string
	}{
		{"empty", "", FormatAuto, ""},
		{"white space only", " \n\n", FormatAuto, ""},
		{"ndjson", "{\"a\":1}\n{\"a\":2}", FormatAuto, `1 {"a":1}|2 {"a":2}`},
		{"ndjson with CRLF, blank lines and a byte order mark", "\xef\xbb\xbf\r\n{\"a\":1}\r\n\r\n  \n{\"a\":2}\r\n", FormatAuto, `2 {"a":1}|5 {"a":2}`},
		{"ndjson: a bad line stays one row", "{\"a\":1}\nnot json\n{\"a\":2}\n", FormatAuto, `1 {"a":1}|2 not json|3 {"a":2}`},
		{"ndjson: a long line keeps its neighbours", "{\"a\":1}\n{\"a\":\"" + long + "\"}\n{\"a\":2}\n", FormatAuto, `1 {"a":1}|2 !too_large|3 {"a":2}`},
		{"ndjson: exactly the limit", "{\"a\":\"" + strings.Repeat("x", 64-8) + "\"}\r\n", FormatAuto, `1 {"a":"` + strings.Repeat("x", 64-8) + `"}`},
		{"ndjson: one above the limit", "{\"a\":\"" + strings.Repeat("x", 65-8) + "\"}", FormatAuto, `1 !too_large`},
		{"ndjson: a line beyond every buffer", "{\"a\":\"" + strings.Repeat("x", 300<<10) + "\"}\n{}\n", FormatAuto, `1 !too_large|2 {}`},
		{"gzip", gzipped("{\"a\":1}\n{\"a\":2}\n"), FormatAuto, `1 {"a":1}|2 {"a":2}`},
		{"gzip of two members", gzipped("{\"a\":1}\n") + gzipped("{\"a\":2}\n"), FormatAuto, `1 {"a":1}|2 {"a":2}`},
		{"gzip cut off: what could be read is kept", gzipped(strings.Repeat("{\"a\":1}\n", 3))[:24], FormatAuto, `1 {"a":1}|2 {"a":1}|3 {"a":1}|error`},
		{"array", "[{\"a\":1},\n {\"a\":[2,\"]}\\\"\"]}\n]\n", FormatAuto, `1 {"a":1}|2 {"a":[2,"]}\""]}`},
		{"empty array", " [ ] ", FormatAuto, ""},
		{"array: a long element keeps its neighbours", "[{\"a\":1},{\"a\":\"" + long + "\"},{\"a\":2}]", FormatAuto, `1 {"a":1}|1 !too_large|1 {"a":2}`},
		{"array: a missing element", "[1,,2]", FormatAuto, `1 1|1 !not_json|1 2`},
		{"array: a trailing comma", "[1,]", FormatAuto, `1 1|1 !not_json`},
		{"array cut off in an element", "[{\"a\":1},{\"a\":", FormatAuto, `1 {"a":1}|1 !not_json`},
		{"array cut off between elements", "[{\"a\":1},", FormatAuto, `1 {"a":1}|error`},
		{"array cut off at once", "[", FormatAuto, `error`},
		{"text after the array: its rows are kept", "[{\"a\":1}] {\"a\":2}", FormatAuto, `1 {"a":1}|error`},
		{"array asked for", "{\"a\":1}", FormatJSON, `error`},
		{"csv", "a,b\n1,x\n2,\n", FormatAuto, `2 {"a":"1","b":"x"}|3 {"a":"2","b":""}`},
		{"csv with quotes", "\"a\",\"b \"\"c\"\"\"\r\n\"1,2\",\"say \"\"hi\"\"\"\r\n", FormatAuto, `2 {"a":"1,2","b \"c\"":"say \"hi\""}`},
		{"csv: too few and too many fields", "a,b\n1\n1,2,3\n1,2\n", FormatAuto, `2 !bad_row|3 !bad_row|4 {"a":"1","b":"2"}`},
		{"csv: an open quote costs its own line only", "a,b\n\"1,2\n3,4\n", FormatAuto, `2 !bad_row|3 {"a":"3","b":"4"}`},
		{"csv: text after a closing quote", "a,b\n\"1\"x,2\n3,4\n", FormatAuto, `2 !bad_row|3 {"a":"3","b":"4"}`},
		{"csv: a quote inside a plain field", "a,b\n1,5\"\n", FormatAuto, `2 {"a":"1","b":"5\""}`},
		{"csv: header repeated", "a,a\n1,2\n", FormatAuto, `error`},
		{"csv: header with an empty name", "a,\n1,2\n", FormatAuto, `error`},
		{"csv: semicolons", "a;b\n1;2\n", FormatAuto, `error`},
		{"csv: header too long", "a," + long + "\n1,2\n", FormatAuto, `error`},
		{"unknown format", "", Format("xml"), `error`},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := strings.Join(readRows(strings.NewReader(c.in), c.format), "|"); got != c.want {
				t.Errorf("got  %.300s\nwant %.300s", got, c.want)
			}
		})
	}
}

func readRows(in io.Reader, format Format) (out []string) {
	rr, err := NewRowReader(in, format, 64)
	if err != nil {
		return append(out, "error")
	}
	for {
		row, err := rr.Next()
		switch {
		case err == io.EOF:
			return out
		case err != nil:
			return append(out, "error")
		case row.Reject != nil:
			out = append(out, fmt.Sprintf("%d !%s", row.Line, row.Reject.Reason))
		default:
			out = append(out, fmt.Sprintf("%d %s", row.Line, row.JSON))
		}
	}
}

// endless is an array element that never ends.
type endless struct{ n int64 }

func (e *endless) Read(p []byte) (int, error) {
	if e.n <= 0 {
		return 0, io.EOF
	}
	for i := range p {
		p[i] = '['
	}
	e.n -= int64(len(p))
	return len(p), nil
}

func TestRowReaderMemoryIsBounded(t *testing.T) {
	rr, err := NewRowReader(&endless{n: 8 << 20}, FormatAuto, 1000)
	if err != nil {
		t.Fatal(err)
	}
	row, err := rr.Next()
	if err != nil || row.Reject == nil || cap(rr.buf) > 4096 {
		t.Errorf("row %+v, error %v, %d bytes held", row, err, cap(rr.buf))
	}
}

var errDisk = errors.New("disk gone")

type failing struct{ sent bool }

func (f *failing) Read(p []byte) (int, error) {
	if f.sent {
		return 0, errDisk
	}
	f.sent = true
	return copy(p, "{\"a\":1}\n{\"a\""), nil
}

func TestRowReaderReportsReadErrorsOnce(t *testing.T) {
	rr, err := NewRowReader(&failing{}, FormatNDJSON, 0)
	if err != nil {
		t.Fatal(err)
	}
	if row, err := rr.Next(); err != nil || string(row.JSON) != `{"a":1}` {
		t.Fatalf("row %s, %v", row.JSON, err)
	}
	if _, err := rr.Next(); !errors.Is(err, errDisk) || !strings.Contains(err.Error(), "line 2") {
		t.Errorf("error %v", err)
	}
	if _, err := rr.Next(); err != io.EOF {
		t.Errorf("reading goes on after an error: %v", err)
	}
}
