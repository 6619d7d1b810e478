package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"net/url"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	cdpbrowser "github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/target"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"headway/internal/testkit/binary"
)

// dashboard is a seeded server with one browser; every test takes a tab of
// its own.
type dashboard struct {
	p       *binary.Process
	browser context.Context
	window  url.Values // a fixed window over most of the rows
}

func (d dashboard) path(page string, more ...string) string {
	v := params(more...)
	for k, values := range d.window {
		v[k] = values
	}
	return page + "?" + v.Encode()
}

func (d dashboard) ask(more ...string) url.Values {
	v := params(more...)
	for k, values := range d.window {
		v[k] = values
	}
	return v
}

const seededRows = 30_000

// TestDashboard walks through the pages as a person on call does.
func TestDashboard(t *testing.T) {
	t.Parallel()
	p := up(t)
	ok(t, "gen", "--records", strconv.Itoa(seededRows), "--seed", "11", "--from", "now-9d", "--to", "now", "--out", "kafka://"+p.Kafka+"/llm-timing")
	awaitRows(t, p, seededRows)
	now := time.Now().UTC().Truncate(time.Minute)
	d := dashboard{p: p, browser: browser(t), window: params("from", now.Add(-47*time.Hour).Format(time.RFC3339), "to", now.Format(time.RFC3339))}
	for name, test := range map[string]func(*testing.T, dashboard, *tab){
		"headline equals the API":           checkHeadline,
		"breakdown equals the API":          checkBreakdown,
		"copied curl line equals the table": checkCurl,
		"filter, back and forward":          checkFilters,
		"deep link":                         checkDeepLink,
		"zoom":                              checkZoom,
		"one request":                       checkRequest,
		"keyboard":                          checkKeyboard,
		"hedge delay by keyboard and mouse": checkHedge,
		"hedge budget by keyboard":          checkBudget,
		"hedge advice by another key":       checkKinds,
		"hedge back-test":                   checkBacktest,
		"observed hedging":                  checkObserved,
		"no such page":                      checkNowhere,
		"data quality":                      checkQuality,
		"take along":                        checkTake,
		"every page is sound":               checkPages,
		"phone":                             checkPhone,
		"empty":                             checkEmpty,
	} {
		t.Run(name, func(t *testing.T) {
			b := newTab(t, d.browser, p.URL, 1400, 1000)
			test(t, d, b)
			b.quiet(t, true)
		})
	}
	t.Run("hedge policy", func(t *testing.T) { // last: it changes what all others see
		b := newTab(t, d.browser, p.URL, 1400, 1000)
		checkPolicy(t, d, b)
		b.quiet(t, true)
	})
	t.Run("wrong question", func(t *testing.T) { checkWrong(t, newTab(t, d.browser, p.URL, 1400, 1000)) })
	t.Run("failing server", func(t *testing.T) { checkFailing(t, d) })
}

// shown writes a time in ms as the pages do: three digits or whole ms, and
// seconds from 10 s on.
func shown(ms float64) string {
	if math.Abs(ms) >= 10_000 {
		return three(ms/1000) + " s"
	}
	if ms >= 100 {
		return strconv.FormatFloat(math.Round(ms), 'f', 0, 64) + " ms"
	}
	return three(ms) + " ms"
}

func three(v float64) string {
	s := strconv.FormatFloat(v, 'f', max(0, 2-int(math.Floor(math.Log10(math.Max(v, 1e-9))))), 64)
	if strings.Contains(s, ".") {
		s = strings.TrimRight(strings.TrimRight(s, "0"), ".")
	}
	return s
}

// words joins what stands on several lines.
func words(text string) string { return strings.Join(strings.Fields(text), " ") }

