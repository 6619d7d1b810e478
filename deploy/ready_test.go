package deploy

import (
	"net/http"
	"net/http/httptest"
	"os/exec"
	"strings"
	"testing"
)

func TestReady(t *testing.T) {
	for _, tc := range []struct {
		name   string
		status int
		ok     bool
	}{{"ready", 200, true}, {"not ready", 503, false}, {"no such page", 404, false}} {
		t.Run(tc.name, func(t *testing.T) {
			srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path != "/readyz" {
					t.Errorf("asked for %s", r.URL.Path)
				}
				w.WriteHeader(tc.status)
			}))
			defer srv.Close()
			if err := probe(t, srv.URL); (err == nil) != tc.ok {
				t.Errorf("status %d gave %v", tc.status, err)
			}
		})
	}
	t.Run("nobody there", func(t *testing.T) {
		srv := httptest.NewServer(http.NotFoundHandler())
		srv.Close()
		if probe(t, srv.URL) == nil {
			t.Error("a closed port counts as ready")
		}
	})
}

func probe(t *testing.T, url string) error {
	t.Helper()
	return exec.CommandContext(t.Context(), "bash", "./ready", strings.TrimPrefix(url, "http://")).Run()
}
