package query

import (
	"fmt"
	"sort"
	"strconv"
	"strings"
)

// maxQuantiles bounds how many quantiles one question may ask for.
const maxQuantiles = 20

// ParseQuantile reads one quantile, "p99.9" or "0.999", as a number between
// 0 and 1, both excluded.
func ParseQuantile(s string) (float64, error) {
	if strings.ContainsAny(s, "+-eExX_") {
		return 0, quantileError(s)
	}
	text := s
	if p, ok := strings.CutPrefix(strings.ToLower(s), "p"); ok {
		// An exponent keeps 99.9 exact, a division by 100 would not.
		text = p + "e-2"
	}
	q, err := strconv.ParseFloat(text, 64)
	if err != nil || !(q > 0 && q < 1) {
		return 0, quantileError(s)
	}
	return q, nil
}

func quantileError(s string) error {
	return fmt.Errorf("%q is no quantile; write p50, p99.9 or a number between 0 and 1 such as 0.95", s)
}

// FormatQuantile writes a quantile as ParseQuantile reads it: "p99.9", or the
// plain number where that would not read back as the same one.
func FormatQuantile(q float64) string {
	p := "p" + strconv.FormatFloat(q*100, 'g', 12, 64)
	if back, err := ParseQuantile(p); err == nil && back == q {
		return p
	}
	return strconv.FormatFloat(q, 'f', -1, 64)
}

func sortedQuantiles(qs []float64) []float64 {
	sort.Float64s(qs)
	out := qs[:0]
	for i, q := range qs {
		if i == 0 || q != qs[i-1] {
			out = append(out, q)
		}
	}
	return out
}
