package e2e

import (
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"headway/internal/testkit/binary"
)

type proportionAnswer struct {
	Count, Of int64
}

// TestHedgedTraffic lands a week of hedged requests: what hedging really did
// equals what the generator counted, advice uses the pairs, and it can be made
// again byte for byte.
func TestHedgedTraffic(t *testing.T) {
	t.Parallel()
	conf := filepath.Join(t.TempDir(), "headway.yaml")
	if err := os.WriteFile(conf, []byte("hedge:\n  currency: USD\n  prices: {m: {input: 2, output: 10}}\n  routes: {core: {tier: core, budget: 0.2}}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	p := up(t, "--config", conf)
	traffic := newHedgedTraffic(t, 4000, time.Now())
	importText(t, p, traffic.text)
	awaitRows(t, p, traffic.records)
	observed(t, p, traffic)
	id := advise(t, p, traffic)
	policy(t, p, id)
	lastGood(t, p)
}

func observed(t *testing.T, p *binary.Process, want hedgedTraffic) {
	t.Helper()
	var a struct {
		Keys []struct {
			Requests int64
			Set      int64 `json:"with_hedge_after"`
			Beyond   proportionAnswer
			Hedged   proportionAnswer
			Kept     proportionAnswer
			Wins     proportionAnswer
			Success  proportionAnswer `json:"backup_success"`
			Backups  int64
			Users    struct {
				P95Ms float64 `json:"p95_ms"`
			}
			Unhedged struct {
				P95Ms *float64 `json:"p95_ms"`
			} `json:"unhedged_estimate"`
			Extra struct {
				Input int64 `json:"measured_input"`
			} `json:"extra_tokens"`
		}
	}
	get(t, p, "/api/v1/hedge/observed", params("from", "now-7d/d", "to", "now"), &a)
	if len(a.Keys) != 1 {
		t.Fatalf("%d keys", len(a.Keys))
	}
	k := a.Keys[0]
	for _, c := range []struct {
		name      string
		got, want int64
	}{
		{"requests", k.Requests, want.requests}, {"with a delay", k.Set, want.set}, {"beyond", k.Beyond.Count, want.beyond}, {"hedged", k.Hedged.Count, want.hedged},
		{"kept", k.Kept.Count, want.kept}, {"backups", k.Backups, want.backups}, {"wins", k.Wins.Count, want.wins}, {"of hedged", k.Wins.Of, want.hedged},
		{"succeeded", k.Success.Count, want.succeeded}, {"extra input", k.Extra.Input, want.extraInput},
	} {
		if c.got != c.want {
			t.Errorf("%s: %d, the generator counted %d", c.name, c.got, c.want)
		}
	}
	if want.wins == 0 || want.kept == 0 || want.backupsCancelled == 0 {
		t.Fatalf("the traffic shows nothing: %+v", want)
	}
}

// advise stores advice from the pairs, twice, makes it again, and returns its
// id.
func advise(t *testing.T, p *binary.Process, want hedgedTraffic) string {
	t.Helper()
	var made struct {
		New    int
		Advice []struct {
			ID      string `json:"advice_id"`
			Verdict string
		}
	}
	for round, fresh := range []int{1, 0} {
		if err := json.Unmarshal([]byte(ok(t, "advise", "--store", "--server", p.URL)), &made); err != nil || made.New != fresh || len(made.Advice) != 1 {
			t.Fatalf("round %d: %v, %+v", round, err, made)
		}
	}
	id := made.Advice[0].ID
	var stored struct {
		Answer struct {
			After struct {
				Measured *struct {
					Pairs    int64
					PairKind string `json:"pair_kind"`
				}
			}
			Cost struct {
				MoneyLow *float64 `json:"money_low"`
			}
		}
	}
	get(t, p, "/api/v1/hedge/advice/"+id, nil, &stored)
	if m := stored.Answer.After.Measured; m == nil || m.PairKind != "hedged" || m.Pairs == 0 || m.Pairs > want.wins+want.backupsCancelled || stored.Answer.Cost.MoneyLow == nil {
		t.Errorf("measured case %+v of %d pairs", m, want.wins+want.backupsCancelled)
	}
	if text := ok(t, "advise", "--reproduce", id, "--server", p.URL); !strings.Contains(text, "byte for byte") {
		t.Errorf("made again: %s", text)
	}
	if _, stderr, code := run(t, "", "advise", "--reproduce", "adv-none", "--server", p.URL); code != 1 || !strings.Contains(stderr, "no advice with this id") {
		t.Errorf("unknown id: %d %s", code, stderr)
	}
	// A row that is stored later is not in advice of then.
	importText(t, p, strings.ReplaceAll(strings.SplitN(want.text, "\n", 2)[0], "r000", "later")+"\n")
	awaitRows(t, p, want.records+1)
	ok(t, "advise", "--reproduce", id, "--server", p.URL)
	return id
}

// policy follows the advice, an override and the switch, with ETags.
func policy(t *testing.T, p *binary.Process, id string) {
	t.Helper()
	first := poll(t, p, "")
	if len(first.Keys) != 1 || first.Keys[0].AdviceID != id || first.status != 200 {
		t.Fatalf("%+v", first)
	}
	if again := poll(t, p, first.etag); again.status != http.StatusNotModified {
		t.Errorf("unchanged: %d", again.status)
	}
	if _, stderr, code := run(t, "", "policy", "off", "--for", "1h", "--server", p.URL); code != 2 || !strings.Contains(stderr, "say why") {
		t.Errorf("without a reason: %d %s", code, stderr)
	}
	ok(t, "policy", "override", "--key", "model=m", "--key", "route=core", "--enable", "--hedge-after", "1500ms", "--for", "2h", "--why", "drill", "--server", p.URL)
	over := poll(t, p, first.etag)
	if over.status != 200 || !over.Keys[0].Enabled || over.Keys[0].HedgeAfterMs != 1500 {
		t.Errorf("overridden: %+v", over)
	}
	ok(t, "policy", "off", "--for", "1h", "--why", "test", "--server", p.URL)
	if off := poll(t, p, over.etag); off.status != 200 || off.Keys[0].Enabled {
		t.Errorf("off: %+v", off)
	}
	ok(t, "policy", "on", "--why", "test is over", "--server", p.URL)
	if on := poll(t, p, over.etag); on.status != http.StatusNotModified {
		t.Errorf("on again is what it was: %+v", on)
	}
	if text := ok(t, "query", "policy-changes", "--server", p.URL, "-o", "csv"); strings.Count(text, "\n") != 4 {
		t.Errorf("changes: %s", text)
	}
	if text := ok(t, "policy", "get", "-o", "envoy", "--server", p.URL); !strings.Contains(text, "per_try_timeout: 1.500s") {
		t.Errorf("envoy: %s", text)
	}
}

// lastGood kills the engine and polls on: the policy stays, and no poll fails.
func lastGood(t *testing.T, p *binary.Process) {
	t.Helper()
	stale := false
	deadline := time.Now().Add(90 * time.Second)
	for !stale && time.Now().Before(deadline) {
		if pid := enginePID(p.PID()); pid != 0 {
			_ = syscall.Kill(pid, syscall.SIGSTOP) // it answers nobody, and is not started again
			defer func() { _ = syscall.Kill(pid, syscall.SIGCONT) }()
		}
		got := poll(t, p, "")
		if got.status != 200 || !got.Keys[0].Enabled || got.Keys[0].HedgeAfterMs != 1500 {
			t.Fatalf("while the engine is stopped: %+v", got)
		}
		if stale = got.Stale; stale && (len(got.Warnings) != 1 || got.age == "") {
			t.Errorf("stale: %+v", got)
		}
	}
	if !stale {
		t.Error("the policy never said that it is stale")
	}
}

type polled struct {
	status    int
	etag, age string
	Stale     bool
	Warnings  []string
	Keys      []struct {
		Enabled      bool
		HedgeAfterMs float64 `json:"hedge_after_ms"`
		AdviceID     string  `json:"advice_id"`
	}
}

// poll reads the policy as a gateway does.
func poll(t *testing.T, p *binary.Process, etag string) (out polled) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, p.URL+"/api/v1/hedge/policy", nil)
	if err != nil {
		t.Fatal(err)
	}
	if etag != "" {
		req.Header.Set("If-None-Match", etag)
	}
	client := http.Client{Timeout: time.Minute}
	resp, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	out.status, out.etag, out.age = resp.StatusCode, resp.Header.Get("ETag"), resp.Header.Get("Headway-Policy-Age")
	if resp.StatusCode == http.StatusOK {
		if err := json.Unmarshal(raw, &out); err != nil {
			t.Fatal(err)
		}
	}
	return out
}
