package main

import (
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"headway/internal/client"
	"headway/query"
)

// question describes one question of the API for the command line.
type question struct {
	name, path, short string
	arg               string // name of a path's last part; empty where it has none
	asks              string // of query.QuestionParams; the path where empty
}

func questions() []question {
	return []question{
		{name: "headline", path: "headline", short: "main metrics of a window beside the same window last week"},
		{name: "latency", path: "latency", short: "percentiles of a metric over time"},
		{name: "distribution", path: "distribution", short: "histogram, exceedance curve and percentiles with intervals"},
		{name: "breakdown", path: "breakdown", short: "groups sorted by their share of excess slow requests"},
		{name: "requests", path: "requests", short: "single attempts, newest or slowest first"},
		{name: "request", path: "requests/", arg: "ID", short: "one request's attempts as a timeline with verdicts"},
		{name: "recommendation", path: "hedge/recommendation", short: "hedge advice for each model and route"},
		{name: "simulate", path: "hedge/simulate", short: "what a hedge delay would do to the stored rows"},
		{name: "backtest", path: "hedge/backtest", short: "what each rule for the hedge delay would have done, day by day"},
		{name: "observed", path: "hedge/observed", short: "what hedging really did: hedges, wins, waits, extra tokens"},
		{name: "policy-changes", path: "hedge/policy/changes", short: "who changed the hedge policy, why and until when"},
		{name: "advice", path: "hedge/advice/", arg: "ID", short: "a stored piece of advice with what it was made from"},
		{name: "quality", path: "quality", short: "what arrived, was rejected, flagged and stripped"},
		{name: "fields", path: "fields", short: "metrics and dimensions with unit, start and end point"},
		{name: "values", path: "fields/", arg: "DIMENSION", asks: "values", short: "most frequent values of a dimension"},
	}
}

// params are the question's parameters as the API knows them.
func (q question) params() []query.Param {
	if q.asks == "" {
		return query.QuestionParams(q.path)
	}
	return query.QuestionParams(q.asks)
}

// target is the path to ask, with the argument where it takes one.
func (q question) target(c *cobra.Command, args []string) (string, error) {
	switch {
	case q.arg == "":
		return q.path, noArgs(c, args)
	case len(args) != 1:
		return "", usagef("%s takes one %s; see %s --help", c.CommandPath(), q.arg, c.CommandPath())
	case q.asks == "values":
		return q.path + url.PathEscape(args[0]) + "/values", nil
	}
	return q.path + url.PathEscape(args[0]), nil
}

func newQuery(env *environment) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "query QUESTION",
		Short: "Ask a question of the API on the command line",
		Long: `Asks a running server one question. Flags have the names of the API's
parameters, so a line here, a URL and the dashboard's address bar say the same.
Data goes to standard output; -v prints the equivalent curl line to standard error.`,
		Example: `  headway query latency --from now-1h --by channel
  headway query breakdown --by provider --from now-24h -o json
  headway query recommendation --where model=gpt-4o -o json
  headway query request 01M8M9DWGW08HKXQKPFD0V9FV0 -o json
  headway query values channel --from now-1d`,
		Args: func(c *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usagef("name a question; see headway query --help")
			}
			return rejectUnknown(c, args)
		},
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	for _, q := range questions() {
		cmd.AddCommand(newQuestion(env, q))
	}
	return cmd
}

func newQuestion(env *environment, q question) *cobra.Command {
	var server, output string
	var verbose bool
	cmd := &cobra.Command{
		Use:   strings.TrimSpace(q.name + " " + q.arg),
		Short: q.short,
		Args:  cobra.ArbitraryArgs,
		RunE: func(c *cobra.Command, args []string) error {
			path, err := q.target(c, args)
			if err != nil {
				return err
			}
			accept, err := mediaType(output)
			if err != nil {
				return err
			}
			cl, err := client.New(serverOf(env, server), env.getenv("HEADWAY_TOKEN"), 2*time.Minute)
			if err != nil {
				return usageError{err}
			}
			params := collect(c, q.params())
			if verbose {
				fmt.Fprintf(env.std.err, "curl -H 'Accept: %s' '%s'\n", accept, cl.URL(path, params))
			}
			answer, err := cl.Get(c.Context(), path, params, accept)
			if err != nil {
				return asUsage(err)
			}
			defer answer.Body.Close()
			if err := show(env.std.out, answer.Body, output); err != nil {
				return err
			}
			return explainMeta(env.std.err, answer.Meta)
		},
	}
	addClientFlags(cmd, &server)
	cmd.Flags().StringVarP(&output, "output", "o", "table", "table, json, csv or ndjson")
	cmd.Flags().BoolVarP(&verbose, "verbose", "v", false, "print the equivalent curl line")
	for _, p := range q.params() {
		cmd.Flags().StringArray(p.Name, nil, p.Doc)
	}
	return cmd
}

