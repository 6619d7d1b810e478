package main

import (
	"context"
	"os"
	"runtime/debug"

	"github.com/spf13/cobra"
)

func newIngest(env *environment) *cobra.Command {
	var listen string
	cmd := &cobra.Command{
		Use:   "ingest",
		Short: "Move records from Kafka to ClickHouse",
		Long: `Reads the topics of the configuration as a member of a consumer group and
lands every record exactly once in ClickHouse, or in the rejects table with
its reason. Any number of these may share the group. It waits for Kafka, for
the topic and for ClickHouse, and says so. /healthz, /readyz and /metrics are
served on --listen, beside the API.`,
		Example: `  HEADWAY_CLICKHOUSE_PASSWORD=... headway ingest --config headway.yaml --listen 127.0.0.1:8081`,
		Args:    noArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			n, err := newNode(env)
			if err != nil {
				return err
			}
			return n.close(runIngest(c.Context(), n, listen))
		},
	}
	cmd.Flags().StringVar(&listen, "listen", "127.0.0.1:8081", "HTTP address for health and metrics, host:port; port 0 picks a free one")
	return cmd
}

// fixedMiB is what an ingester needs beside the rows in flight: the duplicate
// window, fetches, connections.
const fixedMiB = 80

// boundMemory makes the garbage collector work harder near ingest.memory_mb
// and the fixed part, instead of letting garbage double them. GOMEMLIMIT wins.
func boundMemory(memoryMB int) {
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(int64(memoryMB+fixedMiB) << 20)
	}
}

func runIngest(ctx context.Context, n *node, listen string) error {
	boundMemory(n.cfg.Ingest.MemoryMB)
	if err := n.openStore(); err != nil {
		return err
	}
	l, err := n.listen(listen)
	if err != nil {
		return err
	}
	n.parts.Push("listener", func() error { _ = l.Close(); return nil }) // the HTTP server closes it first
	srv, err := n.newAPI(nil, "")
	if err != nil {
		return err
	}
	parts, err := n.group(l, srv, true, nothingMore)
	if err != nil {
		return err
	}
	return parts.Run(ctx)
}
