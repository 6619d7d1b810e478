package main

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"headway/hedge"
	"headway/internal/intake"
	"headway/internal/simulate"
)

type simulateFlags struct {
	input, value, unit            string
	keys, where, missing          []string
	censored, timeColumn          string
	backup, after, target, output string
	sideEffects, sharedQueue      bool
	floor, limit, timeout         time.Duration
	rho                           float64
	draws                         int
}

func newSimulate(env *environment) *cobra.Command {
	var f simulateFlags
	cmd := &cobra.Command{
		Use:   "simulate",
		Short: "Simulate hedging on a file of first-token times, without any server",
		Long: `Reads first-token times from a CSV or NDJSON file and says, for each key, how
often a backup after --hedge-after would be sent, how often it would win, what
P50, P90, P95 and P99 would become with an independent and with a correlated
backup, and whether to hedge at all. The calculation is exact; intervals come
from order statistics and a bootstrap with a fixed seed.

A hedge delay is measured from the dispatch of the primary attempt; so should
the values be.`,
		Example: `  headway simulate --input individual.csv --value-column ttft_s --unit s \
    --key-column provider --key-column model_size --where error_code!=429 --hedge-after p90
  headway simulate --input waits.ndjson --value-column wait_ms --unit ms --hedge-after 1500ms -o json`,
		Args: noArgs,
		RunE: func(*cobra.Command, []string) error { return runSimulate(env, f) },
	}
	fl := cmd.Flags()
	fl.StringVar(&f.input, "input", "", "file (CSV with header, NDJSON, JSON array; gzip allowed), or - for standard input")
	fl.StringVar(&f.value, "value-column", "", "column that holds the first-token time")
	fl.StringVar(&f.unit, "unit", "", "unit of the values: s or ms")
	fl.StringArrayVar(&f.keys, "key-column", nil, "column of the key; repeat for more; none makes one key")
	fl.StringArrayVar(&f.where, "where", nil, "keep rows with COL=VALUE or COL!=VALUE; repeat for more")
	fl.StringArrayVar(&f.missing, "missing", nil, "cell that stands for a missing value; empty cells always do")
	fl.StringVar(&f.censored, "censored-column", "", "column that is true where the attempt ended without a token")
	fl.StringVar(&f.timeColumn, "time-column", "", "column with the time (RFC 3339 or epoch seconds); regimes are looked for with it")
	fl.StringVar(&f.backup, "backup", "", "key that serves backups, as column=value,column=value (default: each key's own law)")
	fl.StringVar(&f.after, "hedge-after", "p90", "hedge delay: a percentile such as p90, or a duration such as 1500ms")
	fl.StringVar(&f.target, "target", "", "percentile of the verdict: p95 or p99 (default: the highest with enough rows)")
	fl.BoolVar(&f.sideEffects, "side-effects", false, "requests must not be sent twice")
	fl.BoolVar(&f.sharedQueue, "shared-queue", false, "primary and backup share one upstream queue")
	fl.DurationVar(&f.floor, "floor", 100*time.Millisecond, "smallest delay that a percentile may give")
	fl.DurationVar(&f.limit, "cap", 0, "largest delay that a percentile may give; 0 for none")
	fl.DurationVar(&f.timeout, "timeout", 0, "request time-out; 0 for unknown")
	fl.Float64Var(&f.rho, "rho", 0.6, "correlation of primary and backup in the pessimistic case, 0 to 1")
	fl.IntVar(&f.draws, "draws", 2000, "bootstrap draws")
	fl.StringVarP(&f.output, "output", "o", "table", "table or json")
	return cmd
}

func runSimulate(env *environment, f simulateFlags) error {
	options, rule, settings, err := f.parse()
	if err != nil {
		return err
	}
	in, err := intake.Open(f.input, env.std.in)
	if err != nil {
		return err
	}
	defer in.Close()
	keys, err := simulate.Read(in, options)
	if err != nil {
		return fmt.Errorf("%s: %w", f.input, err)
	}
	if len(keys) == 0 {
		return fmt.Errorf("%s: no row is left; loosen --where", f.input)
	}
	results, err := simulate.Run(keys, rule, f.backup, settings)
	if err != nil {
		return usageError{err}
	}
	if f.output == "json" {
		enc := json.NewEncoder(env.std.out)
		enc.SetIndent("", "  ")
		return enc.Encode(results)
	}
	return simulateTable(env.std.out, results)
}

