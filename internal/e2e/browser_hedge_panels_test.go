package e2e

import (
	"context"
	"fmt"
	"net/http"
	"os/exec"
	"strings"
	"testing"
)

// panel is the selector of a panel by its title.
func panel(title string) string { return fmt.Sprintf("section[aria-label=%q]", title) }

// checkBacktest compares the back-test of the chosen key and rule with the
// API, as chart and as table, and that of all keys.
func checkBacktest(t *testing.T, d dashboard, b *tab) {
	b.open(t, "/hedge?from=now-6d&to=now&rule=p95")
	name := b.text(t, "main h2")
	var a struct {
		Rules []struct {
			Rule string
			Keys []struct {
				Key       map[string]*string
				Predicted *struct {
					Ratio float64  `json:"trigger_ratio"`
					P95   *float64 `json:"p95_ms"`
				}
				Realised *struct {
					Ratio float64 `json:"trigger_ratio"`
				}
				Days []struct {
					Day  string
					N    int64
					Real float64 `json:"realised_ratio"`
				}
			}
		}
	}
	get(t, d.p, "/api/v1/hedge/backtest", params("from", "now-6d", "to", "now", "limit", "100"), &a)
	box, found := panel("Back-test"), false
	text := b.text(t, box)
	for _, r := range a.Rules {
		for _, k := range r.Keys {
			if *k.Key["model"]+" · "+*k.Key["route"] != name || k.Predicted == nil {
				continue
			}
			if want := strings.TrimSuffix(percent(k.Predicted.Ratio*100), " %") + " → " + percent(k.Realised.Ratio*100); !strings.Contains(text, want) {
				t.Errorf("%s: the panel lacks %q:\n%s", r.Rule, want, text)
			}
			if r.Rule != "p95" {
				continue
			}
			found = true
			b.clickText(t, box+" button", "View as table")
			b.settle(t)
			table := b.text(t, "[aria-label='Days as a table'] tbody")
			for _, day := range k.Days {
				if !strings.Contains(table, day.Day) || !strings.Contains(table, percent(day.Real*100)) || !strings.Contains(table, thousands(day.N)) {
					t.Errorf("the table lacks %s with %s of n %d:\n%s", day.Day, percent(day.Real*100), day.N, table)
				}
			}
			b.clickText(t, box+" button", "View as chart")
		}
	}
	if !found {
		t.Fatalf("the API has no test of P95 on %q", name)
	}
	b.await(t, fmt.Sprintf(`document.querySelector(%q)`, box+" [role=img] canvas"))
	if label := eval[string](t, b, fmt.Sprintf(`document.querySelector(%q).ariaLabel`, box+" [role=img]")); !strings.HasPrefix(label, "P95") || !strings.Contains(label, "days ended inside") {
		t.Errorf("the chart describes itself as %q", label)
	}
	b.clickText(t, box+" tbody button", "P75")
	b.await(t, `new URLSearchParams(location.search).get("rule") === "p75"`)
	b.clickText(t, box+" button", "All keys")
	b.await(t, `new URLSearchParams(location.search).has("pooled")`)
	b.settle(t)
	if all := b.text(t, box); !strings.Contains(all, "keys held") {
		t.Errorf("all keys pooled say\n%s", all)
	}
	b.sound(t, "a back-test of all keys")
	b.axe(t, "a back-test of all keys")
}

