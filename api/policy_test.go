package api

import (
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/goccy/go-yaml"

	"headway/query"
)

// policyBench is a server whose clock a test moves.
func policyBench(t *testing.T, now *time.Time, change func(*Options)) *bench {
	return newBench(t, func(o *Options) {
		o.Now = func() time.Time { return *now }
		o.Hedge.Routes = map[string]RouteSettings{"core": {Tier: TierCore, Budget: 0.1, Cap: 20 * time.Second}, "pay": {Tier: TierCore, SideEffects: true}}
		if change != nil {
			change(o)
		}
	})
}

func adviceFor(route, verdict string, ms float64, madeAt time.Time) query.StoredAdvice {
	answer, _ := json.Marshal(Advice{Verdict: verdict, HedgeAfterMs: ptr(ms)})
	to := madeAt.Truncate(24 * time.Hour)
	return query.StoredAdvice{ID: "adv-" + route + "-" + verdict, MadeAt: madeAt, Key: query.KeyText(map[string]string{"model": "m", "route": route}),
		Window: query.Window{From: to.Add(-week), To: to}, Horizon: to, Version: adviceVersion, Answer: string(answer)}
}

func keyOfRoute(t *testing.T, p Policy, route string) PolicyKey {
	t.Helper()
	for _, k := range p.Keys {
		if k.Route != nil && *k.Route == route {
			return k
		}
	}
	t.Fatalf("no key of route %s in %+v", route, p.Keys)
	return PolicyKey{}
}

func TestPolicyFollowsVerdictAndTier(t *testing.T) {
	now := clock
	b := policyBench(t, &now, nil)
	b.shelf.advice = []query.StoredAdvice{adviceFor("core", "hedge", 900, clock.Add(-time.Hour)), adviceFor("slow", "hedge", 800, clock.Add(-time.Hour)),
		adviceFor("pay", "hedge", 700, clock.Add(-time.Hour))}
	for _, v := range []string{"do_not_hedge", "unstable", "censored", "unsafe", "insufficient_data", "", "unheard of"} {
		a := adviceFor("core", v, 500, clock.Add(-time.Hour))
		a.Key = query.KeyText(map[string]string{"model": "verdict " + v, "route": "core"})
		b.shelf.advice = append(b.shelf.advice, a)
	}
	p := decode[Policy](t, b.get("/api/v1/hedge/policy"))
	if p.HoldoutShare != 0.05 || len(p.Keys) != 10 || p.Off != nil || p.Stale {
		t.Errorf("%+v", p)
	}
	for _, k := range p.Keys {
		want := *k.Model == "m" && *k.Route == "core"
		if k.Enabled != want || k.Reason == "" {
			t.Errorf("%s/%s: enabled %v because %s", *k.Model, *k.Route, k.Enabled, k.Reason)
		}
		if want && (!near(k.HedgeAfterMs, 900) || *k.Q != 1 || *k.Budget != 0.1 || *k.Verdict != "hedge" || *k.AdviceID != "adv-core-hedge" || *k.ValidUntil != stamp(clock.Add(-time.Hour+8*24*time.Hour))) {
			t.Errorf("%+v", k)
		}
	}
	only := decode[Policy](t, b.get("/api/v1/hedge/policy?route=slow&model=m"))
	if len(only.Keys) != 1 || *only.Keys[0].Route != "slow" {
		t.Errorf("filtered: %+v", only.Keys)
	}
	now = clock.Add(9 * 24 * time.Hour)
	if k := keyOfRoute(t, decode[Policy](t, b.get("/api/v1/hedge/policy?model=m")), "core"); k.Enabled || !strings.Contains(k.Reason, "no longer valid") {
		t.Errorf("past its validity: %+v", k)
	}
}

