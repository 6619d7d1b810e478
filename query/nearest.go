package query

import (
	"sort"
	"strings"
)

// maxNearest bounds how many names a message offers.
const maxNearest = 3

// Nearest returns up to three of the candidates that resemble name, nearest
// first: by edit distance (adjacent swaps count once), names that contain it
// or start alike included. It returns nil when nothing resembles it.
func Nearest(name string, candidates []string) []string {
	type scored struct {
		name string
		d    int
	}
	lower := strings.ToLower(name)
	limit := max(2, len(lower)/3)
	var near []scored
	for _, c := range candidates {
		d := distance(lower, strings.ToLower(c))
		if len(lower) >= 3 && (strings.Contains(c, lower) || strings.Contains(lower, c)) {
			d = min(d, limit)
		}
		if d <= limit {
			near = append(near, scored{c, d})
		}
	}
	sort.SliceStable(near, func(i, j int) bool { return near[i].d < near[j].d })
	var out []string
	for i := 0; i < len(near) && i < maxNearest; i++ {
		out = append(out, near[i].name)
	}
	return out
}

// distance is the optimal string alignment distance of two byte strings,
// capped in cost by looking at 64 bytes of each.
func distance(a, b string) int {
	a, b = a[:min(len(a), 64)], b[:min(len(b), 64)]
	before, last := make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row := make([]int, len(b)+1)
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last = last, row
	}
	return last[len(b)]
}
