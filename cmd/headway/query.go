package main

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"net/url"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"headway/internal/client"
)

// question describes one question of the API for the command line.
type question struct {
	name, path, short string
	params            []string
}

// parameters are the flags that questions share; names equal the API's.
var parameters = map[string]string{
	"from":        "start of the window, inclusive: now-1h, now-7d/d, RFC 3339 or epoch ms",
	"to":          "end of the window, exclusive",
	"where":       "filter such as model=gpt-4o or channel!=ch-3; repeat for more",
	"metric":      "metric, for example first_response_ms (see: headway query fields)",
	"q":           "percentiles, for example p50,p90,p99",
	"by":          "dimension or dimensions to group by, comma-separated",
	"step":        "bucket width, for example 1m",
	"limit":       "how many rows at most",
	"sort":        "time (newest first) or slow (largest first)",
	"page":        "page token of the answer before",
	"hedge_after": "hedge delay: p90 or a duration such as 1500ms",
	"target":      "target percentile of the verdict: p95 or p99",
	"explain":     "sql adds the statements and parameters to the answer",
}

func questions() []question {
	scope := []string{"from", "to", "where", "explain"}
	with := func(more ...string) []string { return append(append([]string{}, scope...), more...) }
	return []question{
		{"headline", "headline", "main metrics of a window beside the same window last week", scope},
		{"latency", "latency", "percentiles of a metric over time", with("metric", "q", "by", "step")},
		{"distribution", "distribution", "histogram, exceedance curve and percentiles with intervals", with("metric", "q")},
		{"breakdown", "breakdown", "groups sorted by their share of excess slow requests", with("metric", "by", "limit")},
		{"requests", "requests", "single attempts, newest or slowest first", with("metric", "sort", "limit", "page")},
		{"recommendation", "hedge/recommendation", "hedge advice for each model and route", with("metric", "by", "target")},
		{"simulate", "hedge/simulate", "what a hedge delay would do to the stored rows", with("metric", "by", "hedge_after")},
		{"quality", "quality", "what arrived, was rejected, flagged and stripped", scope},
		{"fields", "fields", "metrics and dimensions with unit, start and end point", nil},
	}
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
  headway query recommendation --where model=gpt-4o -o json`,
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
		Use:   q.name,
		Short: q.short,
		Args:  noArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			accept, err := mediaType(output)
			if err != nil {
				return err
			}
			cl, err := client.New(serverOf(env, server), env.getenv("HEADWAY_TOKEN"), 2*time.Minute)
			if err != nil {
				return usageError{err}
			}
			params := collect(c, q.params)
			if verbose {
				fmt.Fprintf(env.std.err, "curl -H 'Accept: %s' '%s'\n", accept, cl.URL(q.path, params))
			}
			body, err := cl.Get(c.Context(), q.path, params, accept)
			if err != nil {
				return asUsage(err)
			}
			defer body.Close()
			return show(env.std.out, body, output)
		},
	}
	addClientFlags(cmd, &server)
	cmd.Flags().StringVarP(&output, "output", "o", "table", "table, json, csv or ndjson")
	cmd.Flags().BoolVarP(&verbose, "verbose", "v", false, "print the equivalent curl line")
	for _, p := range q.params {
		cmd.Flags().StringArray(p, nil, parameters[p])
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

func collect(c *cobra.Command, names []string) url.Values {
	v := url.Values{}
	for _, name := range names {
		if values, err := c.Flags().GetStringArray(name); err == nil && len(values) > 0 {
			v[name] = values
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