func TestPolicyETag(t *testing.T) {
	now := clock
	b := policyBench(t, &now, nil)
	b.shelf.advice = []query.StoredAdvice{adviceFor("core", "hedge", 900, clock)}
	first := b.get("/api/v1/hedge/policy")
	tag := first.Header().Get("ETag")
	if tag == "" || !strings.Contains(first.Header().Get("Cache-Control"), "max-age=10") {
		t.Fatalf("headers %v", first.Header())
	}
	for _, given := range []string{tag, "W/" + tag, `"other", ` + tag, "*"} {
		if w := b.get("/api/v1/hedge/policy", "If-None-Match", given); w.Code != http.StatusNotModified || w.Body.Len() != 0 || w.Header().Get("ETag") != tag {
			t.Errorf("%s: %d %s", given, w.Code, w.Body)
		}
	}
	if w := b.get("/api/v1/hedge/policy?format=yaml", "If-None-Match", tag); w.Code != 200 || w.Header().Get("ETag") == tag {
		t.Errorf("another form has the same tag: %d", w.Code)
	}
	if b.shelf.polled != 1 {
		t.Errorf("six polls read the database %d times", b.shelf.polled)
	}
	now = clock.Add(time.Minute) // nothing changed but the time
	if w := b.get("/api/v1/hedge/policy", "If-None-Match", tag); w.Code != http.StatusNotModified || b.shelf.polled != 2 {
		t.Errorf("a minute later: %d, read %d times", w.Code, b.shelf.polled)
	}
	b.shelf.advice = append(b.shelf.advice, adviceFor("core", "do_not_hedge", 900, clock.Add(time.Minute)))
	now = clock.Add(2 * time.Minute)
	if w := b.get("/api/v1/hedge/policy", "If-None-Match", tag); w.Code != 200 || w.Header().Get("ETag") == tag {
		t.Errorf("after new advice: %d", w.Code)
	}
}

func TestOverrideExpires(t *testing.T) {
	now := clock
	b := policyBench(t, &now, nil)
	b.shelf.advice = []query.StoredAdvice{adviceFor("core", "do_not_hedge", 900, clock)}
	tag := b.get("/api/v1/hedge/policy").Header().Get("ETag")
	post := func(method, path, body string) PolicyChange {
		t.Helper()
		w := b.call(method, "/api/v1/hedge/policy/"+path, strings.NewReader(body))
		if w.Code != 200 {
			t.Fatalf("%s %s %s: %d %s", method, path, body, w.Code, w.Body)
		}
		return decode[PolicyChange](t, w)
	}
	c := post("POST", "override", `{"key":{"model":"m","route":"core"},"enabled":true,"hedge_after_ms":1500,"q":0.5,"budget":0.02,"why":"drill","for":"2h"}`)
	if c.Who != "local" || *c.Until != stamp(clock.Add(2*time.Hour)) || c.Kind != "override" {
		t.Errorf("%+v", c)
	}
	w := b.get("/api/v1/hedge/policy", "If-None-Match", tag)
	if w.Code != 200 {
		t.Fatalf("a change is seen at once: %d", w.Code)
	}
	k := keyOfRoute(t, decode[Policy](t, w), "core")
	if !k.Enabled || *k.HedgeAfterMs != 1500 || *k.Q != 0.5 || *k.Budget != 0.02 || k.Override.Why != "drill" || *k.ValidUntil != *c.Until {
		t.Errorf("%+v", k)
	}
	post("POST", "off", `{"why":"provider asks","until":"2026-11-30T04:00:00Z"}`)
	p := decode[Policy](t, b.get("/api/v1/hedge/policy"))
	if p.Off == nil || p.Off.Why != "provider asks" || keyOfRoute(t, p, "core").Enabled {
		t.Errorf("switched off: %+v", p)
	}
	now = clock.Add(time.Hour) // the switch's time is over, the override's is not
	if p = decode[Policy](t, b.get("/api/v1/hedge/policy")); p.Off != nil || !keyOfRoute(t, p, "core").Enabled {
		t.Errorf("an hour later: %+v", p)
	}
	now = clock.Add(2 * time.Hour)
	if k = keyOfRoute(t, decode[Policy](t, b.get("/api/v1/hedge/policy")), "core"); k.Enabled || k.Override != nil {
		t.Errorf("when the override's time is over: %+v", k)
	}
	post("POST", "override", `{"key":{"model":"new","route":"none"},"enabled":true,"why":"no delay","for":"1h"}`)
	if k = keyOfRoute(t, decode[Policy](t, b.get("/api/v1/hedge/policy")), "none"); k.Enabled || k.HedgeAfterMs != nil || k.Q != nil {
		t.Errorf("without a delay: %+v", k)
	}
	post("DELETE", "override", `{"key":{"model":"new","route":"none"},"why":"done"}`)
	post("POST", "off", `{"why":"again","for":"1h"}`)
	post("DELETE", "off", `{"why":"all well"}`)
	if p = decode[Policy](t, b.get("/api/v1/hedge/policy")); p.Off != nil || len(p.Keys) != 1 {
		t.Errorf("all ended by hand: %+v", p)
	}
	all := decode[PolicyChanges](t, b.get("/api/v1/hedge/policy/changes"))
	if len(all.Changes) != 6 || all.Changes[0].Why != "drill" || all.Changes[5].Until != nil {
		t.Errorf("%+v", all.Changes)
	}
	if csv := b.get("/api/v1/hedge/policy/changes?format=csv").Body.String(); strings.Count(csv, "\n") != 7 {
		t.Errorf("csv %s", csv)
	}
}

