package main

import (
	"fmt"

	"github.com/spf13/cobra"
)

func newMigrate(env *environment) *cobra.Command {
	return &cobra.Command{
		Use:   "migrate",
		Short: "Create or upgrade Headway's tables in ClickHouse",
		Long: `Creates the database and its tables, or brings them to this version, and sets
the retention of the configuration (clickhouse.retention_days). It may run at
any time and again; it never goes backward and deletes no rows.`,
		Example: `  HEADWAY_CLICKHOUSE_PASSWORD=... headway migrate --config headway.yaml`,
		Args:    noArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			n, err := newNode(env)
			if err != nil {
				return err
			}
			if err := n.openStore(); err != nil {
				return n.close(err)
			}
			applied, err := n.store.Migrate(c.Context())
			for _, name := range applied {
				fmt.Fprintf(env.std.out, "applied %s\n", name)
			}
			if err == nil && len(applied) == 0 {
				fmt.Fprintln(env.std.out, "nothing to do: the tables are those of this version")
			}
			return n.close(err)
		},
	}
}