func addClientFlags(cmd *cobra.Command, server *string) {
	cmd.Flags().StringVar(server, "server", "", "server URL (default $HEADWAY_SERVER, else http://127.0.0.1:8080)")
}

func serverOf(env *environment, flag string) string {
	if flag != "" {
		return flag
	}
	if v := env.getenv("HEADWAY_SERVER"); v != "" {
		return v
	}
	return "http://127.0.0.1:8080"
}

func collect(c *cobra.Command, params []query.Param) url.Values {
	v := url.Values{}
	for _, p := range params {
		if values, err := c.Flags().GetStringArray(p.Name); err == nil && len(values) > 0 {
			v[p.Name] = values
		}
	}
	return v
}

func mediaType(output string) (string, error) {
	switch output {
	case "json":
		return "application/json", nil
	case "csv", "table":
		return "text/csv", nil
	case "ndjson":
		return "application/x-ndjson", nil
	}
	return "", usagef("output %q: use table, json, csv or ndjson", output)
}

// asUsage marks the server's "your question is wrong" as a usage error.
func asUsage(err error) error {
	var p *client.Problem
	if errors.As(err, &p) && (p.Status == 422 || p.Status == 400) {
		return usageError{err}
	}
	return err
}

func show(w io.Writer, body io.Reader, output string) error {
	if output != "table" {
		if _, err := io.Copy(w, body); err != nil {
			return fmt.Errorf("reading the answer: %w", err)
		}
		return nil
	}
	return table(w, body)
}

// table aligns a CSV answer for people.
func table(w io.Writer, body io.Reader) error {
	rows := csv.NewReader(body)
	rows.FieldsPerRecord = -1
	tw := tabwriter.NewWriter(w, 0, 4, 2, ' ', 0)
	for {
		row, err := rows.Read()
		if errors.Is(err, io.EOF) {
			return tw.Flush()
		}
		if err != nil {
			return fmt.Errorf("reading the answer: %w", err)
		}
		for i := range row {
			row[i] = readable(row[i])
		}
		fmt.Fprintln(tw, strings.Join(row, "\t"))
	}
}

// readable is a cell for people: a dash for no data, and no more than seven
// significant digits of a long fraction.
func readable(cell string) string {
	if cell == "" {
		return "-"
	}
	if whole, fraction, ok := strings.Cut(cell, "."); ok && len(whole)+len(fraction) > 8 {
		if v, err := strconv.ParseFloat(cell, 64); err == nil {
			return strconv.FormatFloat(v, 'g', 7, 64)
		}
	}
	return cell
}

// meta is what the meta block says that a table can't.
type meta struct {
	From, To    string
	Metric      *struct{ Name, Start, End, Unit string }
	N, Censored int64
	LeftOut     map[string]int64 `json:"left_out"`
	StartPoints []string         `json:"start_points"`
	Warnings    []string
}

// explainMeta writes beneath a table how its numbers came about: window,
// instants, n, what was left out, and every warning. It is talk, not data.
func explainMeta(w io.Writer, text string) error {
	if text == "" {
		return nil
	}
	var m meta
	if err := json.Unmarshal([]byte(text), &m); err != nil {
		return fmt.Errorf("reading how the answer was computed: %w", err)
	}
	line := fmt.Sprintf("n %d", m.N)
	if m.Metric != nil && m.Metric.Start != "" {
		line += fmt.Sprintf("; %s from %s to %s", m.Metric.Name, m.Metric.Start, m.Metric.End)
	}
	if len(m.StartPoints) > 0 {
		line += "; clock starts at " + strings.Join(m.StartPoints, " and ")
	}
	if m.Censored > 0 {
		line += fmt.Sprintf("; %d censored", m.Censored)
	}
	for _, reason := range slices.Sorted(maps.Keys(m.LeftOut)) {
		if n := m.LeftOut[reason]; n > 0 {
			line += fmt.Sprintf("; left out %d %s", n, strings.ReplaceAll(reason, "_", " "))
		}
	}
	fmt.Fprintf(w, "%s to %s: %s\n", m.From, m.To, line)
	for _, warning := range m.Warnings {
		fmt.Fprintf(w, "warning: %s\n", warning)
	}
	return nil
}
