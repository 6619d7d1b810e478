package engine_test

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"

	"headway/engine"
)

// parentVariable makes the test binary a Headway of its own for a test that
// kills it: "database" or "broker". Its data directory is the first argument.
const parentVariable = "HEADWAY_ENGINE_TEST_PARENT"

// TestMain lets the test binary be what the engine's children are: the
// engine's host. Called by the name of clickhouse, it is an installed server.
func TestMain(m *testing.M) {
	if engine.IsChild() {
		os.Exit(engine.ChildMain())
	}
	if filepath.Base(os.Args[0]) == "clickhouse" {
		os.Exit(actAsServer(os.Args[1:]))
	}
	if role := os.Getenv(parentVariable); role != "" {
		if err := actAsParent(role, os.Args[1]); err != nil {
			fmt.Println("error:", err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// actAsParent starts what is asked for, says its process and address, and
// then waits to be killed, or to be told to end by the end of its input.
func actAsParent(role, dir string) error {
	switch role {
	case "database":
		c, err := engine.StartClickHouse(context.Background(), engine.Options{DataDir: dir})
		if err != nil {
			return err
		}
		defer c.Close()
		fmt.Println(c.PID(), c.HTTPURL())
	case "broker":
		b, err := engine.StartBroker(context.Background(), engine.BrokerOptions{DataDir: dir, Topics: []engine.Topic{{Name: "records", Partitions: 4}}})
		if err != nil {
			return err
		}
		defer b.Close()
		fmt.Println(os.Getpid(), b.Addr())
	}
	_, err := io.Copy(io.Discard, os.Stdin)
	return err
}
