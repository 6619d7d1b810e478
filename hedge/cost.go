package hedge

import "math"

// Cancel says what a provider bills for an answer that was cancelled when the
// other attempt won.
type Cancel int

// What is known of a provider's bill for cancelled answers.
const (
	CancelUnknown   Cancel = iota // between nothing and the whole output
	CancelHonoured                // only what was generated until then: no output before the first token
	CancelBillsFull               // the whole output
)

// Price is money per million tokens, in one currency.
type Price struct{ Input, Output float64 }

// perPrice is how many tokens a price is for.
const perPrice = 1e6

// of is the price of tokens; unknown counts cost nothing, so that the sum is
// a lower bound.
func (p Price) of(input, output int64) float64 {
	return (float64(max(0, input))*p.Input + float64(max(0, output))*p.Output) / perPrice
}

// Billing says how backups are paid for.
type Billing struct {
	Cancel Cancel
	Price  *Price // nil leaves money out
}

// Span is an amount that is known to lie between two ends.
type Span struct{ Low, High float64 }

// Cost is what the backups of a policy add, summed over the hedged requests:
// slow first tokens go with long prompts, so that the ratio times the mean
// would be too small. Requests whose tokens are unknown add nothing: where
// known counts are below Hedges, the sums are at least so much.
type Cost struct {
	Requests int
	Hedges   float64 // expected backups: the requests beyond d, times q
	// KnownInput and KnownOutput are how many of the requests beyond d have
	// token counts.
	KnownInput, KnownOutput int
	Input                   float64 // extra input tokens
	InputShare              float64 // of AllInput
	Output                  Span    // extra output tokens
	OutputShare             Span
	Money                   Span // zero without a price
	MoneyShare              Span
	// AllInput, AllOutput and AllMoney are what all requests cost without
	// hedging, hedged or not.
	AllInput, AllOutput, AllMoney float64
}

// CostOf sums what backups after p's delay add for these requests. Extra input
// is theirs; extra output lies between nothing, where the loser's cancelling
// is honoured before its first token, and their full output.
func CostOf(requests []Request, p Policy, b Billing) Cost {
	c := Cost{Requests: len(requests)}
	for _, r := range requests {
		c.AllInput += float64(max(0, r.Input))
		c.AllOutput += float64(max(0, r.Output))
		if b.Price != nil {
			c.AllMoney += b.Price.of(r.Input, r.Output)
		}
		if r.hedgedAt(p.Delay) {
			c.add(r, p.Q, b)
		}
	}
	c.share()
	return c
}

// share relates what is extra to the whole.
func (c *Cost) share() {
	c.InputShare = part(c.Input, c.AllInput)
	c.OutputShare = Span{part(c.Output.Low, c.AllOutput), part(c.Output.High, c.AllOutput)}
	c.MoneyShare = Span{part(c.Money.Low, c.AllMoney), part(c.Money.High, c.AllMoney)}
}

// plus adds times what o is.
func (c *Cost) plus(o Cost, times float64) {
	c.Requests += int(math.Round(times * float64(o.Requests)))
	c.Hedges += times * o.Hedges
	c.KnownInput += int(math.Round(times * float64(o.KnownInput)))
	c.KnownOutput += int(math.Round(times * float64(o.KnownOutput)))
	c.Input += times * o.Input
	c.Output = Span{c.Output.Low + times*o.Output.Low, c.Output.High + times*o.Output.High}
	c.Money = Span{c.Money.Low + times*o.Money.Low, c.Money.High + times*o.Money.High}
	c.AllInput += times * o.AllInput
	c.AllOutput += times * o.AllOutput
	c.AllMoney += times * o.AllMoney
	c.share()
}

// add counts one request beyond d.
func (c *Cost) add(r Request, q float64, b Billing) {
	c.Hedges += q
	c.KnownInput += b2i(r.Input >= 0)
	c.KnownOutput += b2i(r.Output >= 0)
	c.Input += q * float64(max(0, r.Input))
	low, high := b.output(r)
	c.Output.Low += q * float64(low)
	c.Output.High += q * float64(high)
	if b.Price != nil {
		c.Money.Low += q * b.Price.of(r.Input, low)
		c.Money.High += q * b.Price.of(r.Input, high)
	}
}

// output is the extra output that one backup is billed at least and at most.
func (b Billing) output(r Request) (low, high int64) {
	full := max(0, r.Output)
	switch b.Cancel {
	case CancelHonoured:
		return 0, 0
	case CancelBillsFull:
		return full, full
	}
	return 0, full
}

// part is a share of a whole; 0 of nothing.
func part(amount, whole float64) float64 {
	if whole <= 0 {
		return 0
	}
	return amount / whole
}