func TestPolicyChangesRefuse(t *testing.T) {
	now := clock
	b := policyBench(t, &now, nil)
	key := `"key":{"model":"m","route":"core"}`
	for _, tc := range []struct{ name, method, path, body, want string }{
		{"empty", "POST", "override", ``, "no JSON object"},
		{"unknown field", "POST", "override", `{"wyh":"x"}`, "wyh"},
		{"two objects", "POST", "off", `{"why":"x","for":"1h"}{}`, "more than one"},
		{"no why", "POST", "off", `{"for":"1h"}`, "why: say why"},
		{"blank why", "POST", "off", `{"why":"  ","for":"1h"}`, "why: say why"},
		{"long why", "POST", "off", `{"why":"` + strings.Repeat("x", 501) + `","for":"1h"}`, "at most 500"},
		{"no end", "POST", "off", `{"why":"x"}`, "say until when"},
		{"two ends", "POST", "off", `{"why":"x","for":"1h","until":"now"}`, "say until when"},
		{"past", "POST", "off", `{"why":"x","until":"2026-11-30T02:00:00Z"}`, "not in the future"},
		{"too long", "POST", "off", `{"why":"x","for":"91d"}`, "at most 90 days"},
		{"off with a key", "POST", "off", `{"why":"x","for":"1h",` + key + `}`, "for all keys"},
		{"on with an end", "DELETE", "off", `{"why":"x","for":"1h"}`, "leave until and for out"},
		{"no key", "POST", "override", `{"why":"x","for":"1h","enabled":false}`, "name the key"},
		{"unknown dimension", "POST", "override", `{"why":"x","for":"1h","enabled":false,"key":{"modle":"m"}}`, "nearest: model"},
		{"identity", "POST", "override", `{"why":"x","for":"1h","enabled":false,"key":{"request_id":"m"}}`, "no dimension"},
		{"enabled missing", "POST", "override", `{"why":"x","for":"1h",` + key + `}`, "say true or false"},
		{"below the floor", "POST", "override", `{"why":"x","for":"1h","enabled":true,"hedge_after_ms":50,` + key + `}`, "below the floor of 100ms"},
		{"above the cap", "POST", "override", `{"why":"x","for":"1h","enabled":true,"hedge_after_ms":20001,` + key + `}`, "above the cap of 20s"},
		{"q", "POST", "override", `{"why":"x","for":"1h","enabled":true,"q":1.5,` + key + `}`, "a chance above 0"},
		{"budget", "POST", "override", `{"why":"x","for":"1h","enabled":true,"budget":0,` + key + `}`, "a share of requests above 0"},
		{"side effects", "POST", "override", `{"why":"x","for":"1h","enabled":true,"key":{"model":"m","route":"pay"}}`, "side effects"},
		{"remove with enabled", "DELETE", "override", `{"why":"x","enabled":true,` + key + `}`, "removed as a whole"},
		{"parameter", "POST", "off?why=x", `{"why":"x","for":"1h"}`, "unknown parameter"},
	} {
		w := b.call(tc.method, "/api/v1/hedge/policy/"+tc.path, strings.NewReader(tc.body))
		if w.Code != http.StatusUnprocessableEntity || !strings.Contains(w.Body.String(), tc.want) {
			t.Errorf("%s: %d %s, want %q", tc.name, w.Code, w.Body, tc.want)
		}
	}
	if len(b.shelf.changes) != 0 {
		t.Errorf("refused changes were kept: %+v", b.shelf.changes)
	}
	for _, path := range []string{"?format=xml", "?modle=x", "?model=", "?model=a&model=b", "?format=json&format=yaml", "/changes?model=m", "/changes?from=x"} {
		if w := b.get("/api/v1/hedge/policy" + path); w.Code != http.StatusUnprocessableEntity {
			t.Errorf("%s: %d %s", path, w.Code, w.Body)
		}
	}
}

