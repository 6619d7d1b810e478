package e2e

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// simulated is what the API says about one delay.
type simulated struct {
	Keys []struct {
		TriggerRatio float64 `json:"trigger_ratio"`
		Before       struct {
			P95 float64 `json:"p95_ms"`
		}
		After struct {
			Independent, Pessimistic struct {
				P95 float64 `json:"p95_ms"`
				P99 float64 `json:"p99_ms"`
			}
		}
	}
}

// checkHedge moves the delay by keyboard and by mouse; address and numbers
// follow, and the numbers are those of the API at that delay.
func checkHedge(t *testing.T, d dashboard, b *tab) {
	b.open(t, "/hedge?from=now-8d&to=now")
	text := b.text(t, "main")
	for _, want := range []string{"Independent backup", "Pessimistic", "Measured pairs", "Without hedging", "Triggers for", "Win chance", "95 %", "n "} {
		if !strings.Contains(text, want) {
			t.Errorf("the hedge page lacks %q", want)
		}
	}
	b.shoot(t, "hedge-light")
	slider := `document.querySelector("[role=slider]")`
	said := func() string { return eval[string](t, b, slider+`.getAttribute("aria-valuetext")`) }
	advised := said()
	eval[bool](t, b, `(`+slider+`.focus(), true)`)
	b.press(t, kb.ArrowRight+kb.ArrowRight+kb.ArrowRight)
	b.await(t, `new URLSearchParams(location.search).has("d")`)
	b.settle(t)
	if now := said(); now == advised || !strings.Contains(now, "triggers for") {
		t.Errorf("the arrow keys moved the delay from %q to %q", advised, now)
	}
	compareEffect(t, d, b)
	byKey := eval[string](t, b, `new URLSearchParams(location.search).get("d")`)
	box := eval[[]float64](t, b, `(() => { const e = document.querySelector("[role=slider] canvas"); e.scrollIntoView({ block: "center" }); const r = e.getBoundingClientRect(); return [r.left, r.top, r.width, r.height]; })()`)
	y := box[1] + box[3]/2
	step(t, b, "drag the delay", chromedp.DragAndDropXY(box[0]+box[2]*0.4, y, box[0]+box[2]*0.3, y))
	b.await(t, fmt.Sprintf(`new URLSearchParams(location.search).get("d") !== %q`, byKey))
	b.settle(t)
	compareEffect(t, d, b)
	again := eval[string](t, b, `location.pathname + location.search`)
	dragged := said()
	b.open(t, again)
	if now := said(); now != dragged {
		t.Errorf("the link %s shows %q, it was %q", again, now, dragged)
	}
	b.clickText(t, "main button", "View as table")
	b.settle(t)
	if rows := eval[int](t, b, `document.querySelectorAll("[aria-label='Simulation as a table'] tbody tr").length`); rows < 50 {
		t.Errorf("the curve as a table has %d rows", rows)
	}
	chooseKey(t, b)
}

// compareEffect asks the API for the delay of the address and the key that is
// shown, and compares.
func compareEffect(t *testing.T, d dashboard, b *tab) {
	t.Helper()
	delay := eval[string](t, b, `new URLSearchParams(location.search).get("d")`)
	name := strings.Split(b.text(t, "main h2"), " · ")
	if len(name) != 2 {
		t.Fatalf("the key is called %q", name)
	}
	q := params("from", "now-8d", "to", "now", "hedge_after", delay+"ms", "where", "model="+name[0], "where", "route="+name[1])
	var a simulated
	get(t, d.p, "/api/v1/hedge/simulate", q, &a)
	if len(a.Keys) != 1 {
		t.Fatalf("%d keys for %s", len(a.Keys), url.Values(q).Encode())
	}
	text, k := b.text(t, ".effect"), a.Keys[0]
	for _, want := range []string{shown(k.Before.P95), shown(k.After.Independent.P95), shown(k.After.Independent.P99), shown(k.After.Pessimistic.P99)} {
		if !strings.Contains(text, want) {
			t.Errorf("at %s ms the effect lacks %s:\n%s", delay, want, text)
		}
	}
	if pct := k.TriggerRatio * 100; pct >= 0.1 && !strings.Contains(text, percent(pct)) {
		t.Errorf("at %s ms the effect lacks the trigger ratio %s:\n%s", delay, percent(pct), text)
	}
}

// percent writes a percentage as the pages do.
func percent(p float64) string {
	digits := 1
	if p < 10 {
		digits = 2
	}
	s := fmt.Sprintf("%.*f", digits, p)
	return strings.TrimRight(strings.TrimRight(s, "0"), ".") + " %"
}

// chooseKey picks another key of the table by its verdict and its name.
func chooseKey(t *testing.T, b *tab) {
	t.Helper()
	first := b.text(t, "main h2")
	other := eval[string](t, b, `document.querySelectorAll("table.keys [data-row]")[2].textContent`)
	b.clickText(t, "table.keys [data-row]", other)
	b.await(t, `location.search.includes("key=")`)
	b.settle(t)
	if now := b.text(t, "main h2"); now == first || now != other {
		t.Errorf("choosing %q shows %q", other, now)
	}
}
