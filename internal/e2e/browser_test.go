package e2e

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// patience bounds one step in the browser, also on a busy machine.
const patience = 60 * time.Second

// tab is a browser tab of its own profile, with everything it complained of.
type tab struct {
	ctx  context.Context
	base string // address of the server that it looks at
	mu   sync.Mutex
	// complaints are exceptions, console errors and broken rules; network
	// ones are failed requests, which some tests provoke.
	complaints, network []string
}

// chromium finds the browser; its absence fails the test, with the remedy.
func chromium(t *testing.T) string {
	t.Helper()
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	t.Fatal("no Chromium is installed: run scripts/setup chromium (as root), or install the package chromium")
	return ""
}

// browser starts the one browser process of a test; the test's end stops it.
func browser(t *testing.T) context.Context {
	t.Helper()
	options := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(chromium(t)), chromedp.NoSandbox, chromedp.DisableGPU, chromedp.UserDataDir(t.TempDir()),
		chromedp.Flag("disable-background-networking", true), chromedp.Flag("disable-component-update", true),
		chromedp.Flag("disable-quic", true), chromedp.Flag("disable-sync", true), chromedp.WSURLReadTimeout(patience))
	allocated, stop := chromedp.NewExecAllocator(context.Background(), options...)
	ctx, closeAll := chromedp.NewContext(allocated)
	t.Cleanup(func() {
		limited, cancel := context.WithTimeout(ctx, patience)
		defer cancel()
		if err := chromedp.Cancel(limited); err != nil {
			t.Errorf("closing the browser: %v", err)
		}
		closeAll()
		stop()
	})
	if err := chromedp.Do(ctx); err != nil {
		t.Fatal(err)
	}
	return ctx
}

// newTab opens an isolated tab of the given size on the server at base.
func newTab(t *testing.T, browser context.Context, base string, width, height int64) *tab {
	t.Helper()
	b := &tab{base: base}
	ctx, closeTab := chromedp.NewContext(browser, chromedp.WithNewBrowserContext(), chromedp.WithListener(b.listen))
	b.ctx = ctx
	t.Cleanup(closeTab)
	if err := chromedp.Do(ctx); err != nil { // opens the tab, whose life is that of ctx
		t.Fatal(err)
	}
	if _, err := chromedp.Call(ctx, log.Enable, struct{}{}); err != nil {
		t.Fatal(err)
	}
	b.size(t, width, height)
	b.dark(t, false)
	return b
}

func (b *tab) listen(event any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch e := event.(type) {
	case *runtime.EventExceptionThrown:
		b.complaints = append(b.complaints, fmt.Sprintf("exception: %v", e.ExceptionDetails))
	case *runtime.EventConsoleAPICalled:
		if e.Type == runtime.ConsoleAPICalledTypeError || e.Type == runtime.ConsoleAPICalledTypeWarning {
			b.complaints = append(b.complaints, fmt.Sprintf("console: %v", e.Args))
		}
	case *log.EventEntryAdded:
		switch {
		case e.Entry.Source == log.EntrySourceNetwork:
			b.network = append(b.network, e.Entry.Text+" "+e.Entry.URL)
		case e.Entry.Level != log.EntryLevelVerbose && e.Entry.Level != log.EntryLevelInfo:
			b.complaints = append(b.complaints, "log: "+e.Entry.Text+" "+e.Entry.URL)
		}
	}
}

// quiet fails the test for everything that the page complained of: errors,
// warnings, broken content rules, and failed requests unless they are meant.
func (b *tab) quiet(t *testing.T, networkToo bool) {
	t.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, c := range b.complaints {
		t.Errorf("the page complained: %s", c)
	}
	if !networkToo {
		return
	}
	for _, c := range b.network {
		t.Errorf("a request failed: %s", c)
	}
}

// step runs one action with a time limit and returns what it gave.
func step[T any](t *testing.T, b *tab, what string, action chromedp.Action[T]) T {
	t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, patience)
	defer cancel()
	out, err := chromedp.Run(ctx, action)
	if err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	return out
}

