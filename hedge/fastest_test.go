package hedge

import (
	"slices"
	"strings"
	"testing"
)

func fastestTraces(t *testing.T) (keys []Trace, pooled Trace) {
	pooled.Name = "all"
	n := 0
	for model, rows := range fastest(t) {
		n += len(rows)
		keys = append(keys, Trace{Name: model, Requests: rows})
		pooled.Requests = append(pooled.Requests, rows...)
	}
	if n != 3027 {
		t.Fatalf("%d rows, want 3,027 of 3,028: one has no first token", n)
	}
	slices.SortFunc(keys, func(a, b Trace) int { return strings.Compare(a.Name, b.Name) })
	return keys, pooled
}

// naive is what a gateway does that takes each key's P90 of whatever rows the
// last seven days have.
func naive(t *testing.T, keys []Trace, least int) (realised float64, n int) {
	got, err := BacktestKeys(keys, Strategy{Rule: P90()}, BacktestSettings{MinTrain: least})
	if err != nil {
		t.Fatal(err)
	}
	above := 0.0
	for _, d := range got.Pooled.Days {
		above += d.Realised * float64(d.N)
		n += d.N
	}
	return above / float64(n), n
}

// TestFastestBacktest walks over eleven days of public first-token times, about
// two dozen rows a model name: a P90 of the last seven days is exceeded by far
// more than 10 %. Nothing of it may be acted on silently.
func TestFastestBacktest(t *testing.T) {
	keys, pooled := fastestTraces(t)
	for _, least := range []int{1, 10, 20, 29} {
		share, n := naive(t, keys, least)
		t.Logf("per key, any P90 of at least %2d rows: realised %.1f %% of %d, predicted 10 %%", least, 100*share, n)
		if share < 0.18 {
			t.Errorf("from %d rows: realised %v; the trap is gone, look at the data", least, share)
		}
	}
	settings := BacktestSettings{Rho: 0.6}
	asked, err := BacktestKeys(keys, Strategy{Rule: P90()}, settings)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("per key, as advised: %d keys, %d insufficient_data, %d unstable, %d days applied to", len(keys), asked.Insufficient, asked.Unstable, len(asked.Pooled.Days))
	for _, b := range asked.Keys {
		if ok := b.Realised.Trigger >= b.Low && b.Realised.Trigger <= b.High; !ok && b.Verdict == "" {
			t.Errorf("%s: realised %v outside %v to %v without a word", b.Name, b.Realised.Trigger, b.Low, b.High)
		}
	}
	settings.MinTrain = 29
	forced, err := BacktestKeys(keys, Strategy{Rule: P90()}, settings)
	if err != nil || forced.Pooled.Verdict != Unstable || forced.Pooled.Realised.Trigger < forced.Pooled.High {
		t.Errorf("made to learn from 29 rows: %s, realised %v (95 %%: %v to %v), %v", forced.Pooled.Verdict, forced.Pooled.Realised.Trigger, forced.Pooled.Low, forced.Pooled.High, err)
	}
	t.Logf("per key, made to learn from 29 rows: %d insufficient_data, %d unstable; pooled predicted %.1f %%, realised %.1f %% (95 %%: %.1f–%.1f %%): %s", forced.Insufficient, forced.Unstable,
		100*forced.Pooled.Predicted.Trigger, 100*forced.Pooled.Realised.Trigger, 100*forced.Pooled.Low, 100*forced.Pooled.High, forced.Pooled.Verdict)
	one, err := BacktestKeys([]Trace{pooled}, Strategy{Rule: P90()}, BacktestSettings{Rho: 0.6})
	if err != nil {
		t.Fatal(err)
	}
	b := one.Keys[0]
	t.Logf("all rows as one key: predicted %.1f %%, realised %.1f %% (95 %%: %.1f–%.1f %%, p %.2g): %q; P95 %.2f → %.2f s hedged, %.2f s before", 100*b.Predicted.Trigger, 100*b.Realised.Trigger,
		100*b.Low, 100*b.High, b.P, b.Verdict, b.Predicted.Independent.P95.Micros/1e6, b.Realised.Independent.P95.Micros/1e6, b.Realised.Before.P95.Micros/1e6)
	if outside := b.Realised.Trigger < b.Low || b.Realised.Trigger > b.High; outside && b.P > 0.05 || b.Verdict != Unstable && b.P < 0.01 {
		t.Errorf("%+v", b)
	}
}

// TestFastestAdvice: with these rows no key may be hedged by a policy.
func TestFastestAdvice(t *testing.T) {
	keys, _ := fastestTraces(t)
	verdicts := map[Verdict]int{}
	var advices []*Advice
	for _, k := range keys {
		a := Recommend(waitsOf(k.Requests), nil, P90(), quick())
		advices = append(advices, &a)
	}
	JudgeTogether(advices)
	for _, a := range advices {
		verdicts[a.Verdict]++
		if a.N < 59 && a.Verdict != InsufficientData {
			t.Errorf("n %d: %s %q", a.N, a.Verdict, a.Reasons)
		}
	}
	t.Logf("verdicts of %d keys: %v", len(keys), verdicts)
	if verdicts[Hedge] > 0 || verdicts[InsufficientData] == 0 {
		t.Errorf("verdicts %v", verdicts)
	}
}
