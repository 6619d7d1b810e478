package api

import (
	"context"
	"fmt"
	"slices"
	"time"

	"headway/hedge"
	"headway/query"
)

// Backtest answers GET hedge/backtest: for each rule, what it would have done
// on each day of the window, learned from the seven days before that day.
type Backtest struct {
	Meta  Meta         `json:"meta"`
	By    []string     `json:"by"`
	Rules []RuleTested `json:"rules"`
}

// RuleTested is one rule for the delay.
type RuleTested struct {
	Rule   string   `json:"rule" doc:"p90, a duration, singler, or configured."`
	Pooled Tested   `json:"pooled" doc:"All keys together."`
	Keys   []Tested `json:"keys"`
	// Insufficient and Unstable count keys.
	Insufficient int64 `json:"insufficient_data" doc:"Keys without a day that could be applied to."`
	Unstable     int64 `json:"unstable" doc:"Keys whose realised ratio is outside its interval (p < 0.01, Holm)."`
}

// Tested is a walk-forward of one key, or of all pooled.
type Tested struct {
	Key       map[string]*string `json:"key" doc:"Null where keys are pooled."`
	N         int64              `json:"n" doc:"Requests on the days applied to."`
	Skipped   int64              `json:"skipped_days" doc:"Days with too few rows before them."`
	Predicted *Outcome           `json:"predicted" doc:"Null where no day could be applied to."`
	Realised  *Outcome           `json:"realised"`
	Low       *float64           `json:"low" doc:"95 % bound of the realised trigger ratio where nothing changes from day to day."`
	High      *float64           `json:"high"`
	P         *float64           `json:"p"`
	Adjusted  *float64           `json:"p_adjusted" doc:"Corrected for the keys asked for together (Holm)."`
	Verdict   *string            `json:"verdict" doc:"insufficient_data, unstable or null."`
	Warning   *string            `json:"warning"`
	Days      []TestedDay        `json:"days"`
}

// Outcome is what a policy was predicted to do, or did, on all days together.
type Outcome struct {
	TriggerRatio float64  `json:"trigger_ratio"`
	SentRatio    float64  `json:"sent_ratio"`
	BeforeP95Ms  *float64 `json:"before_p95_ms"`
	BeforeP99Ms  *float64 `json:"before_p99_ms"`
	P95Ms        *float64 `json:"p95_ms" doc:"Independent backup."`
	P99Ms        *float64 `json:"p99_ms"`
	WorstP95Ms   *float64 `json:"pessimistic_p95_ms"`
	WorstP99Ms   *float64 `json:"pessimistic_p99_ms"`
	WinRate      *float64 `json:"win_rate"`
	Hedges       float64  `json:"hedges"`
	ExtraInput   float64  `json:"extra_input_tokens"`
	ExtraShare   float64  `json:"extra_input_share"`
}

// TestedDay is one day of a walk-forward.
type TestedDay struct {
	Day          string   `json:"day" format:"date"`
	TrainN       int64    `json:"train_n"`
	N            int64    `json:"n"`
	HedgeAfterMs float64  `json:"hedge_after_ms"`
	Q            float64  `json:"q"`
	Predicted    float64  `json:"predicted_ratio"`
	Realised     float64  `json:"realised_ratio"`
	Low          *float64 `json:"low"`
	High         *float64 `json:"high"`
}

func (b Backtest) describe() Meta { return b.Meta }

func (b Backtest) table() table {
	t := table{columns: append([]string{"rule"}, append(slices.Clone(b.By), "n", "days", "predicted_ratio", "realised_ratio", "low", "high", "p_adjusted", "before_p95_ms", "before_p99_ms",
		"predicted_p95_ms", "realised_p95_ms", "predicted_p99_ms", "realised_p99_ms", "win_rate", "extra_input_share", "verdict")...)}
	for _, r := range b.Rules {
		for i, k := range append([]Tested{r.Pooled}, r.Keys...) {
			row := []any{r.Rule}
			for j, d := range b.By {
				switch {
				case i > 0:
					row = append(row, cell(k.Key[d]))
				case j == 0:
					row = append(row, "(all)")
				default:
					row = append(row, nil)
				}
			}
			t.rows = append(t.rows, append(row, k.cells()...))
		}
	}
	return t
}

func (k Tested) cells() []any {
	row := []any{k.N, int64(len(k.Days))}
	if k.Predicted == nil || k.Realised == nil {
		return append(row, nil, nil, nil, nil, nil, nil, nil, nil, nil, nil, nil, nil, nil, cell(k.Verdict))
	}
	p, r := k.Predicted, k.Realised
	return append(row, p.TriggerRatio, r.TriggerRatio, cell(k.Low), cell(k.High), cell(k.Adjusted), cell(r.BeforeP95Ms), cell(r.BeforeP99Ms),
		cell(p.P95Ms), cell(r.P95Ms), cell(p.P99Ms), cell(r.P99Ms), cell(r.WinRate), r.ExtraShare, cell(k.Verdict))
}

// traced is a key's past with what its route allows.
type traced struct {
	key   key
	trace hedge.Trace
}

