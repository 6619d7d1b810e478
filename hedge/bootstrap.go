package hedge

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"gonum.org/v1/gonum/stat/distuv"
)

// Bootstrap says how intervals of simulated quantiles are drawn.
type Bootstrap struct {
	Draws int
	Seed  uint64
	// Block is the width of the blocks that are drawn whole, so that rows of
	// one time stay together; 0 draws single rows. Rows without a time are
	// always drawn singly.
	Block time.Duration
	// Stop, once closed, ends the drawing: nobody waits for the intervals any
	// more, and what was drawn is not to be used. Nil never stops.
	Stop <-chan struct{}
}

func (b Bootstrap) stopped() bool {
	select {
	case <-b.Stop:
		return true
	default:
		return false
	}
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

// sample is a set of rows to draw from, again and again.
type sample struct {
	keys   []int64   // sorted, as sortKey
	blocks [][]int32 // indexes into keys; nil draws single rows
	counts []int32   // how often the last draw took each row
	law    Distribution
}

// keyed is one row with the block it belongs to.
type keyed struct{ key, block int64 }

func (b Bootstrap) prepare(waits []Wait) *sample {
	rows := make([]keyed, len(waits))
	for i, w := range waits {
		rows[i] = keyed{sortKey(w), b.block(w)}
	}
	slices.SortFunc(rows, func(a, b keyed) int { return cmp.Compare(a.key, b.key) })
	s := &sample{keys: make([]int64, len(rows)), counts: make([]int32, len(rows)), blocks: blocksOf(rows)}
	for i, r := range rows {
		s.keys[i] = r.key
	}
	return s
}

// noBlock is the block of a row without a time.
const noBlock = math.MinInt64

func (b Bootstrap) block(w Wait) int64 {
	if b.Block <= 0 || w.At.IsZero() {
		return noBlock
	}
	return w.At.UnixNano() / int64(b.Block)
}

// blocksOf lists the rows of each block in the order of the blocks; nil where
// all rows share one, or one has no time.
func blocksOf(rows []keyed) [][]int32 {
	if slices.ContainsFunc(rows, func(r keyed) bool { return r.block == noBlock }) {
		return nil
	}
	byBlock := map[int64][]int32{}
	for i, r := range rows {
		byBlock[r.block] = append(byBlock[r.block], int32(i))
	}
	if len(byBlock) < 2 {
		return nil
	}
	order := make([]int64, 0, len(byBlock))
	for k := range byBlock {
		order = append(order, k)
	}
	slices.Sort(order)
	out := make([][]int32, len(order))
	for i, k := range order {
		out[i] = byBlock[k]
	}
	return out
}

// draw takes as many rows (or blocks) as there are, with replacement. The law
// is valid until the next draw.
func (s *sample) draw(rnd *rand.Rand) Distribution {
	clear(s.counts)
	if s.blocks == nil {
		for range s.keys {
			s.counts[rnd.IntN(len(s.keys))]++
		}
	}
	for range s.blocks {
		for _, i := range s.blocks[rnd.IntN(len(s.blocks))] {
			s.counts[i]++
		}
	}
	s.law.build(s.keys, s.counts)
	return s.law
}

// drawShare is the share above d in a window of about m rows: blocks drawn
// anew, or m single rows. Rows censored before d can't tell; they are taken
// to be like the others.
func (s *sample) drawShare(rnd *rand.Rand, whole Distribution, d int64, m int) float64 {
	p := whole.Exceed(d)
	if p <= 0 || p >= 1 {
		return min(1, max(0, p))
	}
	if s.blocks == nil {
		return distuv.Binomial{N: float64(m), P: p, Src: rnd}.Rand() / float64(m)
	}
	above, known := 0, 0
	for range max(1, int(math.Round(float64(m)/float64(len(s.keys))*float64(len(s.blocks))))) {
		a, k := s.countAbove(s.blocks[rnd.IntN(len(s.blocks))], d)
		above, known = above+a, known+k
	}
	if known == 0 {
		return p
	}
	return float64(above) / float64(known)
}

// countAbove counts a block's rows above d, and those that are above or were
// seen to end by d.
func (s *sample) countAbove(block []int32, d int64) (above, known int) {
	first, _ := slices.BinarySearchFunc(block, d, func(i int32, d int64) int {
		if s.keys[i] < d<<1|1 { // an event at d, or anything before
			return -1
		}
		return 1
	})
	above = len(block) - first
	known = above
	for _, i := range block[:first] {
		known += 1 - int(s.keys[i]&1)
	}
	return above, known
}

// redrawn takes pairs with replacement, together and in blocks as rows are.
func (b Bootstrap) redrawn(pairs []Pair) func(*rand.Rand) []Pair {
	rows := make([]keyed, len(pairs))
	for i, p := range pairs {
		rows[i].block = b.block(p.Primary)
	}
	blocks := blocksOf(rows)
	return func(rnd *rand.Rand) []Pair {
		out := make([]Pair, 0, len(pairs))
		for range blocks {
			for _, i := range blocks[rnd.IntN(len(blocks))] {
				out = append(out, pairs[i])
			}
		}
		if blocks == nil {
			for range pairs {
				out = append(out, pairs[rnd.IntN(len(pairs))])
			}
		}
		return out
	}
}

// spread is the central part of drawn values that holds share of them. It
// sorts them.
func spread(values []float64, share float64) Interval {
	if len(values) == 0 {
		return Interval{}
	}
	slices.Sort(values)
	half := (1 - share) / 2
	return Interval{Low: percentile(values, half), High: percentile(values, 1-half)}
}

// percentile is the q-quantile of sorted values, type 7; it has no end where
// they have none.
func percentile(sorted []float64, q float64) Bound {
	h := q * float64(len(sorted)-1)
	lo := int(math.Floor(h))
	hi := min(lo+1, len(sorted)-1)
	v := sorted[lo]
	if sorted[hi] != v {
		v += (h - float64(lo)) * (sorted[hi] - v)
	}
	if math.IsInf(v, 0) || math.IsNaN(v) {
		return Bound{}
	}
	return Bound{Micros: v, Valid: true}
}
