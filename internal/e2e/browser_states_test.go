package e2e

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/chromedp/chromedp/kb"
)

var pages = []string{"/", "/hedge", "/requests", "/quality"}

// checkPages looks at every page in both colour schemes.
func checkPages(t *testing.T, d dashboard, b *tab) {
	for _, dark := range []bool{false, true} {
		b.dark(t, dark)
		scheme := map[bool]string{false: "light", true: "dark"}[dark]
		backgrounds := map[string]bool{}
		for _, page := range pages {
			b.open(t, d.path(page))
			b.sound(t, page+" "+scheme)
			b.axe(t, page+" "+scheme)
			b.shoot(t, "page"+strings.ReplaceAll(page, "/", "-")+"-"+scheme)
			backgrounds[eval[string](t, b, `getComputedStyle(document.body).backgroundColor`)] = true
		}
		if len(backgrounds) != 1 || dark == backgrounds["rgb(246, 247, 249)"] {
			t.Errorf("%s: backgrounds %v", scheme, backgrounds)
		}
	}
	b.click(t, `[aria-label^="Colour theme"]`) // auto, then dark, then light
	b.click(t, `[aria-label^="Colour theme"]`)
	if got := eval[string](t, b, `getComputedStyle(document.body).backgroundColor`); got != "rgb(246, 247, 249)" {
		t.Errorf("the light theme on a dark system has the background %s", got)
	}
}

// checkPhone looks at every page on a narrow screen.
func checkPhone(t *testing.T, d dashboard, b *tab) {
	b.size(t, 390, 844)
	for _, page := range pages {
		b.open(t, d.path(page))
		b.sound(t, page+" on a phone")
		b.axe(t, page+" on a phone")
		b.shoot(t, "narrow"+strings.ReplaceAll(page, "/", "-"))
	}
	b.click(t, ".narrow")
	b.await(t, `document.querySelector("[aria-label='Quick range']").checkVisibility()`)
	b.sound(t, "open tools on a phone")
	b.open(t, d.path("/requests"))
	b.click(t, "td [data-open]")
	b.await(t, `document.querySelector("dialog[open] .lanes")`)
	b.settle(t)
	b.sound(t, "an open request on a phone")
}

// checkEmpty opens windows without a row.
func checkEmpty(t *testing.T, _ dashboard, b *tab) {
	for page, want := range map[string]string{"/": "Widen the range", "/hedge": "widen the range", "/requests": "Widen the range", "/quality": "Nothing arrived"} {
		b.open(t, page+"?from=2020-01-01T00:00:00Z&to=2020-01-02T00:00:00Z")
		if text := b.text(t, ".empty"); !strings.Contains(text, want) {
			t.Errorf("%s without rows says %q", page, text)
		}
		b.sound(t, page+" without rows")
		b.axe(t, page+" without rows")
	}
	b.open(t, "/requests?from=now-1h&to=now&open=no-such-request")
	b.await(t, `document.querySelector("dialog .failed")`)
	if text := b.text(t, "dialog .failed"); !strings.Contains(text, "Request id") {
		t.Errorf("an unknown request says %q", text)
	}
	b.mu.Lock()
	b.network = nil // the unknown request is a 404 by intent
	b.mu.Unlock()
}

// checkWrong asks a question with a mistake in it.
func checkWrong(t *testing.T, b *tab) {
	b.open(t, "/?from=now-1h&to=now&where=modle=x")
	text := b.text(t, ".failed")
	for _, want := range []string{"modle", "model", "Retry", "Request id"} {
		if !strings.Contains(text, want) {
			t.Errorf("a wrong filter lacks %q: %q", want, text)
		}
	}
	b.sound(t, "a wrong question")
	b.axe(t, "a wrong question")
	b.shoot(t, "wrong")
	b.click(t, `[aria-label^="Remove filter"]`)
	b.settle(t)
	b.await(t, `!document.querySelector(".failed")`)
	b.quiet(t, false)
}

// weather is a proxy before the server whose weather a test makes.
type weather struct {
	http.Handler
	broken, hanging atomic.Bool
	waiting, gone   atomic.Int64 // questions held, and those that the page gave up
}

func (w *weather) ServeHTTP(out http.ResponseWriter, in *http.Request) {
	question := strings.HasPrefix(in.URL.Path, "/api/v1/latency")
	switch {
	case question && w.broken.Load():
		http.Error(out, "<h1>bad gateway</h1>", http.StatusBadGateway)
	case question && w.hanging.Load():
		w.waiting.Add(1)
		<-in.Context().Done()
		w.gone.Add(1)
	default:
		w.Handler.ServeHTTP(out, in)
	}
}

