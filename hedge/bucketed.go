package hedge

import (
	"fmt"
	"math"
	"slices"
)

// Bucket is how many waits of one bucket of a Scale ended with a token, and
// how many without.
type Bucket struct {
	Index              int
	Observed, Censored int64
}

// Bucketed is the law of counts per bucket, as roll-ups keep them. Every wait
// stands at its bucket's value, within the scale's relative error ε. Without
// censored waits every quantile is within ε (and half a microsecond) of the
// exact one: the order of rows is kept, and the quantile rule interpolates
// between values that are. Censored waits of a bucket lie anywhere between its
// events; the law counts them after all of these, and Around and Exceeds
// bound what another order could have given. Hedged quantiles are within ε too,
// and within 2ε near the delay, whose own bucket may lie on either side of it.
type Bucketed struct {
	Distribution
	scale Scale
	early Distribution // the same with a bucket's censored waits before its events
	index []int        // of every value of Distribution, ascending
}

// FromBuckets is the law of a scale's counts, in any order; the counts of a
// bucket that comes twice are added.
func FromBuckets(s Scale, buckets []Bucket) (Bucketed, error) {
	sorted := slices.Clone(buckets)
	slices.SortFunc(sorted, func(a, b Bucket) int { return a.Index - b.Index })
	out := Bucketed{scale: s}
	n := 0
	for i, b := range sorted {
		if b.Observed < 0 || b.Censored < 0 || b.Index < 0 {
			return Bucketed{}, fmt.Errorf("bucket %d with %d observed and %d censored waits: counts and index must not be negative; rebuild the roll-up", b.Index, b.Observed, b.Censored)
		}
		if i > 0 && s.Value(b.Index) == s.Value(sorted[i-1].Index) {
			sorted[i].Observed += sorted[i-1].Observed
			sorted[i].Censored += sorted[i-1].Censored
			sorted[i-1] = Bucket{Index: b.Index}
		}
		n += int(b.Observed + b.Censored)
	}
	out.n, out.early.n = n, n
	late, early := product{risk: n, before: n, survive: 1}, product{risk: n, before: n, survive: 1}
	for _, b := range sorted {
		v := s.Value(b.Index)
		late.add(&out.Distribution, v, int(b.Observed), int(b.Censored))
		early.add(&out.early, v, 0, int(b.Censored))
		early.add(&out.early, v, int(b.Observed), 0)
		if b.Observed > 0 {
			out.index = append(out.index, b.Index)
		}
	}
	late.end(&out.Distribution)
	early.end(&out.early)
	return out, nil
}

// Around is where the exact q-quantile lies: within ε of those of both orders.
// An end that is not reached is none.
func (b Bucketed) Around(q float64) Interval {
	low, high := b.early.Quantile(q), b.Quantile(q)
	e := b.scale.relative
	return Interval{Low: Bound{math.Max(0, low.Micros/(1+e)-0.5), low.Reached}, High: Bound{high.Micros/(1-e) + 0.5, high.Reached}}
}

// Exceeds is where the exact S(t) lies: waits of t's own bucket may be on
// either side of it. Without censored waits and at a bucket's edge both ends
// are equal.
func (b Bucketed) Exceeds(t int64) Span {
	bucket := b.scale.Bucket(t)
	low, _ := slices.BinarySearch(b.index, bucket)    // values in buckets before
	upto, _ := slices.BinarySearch(b.index, bucket+1) // and with t's own
	if next := b.scale.Bucket(t + 1); next > bucket { // t is the bucket's last microsecond
		low = upto
	}
	return Span{Low: 1 - b.early.cum(upto), High: 1 - b.cum(low)}
}
