package store_test

import (
	"fmt"
	"math/rand/v2"
	"time"

	"headway/classify"
	"headway/schema"
)

// base is when the tests' rows begin: a whole hour in the past, so that no
// row is expired or in the future.
var base = time.Date(2026, 11, 2, 3, 0, 0, 0, time.UTC)

func ms(v float64) schema.Opt[time.Duration] {
	return schema.Some(time.Duration(v*1000) * time.Microsecond)
}

// row is a complete streamed record that nothing is wrong with, at an offset.
func row(offset int64, changes ...func(*schema.Record)) classify.Row {
	r := schema.Record{
		Origin: schema.Origin{Topic: "t", Partition: 1, Offset: offset},
		Source: "headway", StartPoint: schema.StartHandler, Precision: time.Microsecond,
		RequestID: fmt.Sprintf("req-%06d", offset), Role: schema.RolePrimary, CreatedAt: base.Add(time.Duration(offset) * time.Millisecond),
		Gateway: "gw-1", Model: "m-1", Route: "default", Channel: "ch-1", Provider: "p", Region: "eu", Operation: "chat",
		Outcome: schema.OutcomeCompleted, Status: schema.Some[int32](200), Stream: schema.Some(true),
		InputTokens: schema.Some[int64](812), OutputTokens: schema.Some[int64](230), ReasoningTokens: schema.Some[int64](0),
		Timing: schema.Timing{UpstreamStart: ms(5), Auth: ms(1), Distribution: ms(1), BodyRead: ms(3), UpstreamHeaders: ms(240), FirstSSEEvent: ms(310),
			FirstResponse: ms(420), FirstTextDelta: ms(430), UpstreamDone: ms(9800), TotalHandler: ms(9810)},
	}
	for _, change := range changes {
		change(&r)
	}
	r.Derived = schema.Derive(&r)
	return classify.Row{Record: r, Verdict: classify.Verdict{Primary: classify.Healthy, Stage: classify.StageGeneration, RulesVersion: "rules-1"}}
}

// rows are n rows from an offset on, with varied values and dimensions.
func rows(n int, from int64, rng *rand.Rand) []classify.Row {
	out := make([]classify.Row, n)
	for i := range out {
		out[i] = row(from+int64(i), func(r *schema.Record) {
			r.Model = fmt.Sprintf("m-%d", rng.IntN(5))
			r.Channel = fmt.Sprintf("ch-%d", rng.IntN(20))
			first := 200 + rng.ExpFloat64()*400
			r.Timing.FirstSSEEvent = ms(first - 50)
			r.Timing.FirstResponse = ms(first)
			r.Timing.FirstTextDelta = ms(first + 10)
			r.Timing.UpstreamDone = ms(first + 4000*rng.Float64() + 20)
			r.Timing.TotalHandler = ms(first + 4100)
			r.InputTokens = schema.Some(int64(rng.IntN(90_000)))
		})
	}
	return out
}

// rangeOf is the range of rows' offsets.
func rangeOf(rs []classify.Row) schema.Range {
	o := rs[0].Record.Origin
	return schema.Range{Topic: o.Topic, Epoch: o.Epoch, Partition: o.Partition, First: o.Offset, Last: rs[len(rs)-1].Record.Origin.Offset}
}