// checkFailing lets the server fail, mend and hang.
func checkFailing(t *testing.T, d dashboard) {
	target, err := url.Parse(d.p.URL)
	if err != nil {
		t.Fatal(err)
	}
	w := &weather{Handler: httputil.NewSingleHostReverseProxy(target)}
	server := httptest.NewServer(w)
	t.Cleanup(server.Close)
	b := newTab(t, d.browser, server.URL, 1400, 1000)
	w.broken.Store(true)
	b.open(t, d.path("/"))
	if text := b.text(t, ".card .failed"); !strings.Contains(text, "502") || !strings.Contains(text, "Retry") {
		t.Errorf("a broken answer says %q", text)
	}
	b.sound(t, "a broken server")
	w.broken.Store(false)
	b.clickText(t, ".card .failed button", "Retry")
	b.await(t, `!document.querySelector(".failed") && document.querySelector(".u-over")`)
	b.settle(t)
	w.broken.Store(true) // a refresh that fails keeps the last good answer
	b.shortcut(t, "r")
	b.await(t, `document.querySelector(".card .failed")`)
	if text := b.text(t, ".card .failed"); !strings.Contains(text, "last good answer") || !eval[bool](t, b, `!!document.querySelector(".u-over")`) {
		t.Errorf("a failed refresh says %q", text)
	}
	w.broken.Store(false)
	w.hanging.Store(true)
	b.choose(t, `[aria-label="Metric"]`, "tps")
	b.await(t, `document.querySelector(".card[aria-busy=true]")`)
	eventually(t, d.p, "the question is held", func() bool { return w.waiting.Load() == 1 })
	w.hanging.Store(false)
	b.choose(t, `[aria-label="Metric"]`, "total_handler_ms")
	b.settle(t)
	eventually(t, d.p, "the old question is given up", func() bool { return w.gone.Load() == 1 })
	if title := b.text(t, ".card h2"); title != "Handler total" {
		t.Errorf("after the change the chart is %q", title)
	}
	b.quiet(t, false)
}

// checkKeyboard works the page without a mouse.
func checkKeyboard(t *testing.T, d dashboard, b *tab) {
	b.open(t, d.path("/requests"))
	b.shortcut(t, "?")
	b.await(t, `document.querySelector("dialog[open][aria-label=Help]")`)
	b.axe(t, "help")
	b.press(t, kb.Escape)
	b.await(t, `!document.querySelector("dialog[open]")`)
	b.shortcut(t, "j")
	first := eval[string](t, b, `document.activeElement.dataset.open ?? ""`)
	b.shortcut(t, "j")
	second := eval[string](t, b, `document.activeElement.dataset.open ?? ""`)
	b.shortcut(t, "k")
	if back := eval[string](t, b, `document.activeElement.dataset.open ?? ""`); first == "" || second == "" || first == second || back != first {
		t.Errorf("j, j, k went to %q, %q, %q", first, second, back)
	}
	b.press(t, kb.Enter)
	b.await(t, fmt.Sprintf(`new URLSearchParams(location.search).get("open") === %q`, first))
	b.press(t, kb.Escape)
	b.await(t, `!document.querySelector("dialog[open]")`)
	b.shortcut(t, "/")
	b.await(t, `document.activeElement?.getAttribute("role") === "combobox"`)
	b.press(t, "model=claude-s")
	if typed := eval[string](t, b, `document.activeElement.value`); typed != "model=claude-s" {
		t.Fatalf("typing into the search box gave %q", typed)
	}
	b.await(t, `[...document.querySelectorAll("#hits li")].some((l) => l.textContent.includes("claude-sonnet-4"))`)
	b.axe(t, "search")
	b.press(t, kb.Enter)
	b.await(t, `location.search.includes("where=model=claude-sonnet-4")`)
	b.settle(t)
	if rows := b.text(t, "table.list tbody"); strings.Contains(rows, "gpt-4o") {
		t.Errorf("after the search the list says\n%s", rows)
	}
	asked := `performance.getEntriesByType("resource").filter((e) => e.name.includes("/api/v1/requests")).length`
	before := eval[int](t, b, asked)
	b.shortcut(t, "r")
	b.await(t, fmt.Sprintf("%s > %d", asked, before))
	b.settle(t)
}

// checkTake takes a panel along as picture, CSV and SQL.
func checkTake(t *testing.T, d dashboard, b *tab) {
	b.open(t, d.path("/"))
	eval[bool](t, b, `(() => { const make = URL.createObjectURL; URL.createObjectURL = (blob) => { window.taken = blob; return make.call(URL, blob); }; return true; })()`)
	b.clickText(t, "main button", "PNG")
	b.await(t, `window.taken`)
	head := eval[[]int](t, b, `window.taken.arrayBuffer().then((a) => [a.byteLength, ...new Uint8Array(a).slice(0, 4)])`)
	if head[0] < 10_000 || head[1] != 0x89 || head[2] != 'P' || head[3] != 'N' || head[4] != 'G' {
		t.Errorf("the picture begins with %v", head)
	}
	chart := `section[aria-label="Time to First Effective Response"]`
	b.clickText(t, chart+" button", "SQL")
	if sql := b.clipboard(t); !strings.Contains(sql, "SET param_from = ") || !strings.Contains(sql, "SELECT") {
		t.Errorf("the SQL is %.300s", sql)
	}
	csv := eval[string](t, b, fmt.Sprintf(`fetch(document.querySelector(%q).href).then((r) => r.text())`, chart+" a[download]"))
	if lines := strings.Split(csv, "\n"); len(lines) < 12 || !strings.Contains(lines[0], "p95") {
		t.Errorf("the CSV begins with %.200s", csv)
	}
}
