package hedge

// mixture is a law made of others by weight, evaluated on demand: what
// requests wait that were treated differently.
type mixture struct {
	parts []component
	n     int   // requests behind it
	seen  int64 // last time that a primary was watched
	last  int64 // last time at which it has mass
}

// cumulative is a law that answers P(X ≤ t).
type cumulative interface{ CDF(t int64) float64 }

type component struct {
	weight float64
	law    cumulative
}

// add mixes in a share of a law.
func (m *mixture) add(weight float64, l cumulative) {
	if weight > 0 {
		m.parts = append(m.parts, component{weight, l})
	}
}

// CDF is P(X ≤ t), t in microseconds.
func (m mixture) CDF(t int64) float64 {
	sum := 0.0
	for _, c := range m.parts {
		sum += c.weight * c.law.CDF(t)
	}
	return min(1, sum)
}

// Quantile is the q-quantile under the one quantile rule, with every
// microsecond up to the last with mass as a value, most of them without mass.
func (m mixture) Quantile(q float64) Point { return quantile(axis{m}, q, m.n) }

type axis struct{ mixture }

func (a axis) size() int                       { return int(a.last) + 1 }
func (a axis) value(i int) int64               { return int64(i) }
func (a axis) low(_ int, v int64) float64      { return a.CDF(v - 1) }
func (a axis) high(_ int, v int64) float64     { return a.CDF(v) }
func (a axis) end() int64                      { return a.seen }
func (a axis) near(rule, float64) (lo, hi int) { return 0, a.size() }
