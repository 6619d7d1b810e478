package e2e

import (
	"strings"
	"testing"
)

// TestImportOfGarbageFails imports what holds no record: nothing accepted is
// no success.
func TestImportOfGarbageFails(t *testing.T) {
	t.Parallel()
	p := up(t)
	for _, text := range []string{"not json\nat all\n", "a,b\n1,2\n3,4\n", ""} {
		stdout, stderr, code := run(t, text, "import", "--server", p.URL, "-")
		if code != 1 || !strings.Contains(stderr, "source") && !strings.Contains(stderr, "column") && !strings.Contains(stderr, "empty") {
			t.Errorf("importing %q: exit code %d\n%s%s", text, code, stdout, stderr)
		}
	}
}
