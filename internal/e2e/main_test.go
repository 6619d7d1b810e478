package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"headway/engine"
	"headway/internal/testkit/binary"
)

// headway is the path of the binary under test, built once.
var headway string

func TestMain(m *testing.M) {
	if engine.IsChild() {
		os.Exit(engine.ChildMain())
	}
	os.Exit(binary.Main(m, &headway))
}

// up starts an empty, embedded Headway on free ports.
func up(t *testing.T, more ...string) *binary.Process {
	t.Helper()
	args := append([]string{"up", "--data-dir", t.TempDir(), "--listen", "127.0.0.1:0", "--kafka-listen", "127.0.0.1:0", "--sample=false"}, more...)
	return binary.Start(t, headway, nil, args...)
}

// get asks one question and decodes the answer into out.
func get(t *testing.T, p *binary.Process, path string, params url.Values, out any) {
	t.Helper()
	status, raw := fetch(t, p, path, params)
	if status != http.StatusOK {
		t.Fatalf("GET %s?%s: %d\n%s", path, params.Encode(), status, raw)
	}
	if err := json.Unmarshal(raw, out); err != nil {
		t.Fatalf("GET %s: %v\n%s", path, err, raw)
	}
}

func fetch(t *testing.T, p *binary.Process, path string, params url.Values) (int, []byte) {
	t.Helper()
	client := http.Client{Timeout: time.Minute}
	resp, err := client.Get(p.URL + path + "?" + params.Encode())
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, raw
}

func post(t *testing.T, p *binary.Process, path, contentType, body string) (int, []byte) {
	t.Helper()
	client := http.Client{Timeout: time.Minute}
	resp, err := client.Post(p.URL+path, contentType, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, raw
}

// params builds parameters from name, value pairs.
func params(pairs ...string) url.Values {
	v := url.Values{}
	for i := 0; i+1 < len(pairs); i += 2 {
		v.Add(pairs[i], pairs[i+1])
	}
	return v
}

// eventually waits until check is true, for two minutes.
func eventually(t *testing.T, p *binary.Process, what string, check func() bool) {
	t.Helper()
	deadline := time.Now().Add(2 * time.Minute)
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for !check() {
		if time.Now().After(deadline) {
			t.Fatalf("not in two minutes: %s\n%s", what, p.Log())
		}
		<-tick.C
	}
}

// quality sums what arrived in the last year over all sources.
func quality(t *testing.T, p *binary.Process) (rows int64, rejected map[string]int64) {
	t.Helper()
	var a struct {
		Sources []struct {
			Rows     int64            `json:"rows"`
			Rejected map[string]int64 `json:"rejected"`
		} `json:"sources"`
	}
	get(t, p, "/api/v1/quality", params("from", "now-80d", "to", "now"), &a)
	rejected = map[string]int64{}
	for _, s := range a.Sources {
		rows += s.Rows
		for k, n := range s.Rejected {
			rejected[k] += n
		}
	}
	return rows, rejected
}

// awaitRows waits until as many rows are stored.
func awaitRows(t *testing.T, p *binary.Process, want int64) {
	t.Helper()
	eventually(t, p, fmt.Sprintf("%d rows stored", want), func() bool {
		rows, _ := quality(t, p)
		return rows >= want
	})
	if rows, _ := quality(t, p); rows != want {
		t.Fatalf("%d rows stored, want %d", rows, want)
	}
}

// run runs the binary to its end.
func run(t *testing.T, stdin string, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	return binary.Run(t, headway, nil, stdin, args...)
}

// ok runs the binary and fails the test unless it succeeds.
func ok(t *testing.T, args ...string) string {
	t.Helper()
	stdout, stderr, code := run(t, "", args...)
	if code != 0 {
		t.Fatalf("headway %s: exit code %d\n%s%s", strings.Join(args, " "), code, stdout, stderr)
	}
	return stdout
}

// importText uploads NDJSON through the command line.
func importText(t *testing.T, p *binary.Process, text string) string {
	t.Helper()
	stdout, stderr, code := run(t, text, "import", "--server", p.URL, "-o", "json", "-")
	if code != 0 {
		t.Fatalf("headway import: exit code %d\n%s%s", code, stdout, stderr)
	}
	return stdout
}

// produceRaw puts messages on a topic as a gateway would.
func produceRaw(t *testing.T, broker, topic string, messages ...string) {
	t.Helper()
	client, err := kgo.NewClient(kgo.SeedBrokers(broker), kgo.DefaultProduceTopic(topic))
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	for _, m := range messages {
		if err := client.ProduceSync(ctx, kgo.StringRecord(m)).FirstErr(); err != nil {
			t.Fatal(err)
		}
	}
}
