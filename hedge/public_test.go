package hedge

import (
	"compress/gzip"
	"encoding/csv"
	"math"
	"os"
	"strconv"
	"testing"
	"time"
)

// public reads a compressed table of testdata without its header.
func public(t testing.TB, path string) [][]string {
	t.Helper()
	f, err := os.Open("../testdata/" + path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(z).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	return rows[1:]
}

// trace reads arrivals and token counts; its waits are 1 ms an input
// token and a little more by row, so that slow is long and few are equal.
func trace(t testing.TB, path string) []Request {
	t.Helper()
	rows := public(t, path)
	out := make([]Request, len(rows))
	for i, r := range rows {
		var n [3]int64
		for k := range n {
			var err error
			if n[k], err = strconv.ParseInt(r[k], 10, 64); err != nil {
				t.Fatal(err)
			}
		}
		out[i] = Request{Wait: Wait{Micros: n[1]*1000 + int64(1000*i/len(rows)), At: monday.Add(time.Duration(n[0]) * time.Millisecond)}, Input: n[1], Output: n[2]}
	}
	return out
}

// fastest reads thefastest.ai's rows by model; rows without a first token or
// with one before the response's headers are missing.
func fastest(t testing.TB) map[string][]Request {
	t.Helper()
	out := map[string][]Request{}
	for _, r := range public(t, "thefastest/ttft.csv.gz") {
		at, err := time.Parse("2006-01-02T15:04:05", r[0])
		if err != nil {
			t.Fatal(err)
		}
		first, err := strconv.ParseFloat(r[5], 64)
		if err != nil || first <= 0 {
			continue
		}
		if headers, err := strconv.ParseFloat(r[4], 64); err == nil && first < headers {
			continue
		}
		out[r[2]] = append(out[r[2]], Request{Wait: Wait{Micros: int64(math.Round(first * 1e6)), At: at}, Input: -1, Output: -1})
	}
	return out
}