// eval returns what an expression in the page gives.
func eval[T any](t *testing.T, b *tab, expression string) T {
	t.Helper()
	return step(t, b, expression, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
}

// await waits until an expression in the page is true.
func (b *tab) await(t *testing.T, expression string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, patience)
	defer cancel()
	_, err := chromedp.Run(ctx, chromedp.Poll[chromedp.Void](expression, chromedp.WithPollingTimeout(patience), chromedp.WithPollingInterval(50*time.Millisecond)))
	if err != nil {
		b.mu.Lock()
		said := strings.Join(append(b.complaints, b.network...), "\n")
		b.mu.Unlock()
		t.Fatalf("waiting for %s: %v\n%s\nat %s\nfocus on %s\nwaiting: %s\n%s", expression, err, said, eval[string](t, b, "location.href"),
			eval[string](t, b, `document.activeElement?.outerHTML.slice(0, 200) ?? "nothing"`),
			eval[string](t, b, `[...document.querySelectorAll(".skeleton, [aria-busy=true], .failed")].map((e) => e.className + " " + (e.ariaLabel ?? "") + " " + e.innerText.slice(0, 200)).join("; ")`), b.text(t, "dialog[open]"))
	}
}

// settled is true when no panel waits for an answer and the charts are drawn.
const settled = `document.querySelector("main") && !document.querySelector(".skeleton, [aria-busy=true]") && document.fonts.status === "loaded"`

// open goes to an address and waits until the page is settled.
func (b *tab) open(t *testing.T, path string) {
	t.Helper()
	step(t, b, "opening "+path, chromedp.Navigate(b.base+path))
	b.settle(t)
}

// settle waits until the page is settled, over two frames, since a changed
// address asks its questions after the next one.
func (b *tab) settle(t *testing.T) {
	t.Helper()
	b.frames(t)
	b.await(t, settled)
	b.frames(t)
	b.await(t, settled)
}

func (b *tab) frames(t *testing.T) {
	t.Helper()
	eval[bool](t, b, `new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(() => done(true), 0))))`)
}

// text returns what a part of the page says, as people see it.
func (b *tab) text(t *testing.T, selector string) string {
	t.Helper()
	raw := eval[string](t, b, fmt.Sprintf(`document.querySelector(%q)?.innerText ?? "(nothing matches)"`, selector))
	return strings.NewReplacer("\u00a0", " ", "\u202f", " ").Replace(raw)
}

// point is the middle of the first element that an expression gives, scrolled
// into view.
func (b *tab) point(t *testing.T, element string) (x, y float64) {
	t.Helper()
	p := eval[[]float64](t, b, fmt.Sprintf(`(() => { const e = %s; e.scrollIntoView({ block: "center" }); const r = e.getBoundingClientRect(); return [r.left + r.width / 2, r.top + r.height / 2]; })()`, element))
	return p[0], p[1]
}

// click clicks with the mouse on the first element that matches.
func (b *tab) click(t *testing.T, selector string) {
	t.Helper()
	b.await(t, fmt.Sprintf(`document.querySelector(%q)`, selector))
	b.clickOn(t, fmt.Sprintf(`document.querySelector(%q)`, selector))
}

// clickText clicks on the first element that matches and says exactly text.
func (b *tab) clickText(t *testing.T, selector, text string) {
	t.Helper()
	e := fmt.Sprintf(`[...document.querySelectorAll(%q)].find((e) => e.textContent.trim() === %q)`, selector, text)
	b.await(t, e)
	b.clickOn(t, e)
}

func (b *tab) clickOn(t *testing.T, element string) {
	t.Helper()
	x, y := b.point(t, element)
	step(t, b, "click on "+element, chromedp.MouseClickXY(x, y))
}

// press types keys at whatever has the focus.
func (b *tab) press(t *testing.T, keys string) {
	t.Helper()
	step(t, b, fmt.Sprintf("press %q", keys), chromedp.KeyEvent(keys))
}