// trace joins history and window: what the walk learns from and is applied to.
func (k key) trace() traced {
	requests := k.requests(nil)
	for i := range requests {
		requests[i].At = k.waits.At[i]
	}
	past := key{HedgeRows: k.HedgeRows, waits: k.History}
	past.Billing = nil
	before := past.requests(nil)
	for i := range before {
		before[i].At = k.History.At[i]
	}
	out := traced{key: k, trace: hedge.Trace{Name: query.KeyText(k.waits.Key), Requests: append(before, requests...)}}
	out.key.waits, out.key.HedgeRows = query.Waits{Key: k.waits.Key}, query.HedgeRows{}
	return out
}

func (s *Server) backtest(ctx context.Context, in *input) (Backtest, error) {
	q, err := query.ParseBacktest(s.Fields, in.values)
	if err != nil {
		return Backtest{}, err
	}
	all, rows, err := eachHedgeKey(ctx, s, q, hedgeNeeds{history: week}, func(_ context.Context, k key) (traced, error) { return k.trace(), nil })
	if err != nil {
		return Backtest{}, err
	}
	out := Backtest{Meta: presentMeta(rows.meta.Meta, rows.footing), By: q.By, Rules: []RuleTested{}}
	traces := make([]hedge.Trace, len(all))
	for i, t := range all {
		traces[i] = t.trace
	}
	for _, name := range s.rulesOf(q, all) {
		if ctx.Err() != nil {
			return Backtest{}, fmt.Errorf("back-testing: %w", ctx.Err())
		}
		tested, err := s.testRule(name, q, traces, rows.meta.From)
		if err != nil {
			return Backtest{}, err
		}
		out.Rules = append(out.Rules, tested)
	}
	out.Meta.Approximation = "exact; backups independent, or with a Gaussian copula in the pessimistic case"
	return out, nil
}

// rulesOf are the rules asked for, and the configured delay where all keys
// have the same.
func (s *Server) rulesOf(q query.Hedge, all []traced) []string {
	rules := slices.Clone(q.Rules)
	var configured time.Duration
	for i, t := range all {
		if d := t.key.route.Configured; i == 0 {
			configured = d
		} else if d != configured {
			return rules
		}
	}
	if name := query.FormatDuration(configured); configured > 0 && !slices.Contains(rules, name) {
		rules = append(rules, name)
	}
	return rules
}

func (s *Server) testRule(name string, q query.Hedge, traces []hedge.Trace, from time.Time) (RuleTested, error) {
	strategy := hedge.Strategy{Floor: minFloor.Microseconds(), Target: q.Target}
	if name == query.SingleRRule {
		strategy.Budget = q.Budget
	} else {
		rule, err := ruleOf(name)
		if err != nil {
			return RuleTested{}, err
		}
		strategy.Rule = rule
	}
	tests, err := hedge.BacktestKeys(traces, strategy, hedge.BacktestSettings{From: from.Truncate(24 * time.Hour), Rho: s.Hedge.Rho})
	if err != nil {
		return RuleTested{}, fmt.Errorf("back-testing %s: %w", name, err)
	}
	out := RuleTested{Rule: name, Pooled: presentTested(tests.Pooled), Keys: []Tested{}, Insufficient: int64(tests.Insufficient), Unstable: int64(tests.Unstable)}
	for _, k := range tests.Keys {
		t := presentTested(k)
		t.Key = keyOf(query.ParseKeyText(k.Name))
		out.Keys = append(out.Keys, t)
	}
	return out, nil
}

func presentTested(b hedge.Backtest) Tested {
	out := Tested{N: int64(b.N), Skipped: int64(b.Skipped), Verdict: orNull(string(b.Verdict)), Warning: orNull(b.Warning), Days: []TestedDay{}}
	if len(b.Days) == 0 {
		return out
	}
	out.Predicted, out.Realised = outcome(b.Predicted), outcome(b.Realised)
	out.Low, out.High, out.P, out.Adjusted = ptr(ratio(b.Low)), ptr(ratio(b.High)), finite(&b.P), finite(&b.Adjusted)
	for _, d := range b.Days {
		day := TestedDay{Day: d.Day.UTC().Format(time.DateOnly), TrainN: int64(d.TrainN), N: int64(d.N), HedgeAfterMs: float64(d.Policy.Delay) / 1000, Q: ratio(d.Policy.Q),
			Predicted: ratio(d.Predicted), Realised: ratio(d.Realised)}
		if d.Next.Low.Valid {
			day.Low = ptr(ratio(d.Next.Low.Share))
		}
		if d.Next.High.Valid {
			day.High = ptr(ratio(d.Next.High.Share))
		}
		out.Days = append(out.Days, day)
	}
	return out
}

func outcome(o hedge.Outcome) *Outcome {
	v := view{strict: true}
	out := &Outcome{TriggerRatio: ratio(o.Trigger), SentRatio: ratio(o.Sent), BeforeP95Ms: v.ms(o.Before.P95), BeforeP99Ms: v.ms(o.Before.P99),
		P95Ms: v.ms(o.Independent.P95), P99Ms: v.ms(o.Independent.P99), WorstP95Ms: v.ms(o.Pessimistic.P95), WorstP99Ms: v.ms(o.Pessimistic.P99),
		Hedges: tidy(o.Cost.Hedges), ExtraInput: tidy(o.Cost.Input), ExtraShare: ratio(o.Cost.InputShare)}
	if o.WinOK {
		out.WinRate = ptr(ratio(o.Win))
	}
	return out
}