func checkHeadline(t *testing.T, d dashboard, b *tab) {
	var a struct {
		Requests     int64
		FailureShare float64 `json:"failure_share"`
		Figures      []struct {
			Title, Unit string
			Now         *float64
			NowN        int64 `json:"now_n"`
			Few         bool  `json:"now_below_min_n"`
		}
	}
	get(t, d.p, "/api/v1/headline", d.window, &a)
	b.open(t, d.path("/"))
	text := b.text(t, "section[aria-label=Headline]")
	checked := 0
	for _, f := range a.Figures {
		if f.Now == nil || f.Unit != "ms" {
			continue
		}
		checked++
		if want := strings.Replace(shown(*f.Now), " ", "", 1); !strings.Contains(strings.ReplaceAll(text, " ", ""), want) {
			t.Errorf("the strip lacks %s %s:\n%s", f.Title, want, text)
		}
	}
	if checked < 6 {
		t.Errorf("the API gave only %d times to compare", checked)
	}
	if want := three(a.FailureShare*100) + " %"; !strings.Contains(text, want) {
		t.Errorf("the strip lacks the failure share %s:\n%s", want, text)
	}
	if want := "n " + thousands(a.Requests); !strings.Contains(text, want) {
		t.Errorf("the strip lacks %q:\n%s", want, text)
	}
	if label := eval[string](t, b, `document.querySelector("main [role=img]").getAttribute("aria-label")`); !strings.Contains(label, "p95 between") {
		t.Errorf("the chart describes itself as %q", label)
	}
	b.shoot(t, "overview-light")
}

// thousands writes a count with spaces.
func thousands(n int64) string {
	s := strconv.FormatInt(n, 10)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + " " + s[i:]
	}
	return s
}

func checkBreakdown(t *testing.T, d dashboard, b *tab) {
	var a struct {
		Groups []struct {
			Value *string
			N     int64
			P95   *float64
		}
	}
	get(t, d.p, "/api/v1/breakdown", d.ask("by", "channel"), &a)
	b.open(t, d.path("/", "by", "channel"))
	text := strings.Split(b.text(t, `section[aria-label="Who is hurt"] tbody`), "\n")
	if len(a.Groups) < 10 {
		t.Fatalf("only %d groups", len(a.Groups))
	}
	all := strings.Join(text, "\n")
	for _, g := range a.Groups {
		row := regexp.MustCompile(`(?m)^` + regexp.QuoteMeta(*g.Value) + `\s[\s\S]*?%[^\n]*$`).FindString(all)
		if !strings.Contains(row, thousands(g.N)) || g.P95 != nil && !strings.Contains(row, shown(*g.P95)) {
			t.Errorf("%s: the row says %q, the API n %d, p95 %v", *g.Value, row, g.N, g.P95)
		}
	}
}

// clipboard returns what the page put on the clipboard.
func (b *tab) clipboard(t *testing.T) string {
	t.Helper()
	info, err := chromedp.Call(b.ctx, target.GetTargetInfo, target.GetTargetInfoParams{})
	if err != nil {
		t.Fatal(err)
	}
	p := cdpbrowser.SetPermissionParams{Permission: &cdpbrowser.PermissionDescriptor{Name: "clipboard-read"}, Setting: cdpbrowser.PermissionSettingGranted,
		Origin: b.base, BrowserContextID: info.TargetInfo.BrowserContextID}
	if _, err := chromedp.Call(b.ctx, cdpbrowser.SetPermission, p); err != nil {
		t.Fatal(err)
	}
	b.await(t, `document.querySelector(".toast.shown")`)
	return eval[string](t, b, `navigator.clipboard.readText()`)
}

