package api

import (
	"fmt"

	"headway/hedge"
	"headway/query"
)

// hedgesSkewed is how many times its share of the requests a band must hold of
// the hedges for one threshold to hedge mostly that band.
const hedgesSkewed = 3

// bands looks at a key's rows by input size: whether one delay would hedge the
// long prompts and few others. Nil where no row has input tokens.
func (k key) bands(waits []hedge.Wait, a hedge.Advice) *Bands {
	names := query.InputBands()
	parts := make([][]hedge.Wait, len(names))
	for i, w := range waits {
		if i < len(k.Bands) && int(k.Bands[i]) < len(parts) {
			parts[k.Bands[i]] = append(parts[k.Bands[i]], w)
		}
	}
	out, v, d := &Bands{Bands: []Band{}}, view{strict: true}, int64(a.Delay.Micros+1e-6)
	for i, part := range parts {
		if i == 0 || len(part) == 0 {
			continue
		}
		law := hedge.NewDistribution(part)
		b := Band{Band: names[i], N: int64(len(part)), Share: ratio(float64(len(part)) / float64(len(waits))), HedgeAfterMs: v.ms(law.Quantile(0.9))}
		b.TriggerRatio = ptr(ratio(law.Exceed(d)))
		if a.Trigger > 0 {
			b.HedgeShare = ptr(ratio(min(1, b.Share*law.Exceed(d)/a.Trigger)))
		}
		out.Bands = append(out.Bands, b)
		if b.HedgeShare != nil && *b.HedgeShare >= 0.5 && *b.HedgeShare >= hedgesSkewed*b.Share && len(part) >= hedge.MinPoint(0.9) {
			out.Differ = true
			out.Note = fmt.Sprintf("One delay for all sizes sends %.0f %% of the backups for prompts of %s tokens, which are %.0f %% of the requests: ask by input_band, or give long prompts a lane of their own.",
				*b.HedgeShare*100, b.Band, b.Share*100)
		}
	}
	if len(out.Bands) == 0 {
		return nil
	}
	if !out.Differ {
		out.Note = "No input size gets most of the backups beyond its share of the requests."
	}
	return out
}
