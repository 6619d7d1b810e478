package schema

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

// seed adds the golden messages, the traces and some bombs.
func seed(f *testing.F) {
	f.Helper()
	files, _ := filepath.Glob("testdata/golden/*.txtar")
	for _, file := range files {
		archive, err := txtar.ParseFile(file)
		if err != nil {
			f.Fatal(err)
		}
		for _, g := range archive.Files {
			msg, _, _ := bytes.Cut(g.Data, []byte("\n"))
			f.Add(msg)
		}
	}
	traces, _ := filepath.Glob("testdata/trace_*.json")
	for _, file := range traces {
		msg, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(msg)
	}
	f.Add([]byte(example))
	f.Add([]byte(strings.Repeat(`{"a":[`, 200)))
	f.Add([]byte(`{"model":"\ud800\udc00\ud800","created_at":"2026-11-30T03:00:00Z","status":1` + strings.Repeat("0", 400) + `}`))
	f.Add([]byte("{\"model\":\"\xff\xc3\x28\",\"created_at\":\"2026-11-30T03:00:00Z\"}"))
	f.Add([]byte(`{"time_utc":"2026-11-29T08:04:59.267946","region":"sea","model":"a/b","ttr_s":"0.2","ttft_s":"0.1","tps":"999","num_tokens":"20","total_time_s":0.3}`))
	f.Add([]byte(`{"provider":"p","model_size":"70b","error_code":"-100","ttft_s":"1e-3","end_to_end_s":2,"output_tokens":"7"}`))
}

func FuzzDecodeHeadway(f *testing.F)    { fuzzDecode(f, "headway") }
func FuzzDecodeThefastest(f *testing.F) { fuzzDecode(f, "thefastest") }
func FuzzDecodeLLMPerf(f *testing.F)    { fuzzDecode(f, "llmperf") }

// fuzzDecode checks what holds for every message: the decoder agrees with
// encoding/json on what JSON is, errors quote nothing, what is kept is
// finite and valid, and it comes back the same from its own JSON.
func fuzzDecode(f *testing.F, source string) {
	seed(f)
	again := newTestDecoder(f, "headway", nil)
	d := newTestDecoder(f, source, func(c *Config) { c.BaseTime = arrival; c.BaseStep = 1 })
	f.Fuzz(func(t *testing.T, msg []byte) {
		var rec Record
		_, err := d.Decode(msg, arrival, &rec)
		if err != nil {
			checkReject(t, msg, err)
			return
		}
		if !json.Valid(msg) {
			t.Fatalf("kept what is not JSON: %q", msg)
		}
		checkRecord(t, &rec)
		out := AppendJSON(nil, &rec)
		var twice Record
		if dropped, err := again.Decode(out, arrival, &twice); err != nil || dropped != 0 || !reflect.DeepEqual(rec, twice) {
			t.Fatalf("%s\nread again: %d, %v\n%+v\n%+v", out, dropped, err, rec, twice)
		}
	})
}

func checkReject(t *testing.T, msg []byte, err error) {
	var re *RejectError
	if !errors.As(err, &re) {
		t.Fatalf("error %T is no RejectError", err)
	}
	if want := reject(re.Reason).Error(); err.Error() != want {
		t.Fatalf("error says %q, want the fixed text %q", err, want)
	}
	if re.Reason == ReasonNotJSON && json.Valid(msg) {
		t.Fatalf("refused as not JSON, though it is: %q", msg)
	}
}

func checkRecord(t *testing.T, r *Record) {
	for _, v := range r.Timing.all() {
		if v.Value < 0 || v.Value > MaxSpan {
			t.Fatalf("time %v", v)
		}
	}
	for _, v := range []Opt[float64]{r.GivenTPS, r.Temperature, r.TopP, r.Derived.TPS} {
		if math.IsNaN(v.Value) || math.IsInf(v.Value, 0) || v.Value < 0 {
			t.Fatalf("number %v", v)
		}
	}
	if r.Derived.TPS.Valid != (r.Derived.TPSBasis != "") {
		t.Fatalf("rate %v with basis %q", r.Derived.TPS, r.Derived.TPSBasis)
	}
	if r.Model == "" || r.RequestID == "" || len(r.Model) > MaxDimension || len(r.RequestID) > MaxID {
		t.Fatalf("model %q, id %q", r.Model, r.RequestID)
	}
	for _, m := range []Metric{MetricFirstResponse, MetricFirstText} {
		w := FirstTokenWait(r, m, true)
		if w.Duration < 0 || w.Counts() != (w.Clock != "") {
			t.Fatalf("wait %+v", w)
		}
	}
}

// FuzzScanner compares the scanner with encoding/json on any text, and what
// strings stand for.
func FuzzScanner(f *testing.F) {
	seed(f)
	f.Add([]byte(`"plain text of more than eight bytes\u00e9"`))
	f.Add([]byte(`-0.5e-10`))
	f.Fuzz(func(t *testing.T, msg []byte) {
		s := scanner{maxDepth: 9000} // below the depth at which encoding/json gives up
		s.reset(msg, 0)
		ok := s.value()
		tok := s.tok
		ok = ok && s.skip() && s.end()
		if s.bad == ReasonTooDeep {
			return
		}
		if ok != json.Valid(msg) {
			t.Fatalf("%q: scanner says %v (%s)", msg, ok, s.bad)
		}
		if !ok {
			return
		}
		var want string
		if tok.kind == '"' && json.Unmarshal(msg, &want) == nil {
			if got := string(unescape(nil, tok.raw)); got != want {
				t.Fatalf("%q stands for %q, want %q", msg, got, want)
			}
		}
		var num float64
		if tok.kind == '0' && json.Unmarshal(msg, &num) == nil && num >= 0 {
			if got, ok := tok.num.float(tok.raw); !ok || got != num {
				t.Fatalf("%s reads as %v, want %v", msg, got, num)
			}
		}
	})
}

// FuzzRowReader checks that any file ends, within its memory bound.
func FuzzRowReader(f *testing.F) {
	for _, s := range []string{"", "a,b\n1,2\n", "{}\n{}\n", "[{},{}]", "[1,", "[{\"a\":\"]\"},\n{}] x", "a,a\n", "\"a\",b\n\"x\"\"y\",\n\"open\n", "\x1f\x8b\x08", "\xef\xbb\xbf[1]"} {
		f.Add([]byte(s), "")
	}
	f.Add([]byte("x"), "json")
	f.Fuzz(func(t *testing.T, file []byte, format string) {
		rr, err := NewRowReader(bytes.NewReader(file), Format(format), 64)
		if err != nil {
			return
		}
		line := 0
		for range len(file) + 2 {
			row, err := rr.Next()
			if err != nil {
				if err != io.EOF && rr.done == false {
					t.Fatalf("reading may go on after %v", err)
				}
				return
			}
			if row.Line < line {
				t.Fatalf("line %d after %d", row.Line, line)
			}
			line = row.Line
			if (row.JSON == nil) != (row.Reject != nil) || cap(rr.buf) > 1024 {
				t.Fatalf("row %+v, buffer %d", row, cap(rr.buf))
			}
			if rr.Format() == FormatCSV && row.Reject == nil && !json.Valid(row.JSON) {
				t.Fatalf("CSV row became %q", row.JSON)
			}
		}
		t.Fatal("more rows than bytes")
	})
}
