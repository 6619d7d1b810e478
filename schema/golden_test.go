package schema

import (
	"bytes"
	"errors"
	goflag "flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

var update = goflag.Bool("update", false, "write what the decoder says into the golden files; read the difference")

// TestGoldenRecords decodes each record of testdata/golden and compares what
// is kept of it. Each file of an archive holds the message on its first line
// and the outcome below.
func TestGoldenRecords(t *testing.T) {
	files, err := filepath.Glob("testdata/golden/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no golden files", err)
	}
	for _, file := range files {
		archive, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for i := range archive.Files {
			f := &archive.Files[i]
			msg, want, _ := bytes.Cut(f.Data, []byte("\n"))
			t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar")+"/"+f.Name, func(t *testing.T) {
				got := describe(t, msg)
				if *update {
					f.Data = append(append(msg[:len(msg):len(msg)], '\n'), got...)
				} else if got != string(want) {
					t.Errorf("got\n%swant\n%s", got, want)
				}
			})
		}
		if *update {
			if err := os.WriteFile(file, txtar.Format(archive), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// describe is what a golden file says about a message.
func describe(t *testing.T, msg []byte) string {
	var rec Record
	dropped, err := newTestDecoder(t, "headway", nil).Decode(msg, arrival, &rec)
	var out strings.Builder
	if dropped > 0 {
		fmt.Fprintf(&out, "content keys dropped: %d\n", dropped)
	}
	var re *RejectError
	if errors.As(err, &re) {
		fmt.Fprintf(&out, "rejected: %s\n", re.Reason)
		return out.String()
	}
	fmt.Fprintf(&out, "%s\n", AppendJSON(nil, &rec))
	d := rec.Derived
	if v, ok := d.TPS.Get(); ok {
		fmt.Fprintf(&out, "tps %.6g (%s)\n", v, d.TPSBasis)
	}
	if v, ok := d.TPOT.Get(); ok {
		fmt.Fprintf(&out, "tpot %s\n", v)
	}
	if v, ok := d.Dispatch.Get(); ok {
		fmt.Fprintf(&out, "dispatch %s, recorded %v\n", v, d.DispatchGiven)
	}
	if v, ok := d.VisibleTokens.Get(); ok {
		fmt.Fprintf(&out, "visible tokens %d\n", v)
	}
	return out.String()
}
