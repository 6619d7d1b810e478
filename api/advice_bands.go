package api

import (
	"headway/hedge"
	"headway/query"
)

// bands compares one delay for a key's rows with one for each input size: the
// answer says when one delay hedges the long prompts and few others. Nil where
// no row has input tokens.
func (k key) bands(rule hedge.Rule) *Bands {
	names := query.InputBands()
	b := hedge.BandsOf(k.requests(nil), query.InputBandEdges(), rule, hedge.Billing{})
	n := len(k.waits.Micros)
	out, v := &Bands{Differ: b.Differ, Note: b.Warning, Bands: []Band{}}, view{strict: true}
	for i, part := range b.Bands {
		if part.N == 0 || i >= len(names) {
			continue
		}
		out.Bands = append(out.Bands, Band{Band: names[i], N: int64(part.N), Share: ratio(float64(part.N) / float64(n)), HedgeAfterMs: v.ms(part.Threshold),
			Interval: intervalMs(part.Interval), TriggerRatio: ptr(ratio(part.Trigger)), HedgeShare: ptr(ratio(part.Share))})
	}
	if len(out.Bands) == 0 {
		return nil
	}
	return out
}
