package simulate

import (
	"fmt"
	"math"
	"strings"

	"headway/hedge"
)

// Result is one key's answer; scripts rely on its names.
type Result struct {
	Key          map[string]string `json:"key"`
	N            int               `json:"n"`
	Censored     int               `json:"censored"`
	Missing      int               `json:"missing"` // rows without a value, left out
	HedgeAfterMs *float64          `json:"hedge_after_ms"`
	IntervalMs   Ends              `json:"interval"`
	TriggerRatio *float64          `json:"trigger_ratio"`
	TriggerNext  Shares            `json:"trigger_interval"`
	WinChance    *float64          `json:"win_chance"`
	Before       Percentiles       `json:"before"`
	After        Percentiles       `json:"after"`
	Pessimistic  *Percentiles      `json:"after_pessimistic"`
	TargetQ      float64           `json:"target_q"`
	Verdict      string            `json:"verdict"`
	Reasons      []string          `json:"reasons"`
	Notes        []string          `json:"notes"`
}

// Ends is a 95 % interval in ms; null where it has no end.
type Ends struct {
	LowMs  *float64 `json:"low_ms"`
	HighMs *float64 `json:"high_ms"`
}

// Shares is the 95 % interval of the next window's trigger ratio.
type Shares struct {
	Low   *float64 `json:"low"`
	High  *float64 `json:"high"`
	NextN int      `json:"next_n"`
}

// Percentiles in ms; null where not reached. Those named in BelowMinN have
// fewer rows behind them than their minimum.
type Percentiles struct {
	P50Ms     *float64 `json:"p50_ms"`
	P90Ms     *float64 `json:"p90_ms"`
	P95Ms     *float64 `json:"p95_ms"`
	P99Ms     *float64 `json:"p99_ms"`
	BelowMinN []string `json:"below_min_n"`
}

// Run simulates every key; backup names the key that would serve backups, as
// "column=value,…", empty for each key's own law.
func Run(keys []Key, rule hedge.Rule, backup string, s hedge.Settings) ([]Result, error) {
	var waits []hedge.Wait
	if backup != "" {
		k, err := find(keys, backup)
		if err != nil {
			return nil, err
		}
		waits = k.Waits
	}
	out := make([]Result, 0, len(keys))
	for _, k := range keys {
		out = append(out, present(k, hedge.Recommend(k.Waits, waits, rule, s)))
	}
	return out, nil
}

func find(keys []Key, name string) (Key, error) {
	want := map[string]string{}
	for _, part := range strings.Split(name, ",") {
		column, value, ok := strings.Cut(part, "=")
		if !ok {
			return Key{}, fmt.Errorf("backup key %q: write column=value,column=value", name)
		}
		want[column] = value
	}
	var found []Key
	for _, k := range keys {
		match := true
		for column, value := range want {
			match = match && k.Name[column] == value
		}
		if match {
			found = append(found, k)
		}
	}
	if len(found) != 1 {
		return Key{}, fmt.Errorf("backup key %q fits %d keys of the input; name exactly one, by the columns of --key-column", name, len(found))
	}
	return found[0], nil
}

func present(k Key, a hedge.Advice) Result {
	r := Result{Key: k.Name, N: a.N, Censored: a.Censored, Missing: k.Missing, TargetQ: a.Target, Verdict: string(a.Verdict),
		Reasons: a.Reasons, Notes: append([]string{}, a.Notes...),
		IntervalMs: Ends{bound(a.DelayInterval.Low), bound(a.DelayInterval.High)}, Before: percentiles(a.Before)}
	if n := len(k.Waits); k.Zeros*zeroShare >= n && n > 0 && k.Zeros > 0 {
		r.Notes = append(r.Notes, fmt.Sprintf("%d of %d values are exactly 0, which many tools write for a missing time; if so, name them with --missing 0.", k.Zeros, n))
	}
	r.HedgeAfterMs = ms(a.Delay)
	r.TriggerNext = Shares{share(a.TriggerNext.Low), share(a.TriggerNext.High), a.TriggerNext.Next}
	r.After = Percentiles{BelowMinN: []string{}}
	if a.Independent == nil {
		return r
	}
	r.TriggerRatio = &a.Trigger
	if a.Independent.WinOK {
		r.WinChance = &a.Independent.Win
	}
	r.After = percentiles(a.Independent.After)
	p := percentiles(a.Pessimistic.After)
	r.Pessimistic = &p
	return r
}

// zeroShare is the part of the values, one in so many, from which zeros are
// worth a word.
const zeroShare = 100

func percentiles(s hedge.Summary) Percentiles {
	p := Percentiles{ms(s.P50), ms(s.P90), ms(s.P95), ms(s.P99), []string{}}
	for i, point := range []hedge.Point{s.P90, s.P95, s.P99} {
		if point.BelowMinN {
			p.BelowMinN = append(p.BelowMinN, []string{"p90", "p95", "p99"}[i])
		}
	}
	return p
}

func ms(p hedge.Point) *float64 {
	if !p.Reached {
		return nil
	}
	return rounded(p.Micros)
}

func bound(b hedge.Bound) *float64 {
	if !b.Valid {
		return nil
	}
	return rounded(b.Micros)
}

// rounded writes microseconds as milliseconds with whole nanoseconds.
func rounded(micros float64) *float64 {
	v := math.Round(micros*1000) / 1e6
	return &v
}

func share(b hedge.ShareBound) *float64 {
	if !b.Valid {
		return nil
	}
	return &b.Share
}
