package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"headway/internal/testkit/binary"
)

// TestDoctorChecksTokens gives doctor what serve would refuse.
func TestDoctorChecksTokens(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, yaml, want string }{
		{"a placeholder for a hash", "access: {tokens: [{name: dashboards, sha256: put the hash here, role: read}]}", "access.tokens[0].sha256"},
		{"an unknown role", "access: {tokens: [{name: dashboards, sha256: " + strings.Repeat("ab", 32) + ", role: root}]}", "access.tokens[0].role"},
		{"open without tokens", "listen: 0.0.0.0:8080", "access.tokens"},
	} {
		path := filepath.Join(t.TempDir(), "headway.yaml")
		if err := os.WriteFile(path, []byte(c.yaml+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		out, _, code := binary.Run(t, headway, nil, "", "doctor", "--embedded", "--config", path)
		if code != 1 || !strings.Contains(out, "mend  configuration: ") || !strings.Contains(out, c.want) {
			t.Errorf("%s: exit code %d\n%s", c.name, code, out)
		}
	}
}