func checkCurl(t *testing.T, d dashboard, b *tab) {
	b.open(t, d.path("/"))
	chart := `section[aria-label="Time to First Effective Response"]`
	b.clickText(t, chart+" button", "curl")
	line := b.clipboard(t)
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	raw, err := exec.CommandContext(ctx, "sh", "-c", line).Output()
	if err != nil {
		t.Fatalf("%s: %v", line, err)
	}
	var a struct {
		Series []struct{ Points []struct{ Values []*float64 } }
	}
	if err := json.Unmarshal(raw, &a); err != nil || len(a.Series) != 1 {
		t.Fatalf("%s gave %v %.300s", line, err, raw)
	}
	b.clickText(t, chart+" button", "View as table")
	cells := eval[[][]string](t, b, fmt.Sprintf(`[...document.querySelectorAll(%q)].map((r) => [...r.cells].map((c) => c.innerText))`, chart+" tbody tr"))
	if len(cells) != len(a.Series[0].Points) || len(cells) < 12 {
		t.Fatalf("the table has %d rows, the curl line gave %d", len(cells), len(a.Series[0].Points))
	}
	for i, p := range a.Series[0].Points {
		for q, v := range p.Values {
			got := strings.ReplaceAll(cells[i][len(cells[i])-len(p.Values)+q], "\u00a0", " ")
			if v != nil && got != shown(*v) || v == nil && strings.ContainsAny(got, "0123456789") {
				t.Errorf("row %d percentile %d: the table says %q, the API %v", i, q, got, v)
			}
		}
	}
}

func checkFilters(t *testing.T, d dashboard, b *tab) {
	b.open(t, d.path("/", "by", "provider"))
	all := b.text(t, `section[aria-label="Who is hurt"] tbody`)
	b.clickText(t, `section[aria-label="Who is hurt"] .value`, "anthropic")
	b.clickText(t, ".menu button", "Only anthropic")
	b.await(t, `location.search.includes("where=provider=anthropic")`)
	b.settle(t)
	if rows := b.text(t, `section[aria-label="Who is hurt"] tbody`); strings.Contains(rows, "openai") || !strings.Contains(rows, "anthropic") {
		t.Errorf("filtered rows say\n%s", rows)
	}
	if chips := words(b.text(t, ".chips")); !strings.Contains(chips, "provider is anthropic") {
		t.Errorf("chips say %q", chips)
	}
	eval[bool](t, b, `(history.back(), true)`)
	b.await(t, `!location.search.includes("where")`)
	b.settle(t)
	if rows := b.text(t, `section[aria-label="Who is hurt"] tbody`); rows != all {
		t.Errorf("after going back\n%s\nbefore\n%s", rows, all)
	}
	eval[bool](t, b, `(history.forward(), true)`)
	b.await(t, `location.search.includes("where=provider=anthropic")`)
	b.settle(t)
	b.clickText(t, `section[aria-label="Who is hurt"] .value`, "anthropic")
	b.clickText(t, ".menu button", "Without anthropic")
	b.await(t, `location.search.includes("where=provider!=anthropic")`)
	b.settle(t)
	if rows := b.text(t, `section[aria-label="Who is hurt"] tbody`); strings.Contains(rows, "anthropic") {
		t.Errorf("excluded rows say\n%s", rows)
	}
	b.click(t, `[aria-label^="Remove filter"]`)
	b.await(t, `!location.search.includes("where")`)
}

func checkDeepLink(t *testing.T, d dashboard, b *tab) {
	b.open(t, d.path("/", "metric", "tps", "by", "region", "split", "provider", "scale", "log", "where", "model!=o4-mini", "sort", "time"))
	for selector, want := range map[string]string{`[aria-label="Metric"]`: "tps", `[aria-label="Group by"]`: "region", `[aria-label="Split by"]`: "provider", `[aria-label="Sort"]`: "time"} {
		if got := eval[string](t, b, fmt.Sprintf(`document.querySelector(%q).value`, selector)); got != want {
			t.Errorf("%s shows %q, the link says %q", selector, got, want)
		}
	}
	if text := b.text(t, "main"); !strings.Contains(text, "Visible output rate") || !strings.Contains(text, "tokens/s") || !strings.Contains(text, "anthropic") {
		t.Errorf("the page says\n%s", text)
	}
	if chips := words(b.text(t, ".chips")); !strings.Contains(chips, "model is not o4-mini") {
		t.Errorf("chips say %q", chips)
	}
}