func TestPolicyRoles(t *testing.T) {
	now := clock
	b := policyBench(t, &now, func(o *Options) {
		o.Access.Tokens = []Token{{Name: "gateways", Hash: HashToken("r"), Role: RoleRead}, {Name: "uploads", Hash: HashToken("i"), Role: RoleIngest}, {Name: "anna", Hash: HashToken("a"), Role: RoleAdmin}}
	})
	for _, tc := range []struct {
		method, path, token string
		want                int
	}{
		{"GET", "", "", 401}, {"GET", "", "r", 200}, {"GET", "/changes", "r", 200}, {"POST", "/off", "r", 403}, {"POST", "/off", "i", 403}, {"POST", "/off", "", 401},
		{"DELETE", "/off", "r", 403}, {"POST", "/override", "r", 403}, {"POST", "/off", "a", 200},
	} {
		header := []string{}
		if tc.token != "" {
			header = []string{"Authorization", "Bearer " + tc.token}
		}
		if w := b.call(tc.method, "/api/v1/hedge/policy"+tc.path, strings.NewReader(`{"why":"x","for":"1h"}`), header...); w.Code != tc.want {
			t.Errorf("%s %s with %q: %d %s, want %d", tc.method, tc.path, tc.token, w.Code, w.Body, tc.want)
		}
	}
	if w := b.call("POST", "/api/v1/hedge/advice", nil, "Authorization", "Bearer r"); w.Code != 403 {
		t.Errorf("advice by a reader: %d", w.Code)
	}
	if len(b.shelf.changes) != 1 || b.shelf.changes[0].Who != "anna" || strings.Contains(b.log.String(), HashToken("a")) {
		t.Errorf("%+v", b.shelf.changes)
	}
}

func TestLastGoodPolicy(t *testing.T) {
	now := clock
	b := policyBench(t, &now, nil)
	b.shelf.err = errors.New("down")
	if w := b.get("/api/v1/hedge/policy"); w.Code < 500 {
		t.Fatalf("never read, and down: %d %s", w.Code, w.Body)
	}
	b.shelf.err = nil
	now = clock.Add(time.Minute)
	b.shelf.advice = []query.StoredAdvice{adviceFor("core", "hedge", 900, now)}
	tag := b.get("/api/v1/hedge/policy").Header().Get("ETag")
	b.shelf.err = errors.New("down again")
	now = now.Add(time.Hour)
	w := b.get("/api/v1/hedge/policy", "If-None-Match", tag)
	p := decode[Policy](t, w)
	if !p.Stale || len(p.Warnings) != 1 || !strings.Contains(p.Warnings[0], "as of 2026-11-30T03:01:00.000Z") || !keyOfRoute(t, p, "core").Enabled || w.Header().Get("Headway-Policy-Age") != "3600" {
		t.Errorf("%v %+v", w.Header(), p)
	}
	if w := b.call("POST", "/api/v1/hedge/policy/off", strings.NewReader(`{"why":"x","for":"1h"}`)); w.Code < 500 {
		t.Errorf("a change that can't be kept: %d", w.Code)
	}
	now = clock.Add(8*24*time.Hour + 2*time.Minute)
	if k := keyOfRoute(t, decode[Policy](t, b.get("/api/v1/hedge/policy")), "core"); k.Enabled {
		t.Errorf("down beyond valid_until: %+v", k)
	}
	b.shelf.err = nil
	now = now.Add(time.Minute)
	if p := decode[Policy](t, b.get("/api/v1/hedge/policy")); p.Stale || len(p.Warnings) != 0 {
		t.Errorf("up again: %+v", p)
	}
}

func TestPolicyForms(t *testing.T) {
	now := clock
	b := policyBench(t, &now, nil)
	long := adviceFor("core", "hedge", 1900.4, clock)
	long.Key = query.KeyText(map[string]string{"model": "other", "route": "core"})
	b.shelf.advice = []query.StoredAdvice{adviceFor("core", "hedge", 900, clock), long, adviceFor("off", "do_not_hedge", 100, clock)}
	w := b.get("/api/v1/hedge/policy", "Accept", "application/yaml")
	var p Policy
	if err := yaml.UnmarshalWithOptions(w.Body.Bytes(), &p, yaml.UseJSONUnmarshaler()); err != nil || len(p.Keys) != 3 || w.Header().Get("Content-Type") != mediaYAML {
		t.Errorf("%v, %s", err, w.Body)
	}
	var conf struct {
		Routes []struct {
			Name  string
			Route struct {
				Retry struct {
					On      string `yaml:"retry_on"`
					Retries int    `yaml:"num_retries"`
					Timeout string `yaml:"per_try_timeout"`
				} `yaml:"retry_policy"`
				Hedge struct {
					OnTimeout bool `yaml:"hedge_on_per_try_timeout"`
				} `yaml:"hedge_policy"`
			}
		}
	}
	w = b.get("/api/v1/hedge/policy?format=envoy")
	if err := yaml.UnmarshalWithOptions(w.Body.Bytes(), &conf, yaml.Strict()); err != nil || len(conf.Routes) != 1 {
		t.Fatalf("%v: %s", err, w.Body)
	}
	if r := conf.Routes[0]; r.Name != "core" || r.Route.Retry.Timeout != "1.900s" || r.Route.Retry.On != "gateway-error" || !r.Route.Hedge.OnTimeout {
		t.Errorf("%+v", r)
	}
}
