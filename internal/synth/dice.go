package synth

import (
	"math"
	"math/rand/v2"
)

// never is a time in ms that no call lives to see.
const never = 1e12

// dice are the seeded draws of a generator.
type dice struct{ *rand.Rand }

func newDice(seed uint64) dice { return dice{rand.New(rand.NewPCG(seed, 0x68656164776179))} }

func (d *dice) chance(p float64) bool { return d.Float64() < p }

// around draws from a log-normal law with the given median; sigma is the
// standard deviation of the logarithm.
func (d *dice) around(median, sigma float64) float64 {
	return median * math.Exp(sigma*d.NormFloat64())
}

func (d *dice) within(low, high float64) float64 { return low + (high-low)*d.Float64() }

// pareto draws a factor ≥ 1 with the given tail index, cut off at limit.
func (d *dice) pareto(index, limit float64) float64 {
	return math.Min(math.Pow(1-d.Float64(), -1/index), limit)
}

// pick chooses an index by weights that add up to total.
func (d *dice) pick(weights []float64, total float64) int {
	x := d.Float64() * total
	for i, w := range weights {
		if x -= w; x < 0 {
			return i
		}
	}
	return len(weights) - 1
}
