// Command ingest measures how fast records move from a Kafka topic into
// ClickHouse: Headway beside ClickHouse's own Kafka table engine and the
// OpenTelemetry collector, on the same broker, engine and records, in one run.
// It is no part of the product; `make bench-ingest` runs it.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"headway/engine"
)

func main() {
	if engine.IsChild() {
		os.Exit(engine.ChildMain())
	}
	var err error
	if role := os.Getenv(roleVariable); role != "" {
		err = playRole(role, os.Stdin, os.Stdout)
	} else {
		ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
		err = run(ctx, os.Args[1:], os.Stdout)
		stop()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench-ingest:", err)
		os.Exit(1)
	}
}
