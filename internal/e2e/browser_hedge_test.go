package e2e

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/input"
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
	for _, want := range []string{"Independent backup", "Pessimistic", "Measured", "Without hedging", "Triggers for", "Win chance", "95 %", "n ", "Configured", "Would save", "Budget", "Tier", "Channels", "By input size", "In force for gateways"} {
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
	dragDelay(t, b)
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

// simulations is how often the page has asked what a delay does.
func simulations(t *testing.T, b *tab) int {
	t.Helper()
	return eval[int](t, b, `performance.getEntriesByType("resource").filter((e) => e.name.includes("/hedge/simulate")).length`)
}

// dragDelay drags the line over the curve: while it moves the page asks
// nothing, and once when it rests.
func dragDelay(t *testing.T, b *tab) {
	t.Helper()
	box := eval[[]float64](t, b, `(() => { const e = document.querySelector("[role=slider] canvas"); e.scrollIntoView({ block: "center" }); const r = e.getBoundingClientRect(); return [r.left, r.top, r.width, r.height]; })()`)
	y, before, moving := box[1]+box[3]/2, simulations(t, b), ""
	mouse := func(kind input.DispatchMouseEventType, part float64) {
		p := input.DispatchMouseEventParams{Type: kind, X: box[0] + box[2]*part, Y: y, Button: input.MouseButtonLeft, Buttons: 1, ClickCount: 1}
		if _, err := chromedp.Call(b.ctx, input.DispatchMouseEvent, p); err != nil {
			t.Fatalf("%s at %v of the curve: %v", kind, part, err)
		}
	}
	mouse(input.DispatchMouseEventTypeMousePressed, 0.4)
	for i := range 10 {
		mouse(input.DispatchMouseEventTypeMouseMoved, 0.4-float64(i)*0.01)
		b.frames(t)
		text := b.text(t, ".effect")
		if text == moving || !strings.Contains(text, "moving") {
			t.Errorf("move %d shows\n%s", i, text)
		}
		moving = text
	}
	if now := simulations(t, b); now != before {
		t.Errorf("dragging asked %d times", now-before)
	}
	mouse(input.DispatchMouseEventTypeMouseReleased, 0.31)
	b.settle(t)
	if now := simulations(t, b); now != before+1 {
		t.Errorf("a settled delay asked %d times", now-before)
	}
}

// checkBudget gives a budget by keyboard: the delay is then the smallest that
// hedges no more.
func checkBudget(t *testing.T, d dashboard, b *tab) {
	b.open(t, "/hedge?from=now-8d&to=now")
	said := func() string {
		return eval[string](t, b, `document.querySelector("#budget").getAttribute("aria-valuetext")`)
	}
	if first := said(); !strings.Contains(words(first), "backup after") {
		t.Errorf("the budget says %q", first)
	}
	eval[bool](t, b, `(document.querySelector("#budget").focus(), true)`)
	b.press(t, strings.Repeat(kb.ArrowLeft, 30))
	b.await(t, `new URLSearchParams(location.search).has("d")`)
	b.settle(t)
	compareEffect(t, d, b)
	b.press(t, kb.Home)
	b.settle(t)
	compareEffect(t, d, b)
	if text := words(b.text(t, ".budget")); !strings.Contains(text, "no budget configured") || !strings.Contains(text, "50 %") {
		t.Errorf("the budget slider says %q", text)
	}
}

// checkKinds asks for advice by another kind of key, narrows the list, and
// finds both in the address.
func checkKinds(t *testing.T, d dashboard, b *tab) {
	b.open(t, d.path("/", "by", "region"))
	b.clickText(t, "nav.pages a", "Hedge")
	b.settle(t)
	if search := eval[string](t, b, `location.search`); strings.Contains(search, "by=") {
		t.Errorf("the overview's grouping came along: %s", search)
	}
	b.choose(t, `[aria-label="Kind of key"]`, "provider")
	b.await(t, `new URLSearchParams(location.search).get("by") === "provider"`)
	b.settle(t)
	var a struct {
		Keys []struct {
			Key   map[string]*string
			N     int64
			Saved *float64 `json:"seconds_saved_per_week"`
		}
	}
	get(t, d.p, "/api/v1/hedge/recommendation", d.ask("by", "provider"), &a)
	rows := eval[[]string](t, b, `[...document.querySelectorAll("table.keys [data-row]")].map((r) => r.textContent)`)
	if len(rows) < 3 || len(rows) != len(a.Keys) {
		t.Fatalf("the table has %q, the API %d keys", rows, len(a.Keys))
	}
	for i, k := range a.Keys {
		if rows[i] != *k.Key["provider"] {
			t.Errorf("row %d is %q, the API ranks %q there", i, rows[i], *k.Key["provider"])
		}
	}
	eval[bool](t, b, `(document.querySelector("[aria-label='Find a key']").focus(), true)`)
	b.press(t, rows[1])
	b.await(t, fmt.Sprintf(`new URLSearchParams(location.search).get("find") === %q`, rows[1]))
	b.open(t, eval[string](t, b, `location.pathname + location.search`))
	if left := eval[[]string](t, b, `[...document.querySelectorAll("table.keys [data-row]")].map((r) => r.textContent)`); len(left) != 1 || left[0] != rows[1] {
		t.Errorf("the link shows %q", left)
	}
	b.sound(t, "advice by provider")
	b.axe(t, "advice by provider")
}

// checkNowhere opens an address that is no page.
func checkNowhere(t *testing.T, d dashboard, b *tab) {
	b.open(t, d.path("/nope"))
	if text := words(b.text(t, "main")); !strings.Contains(text, "There is no page /nope") {
		t.Errorf("an unknown page says %q", text)
	}
	b.axe(t, "an unknown page")
	b.clickText(t, "main a", "To the overview")
	b.await(t, `location.pathname === "/" && location.search.includes("from=")`)
	b.settle(t)
	if text := b.text(t, "main"); !strings.Contains(text, "Who is hurt") {
		t.Errorf("the way home leads to\n%s", text)
	}
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