func checkZoom(t *testing.T, d dashboard, b *tab) {
	b.open(t, "/?from=now-24h&to=now")
	box := eval[[]float64](t, b, `(() => { const e = document.querySelector(".u-over"); e.scrollIntoView({ block: "center" }); const r = e.getBoundingClientRect(); return [r.left, r.top, r.width, r.height]; })()`)
	y := box[1] + box[3]/2
	step(t, b, "drag over the chart", chromedp.DragAndDropXY(box[0]+box[2]*0.25, y, box[0]+box[2]*0.5, y))
	b.await(t, `/from=\d{4}-/.test(location.search)`)
	span := func() float64 {
		return eval[float64](t, b, `(() => { const p = new URLSearchParams(location.search); return (Date.parse(p.get("to")) - Date.parse(p.get("from"))) / 3.6e6; })()`)
	}
	hours := span()
	if hours < 5 || hours > 7.5 {
		t.Errorf("a drag over a quarter of a day chose %v hours", hours)
	}
	b.settle(t)
	b.click(t, `[aria-label="Zoom out"]`)
	b.settle(t)
	if wide := span(); math.Abs(wide-2*hours) > 0.01 {
		t.Errorf("zooming out of %v hours gave %v", hours, wide)
	}
	b.open(t, "/?from=now-24h&to=now")
	b.click(t, `[aria-label="Copy absolute link"]`)
	link, err := url.Parse(b.clipboard(t))
	if err != nil || !strings.HasPrefix(link.Query().Get("from"), "20") || !strings.HasPrefix(link.Query().Get("to"), "20") {
		t.Errorf("the absolute link is %v %v", link, err)
	}
	if relative := eval[string](t, b, `location.search`); relative != "?from=now-24h&to=now" {
		t.Errorf("copying a link changed the address to %s", relative)
	}
}

func checkRequest(t *testing.T, d dashboard, b *tab) {
	b.open(t, d.path("/requests", "sort", "slow"))
	b.click(t, `td [data-open]`)
	b.await(t, `document.querySelector("dialog[open] .lanes")`)
	b.settle(t)
	id := eval[string](t, b, `new URLSearchParams(location.search).get("open")`)
	var a struct {
		Percentile *float64
		CohortN    int64 `json:"cohort_n"`
		Attempts   []struct {
			Spans []struct {
				Start float64 `json:"start_ms"`
				End   float64 `json:"end_ms"`
			}
		}
	}
	get(t, d.p, "/api/v1/requests/"+id, url.Values{}, &a)
	text := b.text(t, "dialog")
	if !strings.Contains(text, id) || !strings.Contains(text, "primary") || a.Percentile != nil && !strings.Contains(text, "n "+thousands(a.CohortN)) {
		t.Errorf("request %s says\n%s", id, text)
	}
	for _, s := range a.Attempts[0].Spans {
		if want := shown(s.End - s.Start); !strings.Contains(text, want) {
			t.Errorf("request %s lacks a stage of %s:\n%s", id, want, text)
		}
	}
	b.axe(t, "an open request")
	b.shoot(t, "request-light")
	b.shortcut(t, "j")
	b.await(t, fmt.Sprintf(`new URLSearchParams(location.search).get("open") !== %q`, id))
	b.settle(t)
	b.press(t, kb.Escape)
	b.await(t, `!location.search.includes("open=") && !document.querySelector("dialog[open]")`)
	b.open(t, d.path("/requests", "open", id)) // the link alone opens it
	b.await(t, `document.querySelector("dialog[open] .lanes")`)
}

func checkQuality(t *testing.T, d dashboard, b *tab) {
	var a struct {
		Sources []struct {
			Rows     int64
			Coverage map[string]float64
		}
	}
	get(t, d.p, "/api/v1/quality", d.window, &a)
	b.open(t, d.path("/quality"))
	text := b.text(t, "main")
	for _, want := range []string{"headway", thousands(a.Sources[0].Rows), "gw-1", "first_response_ms", three(a.Sources[0].Coverage["first_response_ms"]*100) + " %", "Not measured by any source"} {
		if !strings.Contains(text, want) {
			t.Errorf("the page lacks %q:\n%s", want, text)
		}
	}
	b.shoot(t, "quality-light")
}
