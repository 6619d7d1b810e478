package verify

import (
	"reflect"
	"strings"
	"testing"

	"headway/query"
	"headway/schema"
)

func TestBounds(t *testing.T) {
	for _, c := range []struct {
		name    string
		p       Partition
		s       stored
		want    settled
		warning string
	}{
		{"empty log", Partition{Committed: -1}, stored{}, settled{}, ""},
		{"never read", Partition{Start: 5, End: 10, Committed: -1}, stored{}, settled{end: 5}, "nothing is stored"},
		{"up to date", Partition{Start: 5, End: 10, Committed: 10}, stored{next: 10, found: true}, settled{end: 10}, ""},
		{"behind", Partition{Start: 5, End: 10, Committed: 7}, stored{next: 8, found: true}, settled{end: 7}, ""},
		{"all expired before it was read", Partition{Start: 50, End: 60, Committed: 7}, stored{next: 7, found: true}, settled{end: 50}, ""},
		{"rows deleted from the end", Partition{End: 10, Committed: 10}, stored{next: 3, found: true}, settled{end: 10}, ""},
		{"all rows deleted", Partition{End: 10, Committed: 10}, stored{}, settled{end: 10}, ""},
		{"no commit", Partition{End: 10, Committed: -1}, stored{next: 8, found: true}, settled{end: 8}, "no commit"},
		{"a row beyond the log", Partition{End: 10, Committed: 9}, stored{next: 99, found: true}, settled{end: 9}, "up to 98 are stored"},
		{"another log", Partition{Start: 0, End: 10, Committed: 50}, stored{next: 50, found: true}, settled{end: 0}, "re-created"},
		{"commit of a later epoch", Partition{End: 10, Committed: 4, Epoch: 2}, stored{epoch: 1, next: 90, found: true}, settled{epoch: 2, end: 4}, ""},
		{"commit of a former epoch", Partition{End: 10, Committed: 9, Epoch: 1}, stored{epoch: 2, next: 4, found: true}, settled{epoch: 2, end: 4}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, warning := bounds(c.p, c.s)
			if got != c.want || (warning == "") != (c.warning == "") || !strings.Contains(warning, c.warning) {
				t.Errorf("%+v %q, want %+v with %q", got, warning, c.want, c.warning)
			}
		})
	}
}

func spans(pairs ...int64) []schema.Range {
	var out []schema.Range
	for i := 0; i < len(pairs); i += 2 {
		out = append(out, schema.Range{Topic: "t", Partition: 1, First: pairs[i], Last: pairs[i+1]})
	}
	return out
}

func TestWithout(t *testing.T) {
	other := spans(0, 99)
	other[0].Epoch = 1
	for _, c := range []struct {
		name       string
		gaps, lost []schema.Range
		open       []schema.Range
		cut        int64
	}{
		{"none", nil, nil, nil, 0},
		{"nothing lost", spans(3, 5, 9, 9), nil, spans(3, 5, 9, 9), 0},
		{"other epoch", spans(3, 5), other, spans(3, 5), 0},
		{"all", spans(3, 5, 9, 9), spans(0, 20), nil, 4},
		{"middle", spans(0, 10), spans(3, 5, 7, 7), spans(0, 2, 6, 6, 8, 10), 4},
		{"overlapping", spans(0, 10), spans(3, 5, 4, 7), spans(0, 2, 8, 10), 5},
		{"within another", spans(0, 10), spans(3, 8, 4, 5), spans(0, 2, 9, 10), 6},
		{"ends", spans(0, 10), spans(-5, 1, 9, 30), spans(2, 8), 4},
	} {
		t.Run(c.name, func(t *testing.T) {
			if open, cut := without(c.gaps, c.lost); !reflect.DeepEqual(open, c.open) || cut != c.cut {
				t.Errorf("%v and %d, want %v and %d", open, cut, c.open, c.cut)
			}
		})
	}
}

func TestSuspicious(t *testing.T) {
	const w = query.StoredRunOffsets
	full := map[int64]int64{}
	for run := range int64(40) {
		full[run] = w
	}
	for _, c := range []struct {
		name      string
		different map[int64]int64
		in        []schema.Range
		want      []schema.Range
	}{
		{"empty range", nil, spans(5, 4), nil},
		{"empty range at 0", nil, spans(0, -1), nil},
		{"all is there", full, spans(0, 40*w-1), nil},
		{"nothing is there", nil, spans(10, 20), spans(10, 20)},
		{"cut run is whole", map[int64]int64{0: w - 10, 1: 5}, spans(10, w+4), nil},
		{"one is missing at the end", map[int64]int64{0: w, 1: 4}, spans(0, w+4), spans(w, w+4)},
		{"neighbours are joined", map[int64]int64{0: w, 1: 4, 2: 5, 3: w}, spans(0, 4*w-1), spans(w, 3*w-1)},
		{"windows are bounded", nil, spans(5, 20*w), spans(5, 16*w-1, 16*w, 20*w)},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := (&tally{different: c.different}).suspicious(c.in[0]); !reflect.DeepEqual(got, c.want) {
				t.Errorf("%v, want %v", got, c.want)
			}
		})
	}
}
