package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"headway/api"
	"headway/engine"
	"headway/ingest"
	"headway/internal/config"
	"headway/web"
)

func newDoctor(env *environment) *cobra.Command {
	var embedded, dump bool
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Check the set-up and say what to mend",
		Long: `Checks, one line each: the configuration, the dashboard in the binary,
ClickHouse and its tables, Kafka and its topics; with --embedded instead what
headway up needs, the embedded engine and the data directory. Exits with 1 when
something must be mended. Variables that are read:

` + variables(),
		Example: "  headway doctor --embedded\n  HEADWAY_CLICKHOUSE_PASSWORD=... headway doctor --config headway.yaml",
		Args:    noArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			n, err := newNode(env)
			if err != nil {
				return err
			}
			if dump {
				return n.close(n.cfg.Dump(env.std.out))
			}
			return n.close(runDoctor(c.Context(), n, embedded))
		},
	}
	cmd.Flags().BoolVar(&embedded, "embedded", false, "check only what headway up needs")
	cmd.Flags().BoolVar(&dump, "dump", false, "print the configuration in force as YAML, without secrets, and check nothing")
	return cmd
}

// variables lists the environment variables that configure a server.
func variables() string {
	var b strings.Builder
	for _, v := range config.Environment() {
		fmt.Fprintf(&b, "  %-34s %s\n", v[0], v[1])
	}
	return strings.TrimRight(b.String(), "\n")
}

type check struct {
	name string
	run  func(context.Context) (string, error)
}

func runDoctor(ctx context.Context, n *node, embedded bool) error {
	checks := []check{
		{"configuration", func(context.Context) (string, error) { // newNode has loaded it
			return "valid", errors.Join(access(n.cfg.Access).Validate(), api.CheckListen(n.cfg.Listen, access(n.cfg.Access)))
		}},
		{"dashboard", func(context.Context) (string, error) {
			if !web.Built() {
				return "", errors.New("this binary holds no dashboard: run make web, then make build")
			}
			return "built in", nil
		}},
	}
	if embedded {
		checks = append(checks, check{"embedded engine", func(context.Context) (string, error) {
			found, err := engine.DefaultSearch(n.env.getenv).Locate()
			if err != nil {
				return "", err
			}
			return fmt.Sprintf("%s at %s", found.Kind, found.From), nil
		}}, check{"data directory", func(context.Context) (string, error) { return checkDataDir(n) }})
		return report(ctx, n, checks)
	}
	if err := n.openStore(); err != nil {
		return err
	}
	checks = append(checks, check{"clickhouse", func(ctx context.Context) (string, error) {
		return n.cfg.ClickHouse.Addr, n.store.Ping(ctx)
	}}, check{"kafka", n.checkKafka})
	return report(ctx, n, checks)
}

func report(ctx context.Context, n *node, checks []check) error {
	failed := 0
	for _, c := range checks {
		ctx, cancel := context.WithTimeout(ctx, 15*time.Second)
		said, err := c.run(ctx)
		cancel()
		if err != nil {
			failed++
			fmt.Fprintf(n.env.std.out, "mend  %s: %v\n", c.name, err)
			continue
		}
		fmt.Fprintf(n.env.std.out, "ok    %s: %s\n", c.name, said)
	}
	if failed > 0 {
		return fmt.Errorf("%d of %d checks need mending; see the lines above", failed, len(checks))
	}
	return nil
}

func checkDataDir(n *node) (string, error) {
	dir, err := dataDir(n, "")
	if err != nil {
		return "", err
	}
	f, err := os.CreateTemp(dir, ".doctor-*")
	if err != nil {
		return "", fmt.Errorf("%s can't be written: %w; choose another with --data-dir or data_dir", dir, err)
	}
	return dir, errors.Join(f.Close(), os.Remove(f.Name()))
}

func (n *node) checkKafka(ctx context.Context) (string, error) {
	said := ""
	for _, t := range n.cfg.Kafka.Topics {
		parts, err := ingest.Offsets(ctx, n.cfg.Kafka.Brokers, kafkaSecurity(n.cfg.Kafka), n.cfg.Kafka.Group, t.Name)
		if err != nil {
			return "", err
		}
		lag := int64(0)
		for _, p := range parts {
			lag += p.Lag()
		}
		said += fmt.Sprintf("topic %s with %d partitions, lag %d; ", t.Name, len(parts), lag)
	}
	return said, nil
}
