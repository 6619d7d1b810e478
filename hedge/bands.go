package hedge

import (
	"fmt"
	"slices"
)

// Band is the part of a key's requests whose input lies between two edges.
type Band struct {
	From, To  int64 // input tokens, From ≤ input < To; To is 0 for no end
	N         int
	Threshold Point    // the rule's own delay for this band, strict below its point minimum
	Interval  Interval // of the threshold
	// Hedges is how many backups one threshold for all bands would send in
	// this band; Share of all that it sends, Trigger of the band's requests.
	Hedges         int
	Share, Trigger float64
	Cost           Cost // of those backups
}

// Bands compare one threshold for all requests with one for each input size.
type Bands struct {
	Delay   Point // the common threshold
	Bands   []Band
	Unknown int // requests without a token count, in no band
	// Differ is true where the thresholds of two bands have intervals without
	// a common time: one threshold then hedges mostly the band of the longer.
	Differ  bool
	Warning string // in words where they differ
}

// BandsOf cuts requests at ascending edges of input tokens, with a band below
// the first and one from the last on, and asks what rule's common delay does to
// each.
func BandsOf(requests []Request, edges []int64, rule Rule, b Billing) Bands {
	x := NewDistribution(waitsOf(requests))
	out := Bands{Delay: rule.delay(x)}
	parts := make([][]Request, len(edges)+1)
	for _, r := range requests {
		if r.Input < 0 {
			out.Unknown++
			continue
		}
		i, found := slices.BinarySearch(edges, r.Input)
		parts[i+b2i(found)] = append(parts[i+b2i(found)], r)
	}
	sent := 0
	for i, rows := range parts {
		band := bandOf(rows, out.Delay, rule, b)
		if i > 0 {
			band.From = edges[i-1]
		}
		if i < len(edges) {
			band.To = edges[i]
		}
		sent += band.Hedges
		out.Bands = append(out.Bands, band)
	}
	for i := range out.Bands {
		out.Bands[i].Share = part(float64(out.Bands[i].Hedges), float64(sent))
	}
	out.compare()
	return out
}

func bandOf(rows []Request, delay Point, rule Rule, b Billing) Band {
	x := NewDistribution(waitsOf(rows))
	band := Band{N: x.N(), Threshold: rule.delay(x)}
	if rule.Fixed == 0 {
		band.Interval = x.Interval(rule.Quantile)
	}
	if delay.Reached {
		band.Cost = CostOf(rows, Policy{Delay: micros(delay.Micros), Q: 1}, b)
		band.Hedges = int(band.Cost.Hedges)
		band.Trigger = part(float64(band.Hedges), float64(len(rows)))
	}
	return band
}

// compare looks for the two bands that are furthest apart of those whose
// intervals have no common time.
func (b *Bands) compare() {
	var low, high Band
	for _, l := range b.Bands {
		for _, h := range b.Bands {
			wider := h.Threshold.Micros-l.Threshold.Micros > high.Threshold.Micros-low.Threshold.Micros
			if wider && apart(l.Interval, h.Interval) {
				low, high, b.Differ = l, h, true
			}
		}
	}
	if b.Differ {
		b.Warning = fmt.Sprintf("The bands need thresholds of their own: %s for %s input tokens and %s for %s. One threshold of %s sends %s of its backups to the latter, which are %s of the requests.",
			show(low.Threshold), low.name(), show(high.Threshold), high.name(), show(b.Delay), percent(high.Share), percent(b.shareOf(high)))
	}
}

func (b *Bands) shareOf(band Band) float64 {
	n := 0
	for _, o := range b.Bands {
		n += o.N
	}
	return part(float64(band.N), float64(n))
}

func (b Band) name() string {
	if b.To == 0 {
		return fmt.Sprintf("%d and more", b.From)
	}
	return fmt.Sprintf("%d to %d", b.From, b.To-1)
}

// apart tells whether two intervals have no common time; one without an end
// reaches everywhere on that side.
func apart(a, b Interval) bool {
	less := func(high, low Bound) bool { return high.Valid && low.Valid && high.Micros < low.Micros }
	return less(a.High, b.Low) || less(b.High, a.Low)
}