func (f simulateFlags) parse() (simulate.Options, hedge.Rule, hedge.Settings, error) {
	o := simulate.Options{ValueColumn: f.value, KeyColumns: f.keys, Missing: f.missing, CensoredColumn: f.censored, TimeColumn: f.timeColumn}
	s := hedge.DefaultSettings()
	s.SideEffects, s.SharedQueue, s.Rho = f.sideEffects, f.sharedQueue, f.rho
	s.Floor, s.Cap, s.Timeout, s.Boot.Draws = f.floor.Microseconds(), f.limit.Microseconds(), f.timeout.Microseconds(), f.draws
	rule, err := parseRule(f.after)
	if err != nil {
		return o, rule, s, err
	}
	switch {
	case f.input == "":
		return o, rule, s, usagef("name the file with --input, or - for standard input")
	case f.value == "":
		return o, rule, s, usagef("name the column of the first-token time with --value-column")
	case f.output != "table" && f.output != "json":
		return o, rule, s, usagef("output %q: use table or json", f.output)
	case !(f.rho >= 0 && f.rho <= 1):
		return o, rule, s, usagef("--rho %v: a correlation from 0 to 1", f.rho)
	case f.draws < 100 || f.draws > 100_000:
		return o, rule, s, usagef("--draws %d: use 100 to 100000", f.draws)
	case f.floor < 0 || f.limit < 0 || f.timeout < 0 || f.limit > 0 && f.limit < f.floor:
		return o, rule, s, usagef("--floor %s, --cap %s, --timeout %s: none may be negative, and the cap must not be below the floor", f.floor, f.limit, f.timeout)
	}
	if o.Unit, err = parseUnit(f.unit); err != nil {
		return o, rule, s, err
	}
	if s.Target, err = parseTarget(f.target); err != nil {
		return o, rule, s, err
	}
	o.Where, err = parseWhere(f.where)
	return o, rule, s, err
}

func parseRule(after string) (hedge.Rule, error) {
	if q, ok := strings.CutPrefix(strings.ToLower(after), "p"); ok {
		if v, err := strconv.ParseFloat(q, 64); err == nil && v > 0 && v < 100 {
			return hedge.Rule{Quantile: v / 100}, nil
		}
	} else if d, err := time.ParseDuration(after); err == nil && d >= time.Microsecond {
		return hedge.Rule{Fixed: d.Microseconds()}, nil
	}
	return hedge.Rule{}, usagef("--hedge-after %q: use a percentile such as p90, or a duration such as 1500ms", after)
}

func parseUnit(unit string) (time.Duration, error) {
	switch unit {
	case "s":
		return time.Second, nil
	case "ms":
		return time.Millisecond, nil
	}
	return 0, usagef("--unit %q: say s or ms; a unit is never guessed", unit)
}

func parseTarget(target string) (float64, error) {
	switch strings.ToLower(target) {
	case "":
		return 0, nil
	case "p95":
		return 0.95, nil
	case "p99":
		return 0.99, nil
	}
	return 0, usagef("--target %q: use p95 or p99", target)
}

func parseWhere(where []string) ([]simulate.Condition, error) {
	var out []simulate.Condition
	for _, w := range where {
		column, value, ok := strings.Cut(w, "=")
		not := strings.HasSuffix(column, "!")
		column = strings.TrimSuffix(column, "!")
		if !ok || column == "" {
			return nil, usagef("--where %q: write COL=VALUE or COL!=VALUE", w)
		}
		out = append(out, simulate.Condition{Column: column, Value: value, Not: not})
	}
	return out, nil
}

func simulateTable(w io.Writer, results []simulate.Result) error {
	tw := tabwriter.NewWriter(w, 0, 4, 2, ' ', 0)
	fmt.Fprintln(tw, "key\tn\tcensored\thedge after ms\ttrigger\twin\tp95 ms before\tafter\tp99 ms before\tafter\tverdict")
	for _, r := range results {
		fmt.Fprintf(tw, "%s\t%d\t%d\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n", keyOf(r), r.N, r.Censored, cell(r.HedgeAfterMs, 1),
			cell(r.TriggerRatio, 4), cell(r.WinChance, 4), cell(r.Before.P95Ms, 1), cell(r.After.P95Ms, 1), cell(r.Before.P99Ms, 1), cell(r.After.P99Ms, 1), r.Verdict)
	}
	if err := tw.Flush(); err != nil {
		return fmt.Errorf("writing the table: %w", err)
	}
	for _, r := range results {
		for _, reason := range append(r.Reasons, r.Notes...) {
			fmt.Fprintf(w, "%s: %s\n", keyOf(r), reason)
		}
	}
	return nil
}

func cell(v *float64, digits int) string {
	if v == nil {
		return "-"
	}
	return strconv.FormatFloat(*v, 'f', digits, 64)
}

// keyOf writes a key's values in the order of their columns' names.
func keyOf(r simulate.Result) string {
	var parts []string
	for _, column := range slices.Sorted(maps.Keys(r.Key)) {
		parts = append(parts, r.Key[column])
	}
	if len(parts) == 0 {
		return "all"
	}
	return strings.Join(parts, " ")
}
