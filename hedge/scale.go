package hedge

import (
	"fmt"
	"math"
)

// Scale puts waits into buckets whose edges grow by a constant ratio γ: bucket
// i holds γ^(i−1) < t ≤ γ^i microseconds, and bucket 0 also what is shorter.
// With γ = (1 + ε)/(1 − ε) the value 2γ^i/(γ + 1) that stands for a bucket is
// within ε of every wait in it (Masson, Rim and Lee, DDSketch, VLDB 2019).
type Scale struct{ relative, growth, logGrowth float64 }

// NewScale is the scale with relative error ε, above 0 and below 1.
func NewScale(relative float64) (Scale, error) {
	if !(relative > 0 && relative < 1) {
		return Scale{}, fmt.Errorf("a scale with relative error %v: give one above 0 and below 1, for example 0.01", relative)
	}
	g := (1 + relative) / (1 - relative)
	return Scale{relative, g, math.Log(g)}, nil
}

// Error is the scale's relative error ε.
func (s Scale) Error() float64 { return s.relative }

// Bucket is the bucket of a wait.
func (s Scale) Bucket(micros int64) int {
	if micros <= 1 {
		return 0
	}
	return int(math.Ceil(math.Log(float64(micros))/s.logGrowth - 1e-9))
}

// Value stands for the waits of a bucket, in microseconds, rounded.
func (s Scale) Value(bucket int) int64 {
	return int64(math.Round(2 * math.Exp(float64(bucket)*s.logGrowth) / (s.growth + 1)))
}