// checkObserved compares what hedging really did with the API.
func checkObserved(t *testing.T, d dashboard, b *tab) {
	var a struct {
		Keys []struct {
			Key  map[string]*string
			Set  int64 `json:"with_hedge_after"`
			Wins struct {
				Count, Of int64
			}
			Users struct {
				P95 *float64 `json:"p95_ms"`
			}
			Diagnosis struct{ Reason string }
		}
	}
	get(t, d.p, "/api/v1/hedge/observed", params("from", "now-8d", "to", "now"), &a)
	if len(a.Keys) == 0 || a.Keys[0].Wins.Of == 0 || a.Keys[0].Users.P95 == nil {
		t.Fatalf("the seeded rows hold no hedged request: %+v", a.Keys)
	}
	k := a.Keys[0]
	q := params("from", "now-8d", "to", "now", "key", "model="+*k.Key["model"])
	q.Add("key", "route="+*k.Key["route"])
	b.open(t, "/hedge?"+q.Encode())
	text := words(b.text(t, panel("Observed hedging")))
	for _, want := range []string{"Backup came first", fmt.Sprintf("%s of %s", thousands(k.Wins.Count), thousands(k.Wins.Of)), shown(*k.Users.P95), words(k.Diagnosis.Reason), "Kaplan–Meier", "at least", "control"} {
		if !strings.Contains(text, want) {
			t.Errorf("the panel lacks %q:\n%s", want, text)
		}
	}
	rows := eval[int](t, b, `document.querySelectorAll("[aria-label='Hedged keys'] tbody tr").length`)
	hedged := 0
	for _, k := range a.Keys {
		if k.Set > 0 {
			hedged++
		}
	}
	if rows != hedged {
		t.Errorf("%d rows for %d keys with a delay in force", rows, hedged)
	}
	b.open(t, "/hedge?from=now-8d&to=now&where=route=default")
	if text := b.text(t, panel("Observed hedging")); !strings.Contains(text, "nothing was hedged") {
		t.Errorf("a route that is not hedged says\n%s", text)
	}
}

// checkPolicy changes the policy with the lines that the page gives, and
// takes it along in each form.
func checkPolicy(t *testing.T, d dashboard, b *tab) {
	b.open(t, d.path("/hedge"))
	if text := b.text(t, panel("Policy")); !strings.Contains(text, "No advice is stored") {
		t.Errorf("without advice the policy says\n%s", text)
	}
	if status, body := post(t, d.p, "/api/v1/hedge/advice?from=now-8d&to=now&model=gpt-4o&route=core", "application/json", ""); status != http.StatusOK {
		t.Fatalf("making advice: %d %s", status, body)
	}
	link := "/hedge?from=now-8d&to=now&key=model%3Dgpt-4o&key=route%3Dcore"
	b.open(t, link)
	b.clickText(t, "button", "Copy curl: don't hedge gpt-4o · core for 1 h")
	shell(t, b.clipboard(t))
	b.open(t, link)
	for selector, wants := range map[string][]string{".standing": {"not hedged", "SAY WHY", "local, until"}, panel("Policy"): {"0 of 1 keys are hedged; 1 by a person's override", "SAY WHY"}} {
		for _, want := range wants {
			if text := words(b.text(t, selector)); !strings.Contains(text, want) {
				t.Errorf("%s lacks %q:\n%s", selector, want, text)
			}
		}
	}
	for form, want := range map[string]string{"JSON": `"holdout_share":`, "YAML": "holdout_share:", "Envoy": "# No route is enabled."} {
		got := eval[string](t, b, fmt.Sprintf(`fetch([...document.querySelectorAll(%q)].find((a) => a.textContent === %q).href).then((r) => r.text())`, panel("Policy")+" a[download]", form))
		if !strings.Contains(got, want) {
			t.Errorf("the policy as %s lacks %q: %.300s", form, want, got)
		}
	}
	if text := b.text(t, "main"); strings.Contains(text, "switched off everywhere") {
		t.Errorf("the page says that hedging is off:\n%s", text)
	}
	b.clickText(t, "button", "Copy curl: switch off everywhere for 1 h")
	b.await(t, `document.querySelector(".toast.shown")`)
	shell(t, b.clipboard(t))
	b.open(t, link)
	b.await(t, `document.querySelector("main .alarm")`)
	if text := words(b.text(t, "main .alarm")); !strings.Contains(text, "switched off everywhere by local, until") || !strings.Contains(text, "SAY WHY") {
		t.Errorf("the switch says %q", text)
	}
	b.sound(t, "a policy that is off")
	b.axe(t, "a policy that is off")
}

// shell runs a line that the page gave, as a person would.
func shell(t *testing.T, line string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	out, err := exec.CommandContext(ctx, "sh", "-c", line+" --fail-with-body").CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v %s", line, err, out)
	}
}
