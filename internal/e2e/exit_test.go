package e2e

import (
	"strings"
	"testing"
	"time"
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

// TestClientRejectsShowInQuality imports rows of which the client refuses
// two; the server's quality answer must know of them.
func TestClientRejectsShowInQuality(t *testing.T) {
	t.Parallel()
	p := up(t)
	now := time.Now().UTC().Format(time.RFC3339)
	importText(t, p, `{"model":"m","created_at":"`+now+`","prompt":"x"}`+"\n{\"created_at\":\""+now+"\"}\nnot json\n")
	var a struct {
		Uploads []struct {
			Source         string           `json:"source"`
			Accepted       int64            `json:"accepted"`
			Rejected       map[string]int64 `json:"rejected"`
			ContentDropped int64            `json:"content_dropped"`
		} `json:"uploads"`
	}
	get(t, p, "/api/v1/quality", params("from", "now-1h", "to", "now"), &a)
	if len(a.Uploads) != 1 || a.Uploads[0].Source != "headway" || a.Uploads[0].Accepted != 1 || a.Uploads[0].ContentDropped != 1 ||
		a.Uploads[0].Rejected["no_model"] != 1 || a.Uploads[0].Rejected["not_json"] != 1 {
		t.Errorf("quality knows of uploads %+v", a.Uploads)
	}
}
