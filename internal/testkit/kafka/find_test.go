package kafka

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestMissingPartsNameTheirRemedy(t *testing.T) {
	t.Run("no jars fetched", func(t *testing.T) {
		root := t.TempDir()
		below := filepath.Join(root, "ingest", "deep")
		if err := os.MkdirAll(below, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(root, "go.mod"), []byte("module headway\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := findJars(below)
		if !errors.Is(err, ErrNoJars) || !strings.Contains(err.Error(), "scripts/kafka/fetch") || !strings.Contains(err.Error(), root) {
			t.Errorf("error %v, want ErrNoJars with the folder and the script", err)
		}
	})
	t.Run("outside a checkout", func(t *testing.T) {
		if _, err := findJars(t.TempDir()); !errors.Is(err, ErrNoJars) {
			t.Errorf("error %v, want ErrNoJars", err)
		}
	})
	t.Run("wrong JAVA_HOME", func(t *testing.T) {
		home := t.TempDir()
		_, err := findJava(func(string) string { return home })
		if !errors.Is(err, ErrNoJava) || !strings.Contains(err.Error(), "JAVA_HOME="+home) {
			t.Errorf("error %v, want ErrNoJava naming the variable", err)
		}
	})
	t.Run("no java on the PATH", func(t *testing.T) {
		t.Setenv("PATH", t.TempDir())
		_, err := findJava(func(string) string { return "" })
		if !errors.Is(err, ErrNoJava) || !strings.Contains(err.Error(), "apt-get install") {
			t.Errorf("error %v, want ErrNoJava with the command", err)
		}
	})
}

func TestFreePortsDiffer(t *testing.T) {
	ports, err := freePorts(20)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[int]bool{}
	for _, p := range ports {
		if seen[p] || p < 20000 || p >= 32000 {
			t.Errorf("ports %v: %d is out of range or twice", ports, p)
		}
		seen[p] = true
	}
}

func TestSettingsLetTheCallerWin(t *testing.T) {
	got := render(newLayout("d").settings("127.0.0.1:1", "127.0.0.1:2", map[string]string{"SAFE": "127.0.0.1:3"},
		Options{Listeners: map[string]string{"SAFE": "SASL_SSL"}, Properties: map[string]string{"num.partitions": "8", "node.id": "7"}}))
	for _, want := range []string{"num.partitions=8\n", "node.id=7\n", "controller.quorum.voters=1@127.0.0.1:2\n", "advertised.listeners=PLAINTEXT://127.0.0.1:1,SAFE://127.0.0.1:3\n",
		"listener.security.protocol.map=PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT,SAFE:SASL_SSL\n"} {
		if !strings.Contains(got, want) {
			t.Errorf("settings lack %q:\n%s", want, got)
		}
	}
	if strings.Contains(got, "node.id=1\n") {
		t.Error("the default stands beside the caller's value")
	}
}
