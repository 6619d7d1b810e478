package hedge

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"time"
)

// Bootstrap says how intervals of simulated quantiles are drawn.
type Bootstrap struct {
	Draws int
	Seed  uint64
	// Block is the width of the blocks that are drawn whole, so that rows of
	// one time stay together; 0 draws single rows. Rows without a time are
	// always drawn singly.
	Block time.Duration
}

// DefaultBootstrap is hedge.md's: 2,000 draws with seed 1 in blocks of an hour.
func DefaultBootstrap() Bootstrap { return Bootstrap{Draws: 2000, Seed: 1, Block: time.Hour} }

// work bounds draws × rows, so that an interval takes about a second.
const (
	work     = 60_000_000
	minDraws = 100
)

// capped lowers the draws for many rows.
func (b Bootstrap) capped(rows int) Bootstrap {
	b.Draws = min(b.Draws, max(minDraws, work/max(1, rows)))
	return b
}

// rows are sorted waits with the block each belongs to.
type rows struct {
	sorted []Wait
	blocks [][]int // indexes into sorted
}

func (b Bootstrap) prepare(waits []Wait) rows {
	r := rows{sorted: slices.Clone(waits)}
	slices.SortFunc(r.sorted, compareWaits)
	timed := b.Block > 0 && !slices.ContainsFunc(waits, func(w Wait) bool { return w.At.IsZero() })
	if !timed {
		return r
	}
	byBlock := map[int64][]int{}
	for i, w := range r.sorted {
		k := w.At.UnixNano() / int64(b.Block)
		byBlock[k] = append(byBlock[k], i)
	}
	if len(byBlock) < 2 {
		return r
	}
	keys := make([]int64, 0, len(byBlock))
	for k := range byBlock {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	for _, k := range keys {
		r.blocks = append(r.blocks, byBlock[k])
	}
	return r
}

func compareWaits(a, b Wait) int {
	if c := cmp.Compare(a.Micros, b.Micros); c != 0 {
		return c
	}
	return cmp.Compare(b2i(a.Censored), b2i(b.Censored))
}

// resample draws as many rows (or blocks) as there are, with replacement.
func (r rows) resample(rnd *rand.Rand, counts []int) Distribution {
	clear(counts)
	if r.blocks == nil {
		for range r.sorted {
			counts[rnd.IntN(len(r.sorted))]++
		}
	} else {
		for range r.blocks {
			for _, i := range r.blocks[rnd.IntN(len(r.blocks))] {
				counts[i]++
			}
		}
	}
	return fromSorted(r.sorted, counts)
}

// spread is the central part of drawn values that holds share of them.
func spread(values []float64, share float64) Interval {
	if len(values) == 0 {
		return Interval{}
	}
	slices.Sort(values)
	half := (1 - share) / 2
	at := func(q float64) Bound {
		h := q * float64(len(values)-1)
		lo := int(math.Floor(h))
		hi := min(lo+1, len(values)-1)
		v := values[lo]
		if values[hi] != v {
			v += (h - float64(lo)) * (values[hi] - v)
		}
		return Bound{Micros: v, Valid: !math.IsInf(v, 0)}
	}
	return Interval{Low: at(half), High: at(1 - half)}
}
