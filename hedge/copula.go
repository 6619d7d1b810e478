package hedge

import "math"

// copula is the Gaussian copula of one correlation, with what its quadrature
// needs worked out once.
type copula struct {
	rho   float64
	nodes []copulaNode // none near |rho| = 1
}

// copulaNode is one point sin(asin(ρ)·(1 ± x)/2) of the quadrature over the
// correlation.
type copulaNode struct{ sine, scale, weight float64 }

func newCopula(rho float64) copula {
	c := copula{rho: rho}
	if math.Abs(rho) >= strongRho {
		return c
	}
	angle := math.Asin(rho)
	xs, ws := legendreX[:], legendreW[:]
	if math.Abs(rho) < moderateRho {
		xs, ws = legendre12X[:], legendre12W[:]
	}
	for i, x := range xs {
		for _, sign := range [...]float64{-1, 1} {
			s := math.Sin(angle * (sign*x + 1) / 2)
			c.nodes = append(c.nodes, copulaNode{s, 1 / (1 - s*s), ws[i] * angle / (4 * math.Pi)})
		}
	}
	return c
}

// at is C(u, v; ρ) = Φ₂(Φ⁻¹(u), Φ⁻¹(v); ρ).
func (c copula) at(u, v float64) float64 {
	switch {
	case u <= 0 || v <= 0:
		return 0
	case u >= 1:
		return v
	case v >= 1:
		return u
	}
	return c.normal(normalQuantile(u), normalQuantile(v), u*v)
}

// normal is P(A ≤ h, B ≤ k) for standard normals with correlation rho, to
// about 1e-14; product is Φ(h)·Φ(k) (Genz, Statistics and Computing 14, 2004,
// after Drezner and Wesolowsky, 1990).
func (c copula) normal(h, k, product float64) float64 {
	if c.nodes == nil {
		return math.Min(1, math.Max(0, bvnStrong(-h, -k, c.rho)))
	}
	hk, hs, sum := h*k, (h*h+k*k)/2, product
	for _, n := range c.nodes {
		sum += n.weight * math.Exp((n.sine*hk-hs)*n.scale)
	}
	return math.Min(1, math.Max(0, sum))
}

// normalQuantile is Φ⁻¹(p).
func normalQuantile(p float64) float64 { return -math.Sqrt2 * math.Erfcinv(2*p) }

// normalCDF is Φ(z).
func normalCDF(z float64) float64 { return math.Erfc(-z/math.Sqrt2) / 2 }

// Up to which correlation 12 and 20 points of the quadrature are enough
// (Genz, 2004).
const (
	moderateRho = 0.75
	strongRho   = 0.925
)

// Gauss–Legendre nodes and weights, 12 and 20 points, half of them; the
// others mirror them.
var (
	legendre12X = [...]float64{0.9815606342467191, 0.9041172563704750, 0.7699026741943050, 0.5873179542866171, 0.3678314989981802, 0.1252334085114692}
	legendre12W = [...]float64{0.04717533638651177, 0.1069393259953183, 0.1600783285433464, 0.2031674267230659, 0.2334925365383547, 0.2491470458134029}
	legendreX   = [...]float64{0.9931285991850949, 0.9639719272779138, 0.9122344282513259, 0.8391169718222188, 0.7463319064601508,
		0.6360536807265150, 0.5108670019508271, 0.3737060887154196, 0.2277858511416451, 0.0765265211334973}
	legendreW = [...]float64{0.0176140071391521, 0.0406014298003869, 0.0626720483341091, 0.0832767415767048, 0.1019301198172404,
		0.1181945319615184, 0.1316886384491766, 0.1420961093183821, 0.1491729864726037, 0.1527533871307259}
)

// bvnStrong is P(A ≥ h, B ≥ k) for |r| near 1.
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