// shortcut presses one key as a keyboard does: a page that takes the key
// keeps its character from being typed, which press, with an event of its own
// for the character, can't show.
func (b *tab) shortcut(t *testing.T, key string) {
	t.Helper()
	for _, p := range []input.DispatchKeyEventParams{
		{Type: input.DispatchKeyEventTypeKeyDown, Key: key, Text: key},
		{Type: input.DispatchKeyEventTypeKeyUp, Key: key},
	} {
		if _, err := chromedp.Call(b.ctx, input.DispatchKeyEvent, p); err != nil {
			t.Fatalf("key %s: %v", key, err)
		}
	}
}

// choose picks an option of a drop-down by its value, as a person's choice.
func (b *tab) choose(t *testing.T, selector, value string) {
	t.Helper()
	eval[bool](t, b, fmt.Sprintf(`(() => { const e = document.querySelector(%q); e.value = %q; e.dispatchEvent(new Event("change", { bubbles: true })); return true; })()`, selector, value))
}

func (b *tab) size(t *testing.T, width, height int64) {
	t.Helper()
	p := emulation.SetDeviceMetricsOverrideParams{Width: width, Height: height, DeviceScaleFactor: 1, Mobile: width < 600}
	if _, err := chromedp.Call(b.ctx, emulation.SetDeviceMetricsOverride, p); err != nil {
		t.Fatal(err)
	}
}

func (b *tab) dark(t *testing.T, on bool) {
	t.Helper()
	value := map[bool]string{true: "dark", false: "light"}[on]
	p := emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: value}, {Name: "prefers-reduced-motion", Value: "reduce"}}}
	if _, err := chromedp.Call(b.ctx, emulation.SetEmulatedMedia, p); err != nil {
		t.Fatal(err)
	}
}

// shoot keeps a screenshot in the folder HEADWAY_SHOTS, where one is named.
func (b *tab) shoot(t *testing.T, name string) {
	t.Helper()
	dir := os.Getenv("HEADWAY_SHOTS")
	if dir == "" {
		return
	}
	raw := step(t, b, "screenshot", chromedp.CaptureScreenshot())
	if !bytes.HasPrefix(raw, []byte("\x89PNG")) {
		t.Errorf("screenshot %s is no PNG", name)
	}
	if err := os.WriteFile(filepath.Join(dir, name+".png"), raw, 0o644); err != nil {
		t.Error(err)
	}
}

// axe fails the test for every serious or critical finding of axe-core.
func (b *tab) axe(t *testing.T, what string) {
	t.Helper()
	source, err := os.ReadFile("../../web/node_modules/axe-core/axe.min.js")
	if err != nil {
		t.Fatalf("%v; run make setup", err)
	}
	eval[bool](t, b, string(source)+"; true")
	found := eval[[]string](t, b, `axe.run().then((r) => r.violations.filter((v) => v.impact === "serious" || v.impact === "critical")
		.map((v) => v.id + ": " + v.nodes.slice(0, 3).map((n) => n.target.join(" ") + " " + n.failureSummary).join("; ")))`)
	for _, f := range found {
		t.Errorf("accessibility of %s: %s", what, f)
	}
}

// sound fails the test where the page shows a value that is none, or is wider
// than its screen. Warnings are the server's sentences and may speak of nulls.
func (b *tab) sound(t *testing.T, what string) {
	t.Helper()
	text := eval[string](t, b, `(() => { const c = document.body.cloneNode(true); c.querySelectorAll(".warning").forEach((w) => w.remove()); return c.textContent; })()`)
	for _, bad := range []string{"NaN", "undefined", "null", "Infinity", "[object"} {
		if strings.Contains(text, bad) {
			t.Errorf("%s shows %q:\n%s", what, bad, text)
		}
	}
	if over := eval[float64](t, b, `document.documentElement.scrollWidth - innerWidth`); over > 0 {
		t.Errorf("%s is %v px wider than its screen", what, over)
	}
}
