package main

import (
	"bytes"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"headway/engine"
	"headway/internal/testkit/binary"
)

// TestMain lets the test binary be the processes that the benchmark starts.
func TestMain(m *testing.M) {
	if engine.IsChild() {
		os.Exit(engine.ChildMain())
	}
	if role := os.Getenv(roleVariable); role != "" {
		if err := playRole(role, os.Stdin, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// The benchmark runs, and Headway and a materialized view, which share no
// code, store the same values of the same records.
func TestPeersStoreTheSame(t *testing.T) {
	headway, err := binary.Path(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := run(t.Context(), []string{"-records", "5000", "-headway", headway, "-patience", "90s"}, &out); err != nil {
		t.Fatalf("%v\n%s", err, out.String())
	}
	if !strings.Contains(out.String(), "All 2 runs into Headway's table stored the same values") {
		t.Errorf("the peers do not agree:\n%s", out.String())
	}
	if n := len(regexp.MustCompile(`(?m)doubled 0$`).FindAllString(out.String(), -1)); n != 2 {
		t.Errorf("%d of 2 runs stored nothing twice:\n%s", n, out.String())
	}
}
