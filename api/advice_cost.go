package api

import (
	"math"

	"headway/hedge"
	"headway/query"
)

// cost sums what the hedges of the window would have added: the tokens of the
// requests that still waited after the delay, by what their providers bill
// for cancelled answers.
func (k key) cost(delayMicros float64) *Cost {
	policy := hedge.Policy{Delay: int64(math.Floor(delayMicros + 1e-6)), Q: 1}
	all := k.requests(nil)
	sum := hedge.CostOf(all, policy, hedge.Billing{})
	out := &Cost{Hedges: int64(math.Round(sum.Hedges)), KnownTokens: int64(sum.KnownInput)}
	if sum.KnownInput > 0 {
		out.ExtraInputTokens, out.ExtraInputShare = ptr(int64(math.Round(sum.Input))), ptr(sum.InputShare)
	}
	price := k.price()
	var output, money hedge.Span
	// In a fixed order, so that a sum has the same last digit each time.
	for billing, cancel := range []hedge.Cancel{query.BillingUnknown: hedge.CancelUnknown, query.BillingFull: hedge.CancelBillsFull, query.BillingPart: hedge.CancelHonoured} {
		c := hedge.CostOf(k.requests(ptr(query.Billing(billing))), policy, hedge.Billing{Cancel: cancel, Price: price})
		output.Low, output.High = output.Low+c.Output.Low, output.High+c.Output.High
		money.Low, money.High = money.Low+c.Money.Low, money.High+c.Money.High
	}
	if sum.KnownOutput > 0 {
		out.ExtraOutputTokensLow, out.ExtraOutputTokensHigh = ptr(int64(math.Round(output.Low))), ptr(int64(math.Round(output.High)))
	}
	if price != nil && sum.KnownInput > 0 {
		out.Currency, out.MoneyLow, out.MoneyHigh = orNull(k.hedge.Currency), ptr(tidy(money.Low)), ptr(tidy(money.High))
		// A policy that hedges everyone, billed in full, costs what the requests did.
		if spent := hedge.CostOf(all, hedge.Policy{Delay: -1, Q: 1}, hedge.Billing{Cancel: hedge.CancelBillsFull, Price: price}).Money.High; spent > 0 {
			out.MoneyShareLow, out.MoneyShareHigh = ptr(ratio(money.Low/spent)), ptr(ratio(money.High/spent))
		}
	}
	return out
}

// requests are the key's rows with their tokens; only those billed so where
// billing is given.
func (k key) requests(billing *query.Billing) []hedge.Request {
	out := make([]hedge.Request, 0, len(k.waits.Micros))
	for i, v := range k.waits.Micros {
		b := query.BillingUnknown
		if i < len(k.Billing) {
			b = k.Billing[i]
		}
		if billing == nil || *billing == b {
			out = append(out, hedge.Request{Wait: hedge.Wait{Micros: v, Censored: k.waits.Censored[i]}, Input: at(k.waits.InputTokens, i), Output: at(k.waits.OutputTokens, i)})
		}
	}
	return out
}

// price is the price of the key's model; nil where the key has none, or none
// is configured.
func (k key) price() *hedge.Price {
	p, ok := k.hedge.Prices[k.waits.Key["model"]]
	if !ok {
		return nil
	}
	return &hedge.Price{Input: p.Input, Output: p.Output}
}
