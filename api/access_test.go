package api

import (
	"fmt"
	"strings"
	"testing"
)

func TestCheckListen(t *testing.T) {
	tokens := Access{Tokens: []Token{{Name: "x", Hash: HashToken("t"), Role: RoleRead}}}
	for _, tc := range []struct {
		addr   string
		access Access
		want   string
	}{
		{"127.0.0.1:8080", Access{}, ""}, {"localhost:0", Access{}, ""}, {"[::1]:8080", Access{}, ""}, {"127.8.8.8:1", Access{}, ""},
		{"0.0.0.0:8080", Access{}, "access.tokens"}, {":8080", Access{}, "access.tokens"}, {"[::]:8080", Access{}, "access.tokens"},
		{"10.1.2.3:8080", Access{}, "access.tokens"}, {"example.com:80", Access{}, "access.tokens"},
		{"0.0.0.0:8080", tokens, ""}, {"nowhere", tokens, "host:port"},
	} {
		err := CheckListen(tc.addr, tc.access)
		if (err == nil) != (tc.want == "") || err != nil && !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: %v, want %q", tc.addr, err, tc.want)
		}
	}
}

func TestRolesByRoute(t *testing.T) {
	b := newBench(t, func(o *Options) {
		for _, r := range []Role{RoleRead, RoleIngest, RoleAdmin} {
			o.Access.Tokens = append(o.Access.Tokens, Token{Name: string(r), Hash: HashToken("token-" + string(r)), Role: r})
		}
	})
	const (
		none = iota
		wrong
		read
		ingest
		admin
	)
	for _, tc := range []struct {
		method, target string
		want           [5]int // by token
	}{
		{"GET", "/api/v1/fields", [5]int{401, 401, 200, 403, 200}},
		{"GET", "/metrics", [5]int{401, 401, 200, 403, 200}},
		{"POST", "/api/v1/classify", [5]int{401, 401, 200, 403, 200}},
		{"POST", "/api/v1/records", [5]int{401, 401, 403, 200, 200}},
		{"GET", "/healthz", [5]int{200, 200, 200, 200, 200}},
		{"GET", "/docs", [5]int{200, 200, 200, 200, 200}},
		{"GET", "/", [5]int{200, 200, 200, 200, 200}},
	} {
		for i, token := range []string{none: "", wrong: "Bearer nope", read: "Bearer token-read", ingest: "Bearer token-ingest", admin: "Bearer token-admin"} {
			t.Run(fmt.Sprintf("%s %s %d", tc.method, tc.target, i), func(t *testing.T) {
				w := b.call(tc.method, tc.target, strings.NewReader("{}"), "Authorization", token)
				if w.Code != tc.want[i] {
					t.Errorf("%q: %d, want %d: %s", token, w.Code, tc.want[i], w.Body)
				}
				if w.Code == 401 && w.Header().Get("WWW-Authenticate") == "" {
					t.Error("no WWW-Authenticate")
				}
			})
		}
	}
}

func TestBadTokensAreRefusedAtStart(t *testing.T) {
	for _, a := range []Access{
		{Tokens: []Token{{Name: "plain", Hash: "hunter2", Role: RoleRead}}},
		{Tokens: []Token{{Name: "role", Hash: HashToken("x"), Role: "root"}}},
	} {
		if err := a.Validate(); err == nil || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%v", err)
		}
	}
}

func TestHostsBeyondLoopback(t *testing.T) {
	b := newBench(t, func(o *Options) { o.Access.Hosts = []string{"headway.example"} })
	for host, want := range map[string]int{"headway.example": 200, "HEADWAY.example:443": 200, "[::1]:8080": 200, "127.0.0.1": 200, "other.example": 421, "": 421} {
		if w := b.get("/healthz", "Host", host); w.Code != want {
			t.Errorf("%q: %d, want %d", host, w.Code, want)
		}
	}
}

// TestReasonsAreForInsiders asks a server with a token why it is not ready:
// reasons name addresses and accounts, which strangers need not know.
func TestReasonsAreForInsiders(t *testing.T) {
	open := newBench(t, nil)
	closed := newBench(t, func(o *Options) {
		o.Access.Tokens = []Token{{Name: "x", Hash: HashToken("secret"), Role: RoleRead}}
	})
	for _, b := range []*bench{open, closed} {
		b.shelf.states = []ComponentState{{Component: "clickhouse", Reason: "10.0.0.7:9000 refused"}}
	}
	for _, tc := range []struct {
		name  string
		b     *bench
		token string
		shown bool
	}{{"no tokens set", open, "", true}, {"stranger", closed, "", false}, {"wrong token", closed, "Bearer nope", false}, {"holder", closed, "bearer secret", true}} {
		w := tc.b.call("GET", "/readyz", nil, "Authorization", tc.token)
		if w.Code != 503 || strings.Contains(w.Body.String(), "10.0.0.7") != tc.shown {
			t.Errorf("%s: %d %s", tc.name, w.Code, w.Body)
		}
	}
}
