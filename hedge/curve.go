package hedge

import "math"

// CurvePoint is what one delay would do.
type CurvePoint struct {
	Delay   int64   // microseconds
	Trigger float64 // S(d)
	// Win is P(d + Y < X | X > d) with an independent backup: exact for up to
	// a few thousand values above d, else within 0.002.
	Win                      float64
	WinOK                    bool // false where nothing exceeds the delay
	Independent, Pessimistic Tail
}

// Tail is what the slowest requests wait.
type Tail struct{ P95, P99 Point }

// Curve simulates every delay, with an independent backup and with a Gaussian
// copula of correlation rho.
func Curve(x, y Distribution, delays []int64, rho float64) []CurvePoint {
	out, marks := make([]CurvePoint, len(delays)), marks(y)
	for i, d := range delays {
		policy := Policy{Delay: d, Q: 1}
		h := Independent(x, y, policy)
		p := CurvePoint{Delay: d, Trigger: math.Max(0, x.Exceed(d)), Independent: tail(h), Pessimistic: tail(Correlated(x, y, policy, rho))}
		h.marks = marks
		p.Win, p.WinOK = h.quickWin()
		out[i] = p
	}
	return out
}

func tail(l quantiler) Tail { return Tail{l.Quantile(0.95), l.Quantile(0.99)} }

// LogSpaced are at most n distinct times from low to high, evenly spaced by
// logarithm; times below 1 µs are taken as 1 µs. There are none where high is
// below low.
func LogSpaced(low, high int64, n int) []int64 {
	low = max(low, 1)
	if high < low || n < 1 {
		return nil
	}
	var out []int64
	for i := range n {
		step := 0.0
		if n > 1 {
			step = float64(i) / float64(n-1)
		}
		t := int64(math.Round(float64(low) * math.Exp(step*math.Log(float64(high)/float64(low)))))
		if i > 0 && i == n-1 {
			t = high
		}
		if len(out) == 0 || t > out[len(out)-1] {
			out = append(out, t)
		}
	}
	return out
}

// Exceedance is S(t) at one time.
type Exceedance struct {
	Micros int64
	Share  float64 // P(X > t)
	// Mass is P(previous time < X ≤ t): the height of a histogram's bin.
	Mass float64
}

// Exceedances is the curve S(t) at n times at most, evenly spaced by logarithm
// from the first to the last time seen, with the mass between them: what
// exceedance curves and histograms draw.
func (d Distribution) Exceedances(n int) []Exceedance {
	if len(d.at) == 0 {
		return nil
	}
	var out []Exceedance
	before := 0.0
	for _, t := range LogSpaced(d.at[0], d.last, n) {
		f := d.CDF(t)
		out = append(out, Exceedance{Micros: t, Share: math.Max(0, 1-f), Mass: f - before})
		before = f
	}
	return out
}
