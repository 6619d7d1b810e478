package hedge

import "math"

// gaussianCopula is C(u, v; ρ) = Φ₂(Φ⁻¹(u), Φ⁻¹(v); ρ).
func gaussianCopula(u, v, rho float64) float64 {
	switch {
	case u <= 0 || v <= 0:
		return 0
	case u >= 1:
		return v
	case v >= 1:
		return u
	}
	return bivariateNormal(normalQuantile(u), normalQuantile(v), rho)
}

// normalQuantile is Φ⁻¹(p).
func normalQuantile(p float64) float64 { return -math.Sqrt2 * math.Erfcinv(2*p) }

// normalCDF is Φ(z).
func normalCDF(z float64) float64 { return math.Erfc(-z/math.Sqrt2) / 2 }

// Gauss–Legendre nodes and weights, 20 points, half of them; the others
// mirror them.
var (
	legendreX = [...]float64{0.9931285991850949, 0.9639719272779138, 0.9122344282513259, 0.8391169718222188, 0.7463319064601508,
		0.6360536807265150, 0.5108670019508271, 0.3737060887154196, 0.2277858511416451, 0.0765265211334973}
	legendreW = [...]float64{0.0176140071391521, 0.0406014298003869, 0.0626720483341091, 0.0832767415767048, 0.1019301198172404,
		0.1181945319615184, 0.1316886384491766, 0.1420961093183821, 0.1491729864726037, 0.1527533871307259}
)

// bivariateNormal is P(A ≤ h, B ≤ k) for standard normals with correlation r,
// to about 1e-15 (Genz, Statistics and Computing 14, 2004, after Drezner and
// Wesolowsky, 1990).
func bivariateNormal(h, k, r float64) float64 {
	h, k = -h, -k
	var p float64
	if math.Abs(r) < 0.925 {
		p = bvnModerate(h, k, r)
	} else {
		p = bvnStrong(h, k, r)
	}
	return math.Min(1, math.Max(0, p))
}

func bvnModerate(h, k, r float64) float64 {
	hk, hs, asr := h*k, (h*h+k*k)/2, math.Asin(r)
	sum := 0.0
	for i, x := range legendreX {
		for _, sign := range [...]float64{-1, 1} {
			sn := math.Sin(asr * (sign*x + 1) / 2)
			sum += legendreW[i] * math.Exp((sn*hk-hs)/(1-sn*sn))
		}
	}
	return sum*asr/(4*math.Pi) + normalCDF(-h)*normalCDF(-k)
}

func bvnStrong(h, k, r float64) float64 {
	if r < 0 {
		k = -k
	}
	hk, p := h*k, 0.0
	if math.Abs(r) < 1 {
		p = -bvnTail(h, k, hk, (1-r)*(1+r)) / (2 * math.Pi)
	}
	if r > 0 {
		return p + normalCDF(-math.Max(h, k))
	}
	p = -p
	if k > h {
		p += normalCDF(k) - normalCDF(h)
	}
	return p
}

// bvnTail is Genz's expansion around |r| = 1; as is 1 − r².
func bvnTail(h, k, hk, as float64) float64 {
	a, bs := math.Sqrt(as), (h-k)*(h-k)
	c, d := (4-hk)/8, (12-hk)/16
	sum := 0.0
	if e := -(bs/as + hk) / 2; e > -100 {
		sum = a * math.Exp(e) * (1 - c*(bs-as)*(1-d*bs/5)/3 + c*d*as*as/5)
	}
	if hk > -100 {
		b := math.Sqrt(bs)
		sum -= math.Exp(-hk/2) * math.Sqrt(2*math.Pi) * normalCDF(-b/a) * b * (1 - c*bs*(1-d*bs/5)/3)
	}
	a /= 2
	for i, x := range legendreX {
		for _, sign := range [...]float64{-1, 1} {
			xs := math.Pow(a*(sign*x+1), 2)
			rs := math.Sqrt(1 - xs)
			if e := -(bs/xs + hk) / 2; e > -100 {
				sum += a * legendreW[i] * math.Exp(e) * (math.Exp(-hk*(1-rs)/(2*(1+rs)))/rs - (1 + c*xs*(1+d*xs)))
			}
		}
	}
	return sum
}
