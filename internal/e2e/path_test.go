package e2e

import (
	"bufio"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"headway/internal/testkit/binary"
)

// TestFromProducerToAnswer sends generated records over the Kafka protocol
// and compares every count and quantile with an independent calculation over
// the same records in a file.
func TestFromProducerToAnswer(t *testing.T) {
	t.Parallel()
	p := up(t)
	checkPath(t, p, p.Kafka)
}

// generated is what an independent reader keeps of a generated record.
type generated struct {
	Model       string   `json:"model"`
	Channel     string   `json:"channel"`
	InputTokens *float64 `json:"input_tokens"`
}

// checkPath sends records to a broker that p reads, and compares p's answers
// with an independent calculation.
func checkPath(t *testing.T, p *binary.Process, kafka string) {
	t.Helper()
	const n = 20_000
	file := filepath.Join(t.TempDir(), "records.ndjson")
	gen := []string{"gen", "--records", strconv.Itoa(n), "--seed", "7", "--from", "now-3d/d", "--to", "now-1d/d"}
	ok(t, append(gen, "--out", file)...)
	ok(t, append(gen, "--out", "kafka://"+kafka+"/llm-timing")...)
	awaitRows(t, p, n)
	records := readGenerated(t, file)
	if len(records) != n {
		t.Fatalf("%d records in the file, want %d", len(records), n)
	}
	checkCounts(t, p, records)
	checkTokens(t, p, records, "")
	checkTokens(t, p, records, records[0].Model)
}

func readGenerated(t *testing.T, path string) []generated {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var out []generated
	scan := bufio.NewScanner(f)
	scan.Buffer(nil, 1<<20)
	for scan.Scan() {
		var g generated
		if err := json.Unmarshal(scan.Bytes(), &g); err != nil {
			t.Fatal(err)
		}
		out = append(out, g)
	}
	return out
}

func checkCounts(t *testing.T, p *binary.Process, records []generated) {
	t.Helper()
	models, channels := map[string]int64{}, map[string]int64{}
	for _, r := range records {
		models[r.Model]++
		channels[r.Channel]++
	}
	for field, want := range map[string]map[string]int64{"model": models, "channel": channels} {
		var a struct {
			Values []struct {
				Value *string `json:"value"`
				N     int64   `json:"n"`
			} `json:"values"`
		}
		get(t, p, "/api/v1/fields/"+field+"/values", params("from", "now-4d", "to", "now", "limit", "500"), &a)
		if len(a.Values) != len(want) {
			t.Errorf("%d values of %s, want %d", len(a.Values), field, len(want))
		}
		for _, v := range a.Values {
			name := ""
			if v.Value != nil {
				name = *v.Value
			}
			if want[name] != v.N {
				t.Errorf("%s %q: %d rows, want %d", field, name, v.N, want[name])
			}
		}
	}
}

// checkTokens compares the quantiles of input tokens, of one model or all.
func checkTokens(t *testing.T, p *binary.Process, records []generated, model string) {
	t.Helper()
	var tokens []float64
	for _, r := range records {
		if r.InputTokens != nil && (model == "" || r.Model == model) {
			tokens = append(tokens, *r.InputTokens)
		}
	}
	slices.Sort(tokens)
	ask := params("from", "now-4d", "to", "now", "metric", "input_tokens")
	if model != "" {
		ask.Add("where", "model="+model)
	}
	var d struct {
		Meta struct {
			N int64 `json:"n"`
		} `json:"meta"`
		Quantiles []struct {
			Q     float64  `json:"q"`
			Value *float64 `json:"value"`
		} `json:"quantiles"`
	}
	get(t, p, "/api/v1/distribution", ask, &d)
	if d.Meta.N != int64(len(tokens)) {
		t.Errorf("model %q: n %d, want %d rows with input tokens", model, d.Meta.N, len(tokens))
	}
	if len(d.Quantiles) == 0 {
		t.Error("no quantiles")
	}
	for _, q := range d.Quantiles {
		want := type7(tokens, q.Q)
		if q.Value == nil || math.Abs(*q.Value-want) > 1e-9*want {
			t.Errorf("model %q, quantile %v of input tokens: %v, want %v", model, q.Q, q.Value, want)
		}
	}
}

// type7 is the quantile of sorted values by linear interpolation between
// closest ranks (Hyndman and Fan, 1996, type 7).
func type7(sorted []float64, q float64) float64 {
	h := q * float64(len(sorted)-1)
	lo := int(math.Floor(h))
	hi := min(lo+1, len(sorted)-1)
	return sorted[lo] + (h-float64(lo))*(sorted[hi]-sorted[lo])
}
