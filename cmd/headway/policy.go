package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"headway/internal/client"
)

// policyFlags are the flags of all commands about the policy.
type policyFlags struct {
	server, output, why, until, lasts string
	keys                              []string
	hedgeAfter                        time.Duration
	q, budget                         float64
	enable, disable, remove           bool
}

func newPolicy(env *environment) *cobra.Command {
	var f policyFlags
	cmd := &cobra.Command{
		Use:   "policy",
		Short: "Read and change what gateways hedge",
		Long: `Reads the hedge policy that gateways poll, and changes it: every change needs a
reason and an end, and an admin token where tokens are set.`,
		Args: rejectUnknown,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	add := func(use, short, example string, run func(*cobra.Command) error) *cobra.Command {
		sub := &cobra.Command{Use: use, Short: short, Example: example, Args: noArgs, RunE: func(c *cobra.Command, _ []string) error { return run(c) }}
		addClientFlags(sub, &f.server)
		cmd.AddCommand(sub)
		return sub
	}
	get := add("get", "The policy in force", "  headway policy get\n  headway policy get -o envoy", func(c *cobra.Command) error { return f.get(c, env) })
	get.Flags().StringVarP(&f.output, "output", "o", "table", "table, json, yaml or envoy")
	override := add("override", "Hedge one key otherwise than advised, until a time", `  headway policy override --key model=gpt-4o --key route=core --enable --hedge-after 1500ms --for 2h --why "drill"
  headway policy override --key model=gpt-4o --key route=core --remove --why "drill is over"`, func(c *cobra.Command) error { return f.override(c, env) })
	fl := override.Flags()
	fl.StringArrayVar(&f.keys, "key", nil, "dimension=value of the key; repeat for each dimension")
	fl.BoolVar(&f.enable, "enable", false, "hedge it")
	fl.BoolVar(&f.disable, "disable", false, "don't hedge it")
	fl.BoolVar(&f.remove, "remove", false, "end the override now")
	fl.DurationVar(&f.hedgeAfter, "hedge-after", 0, "delay (default the advised one)")
	fl.Float64Var(&f.q, "q", 0, "chance of sending the backup (default 1)")
	fl.Float64Var(&f.budget, "budget", 0, "largest share of requests that may be hedged (default the configured one)")
	off := add("off", "Switch hedging off everywhere, until a time", `  headway policy off --for 1h --why "the provider asks for it"`, func(c *cobra.Command) error {
		return f.change(c, env, http.MethodPost, "hedge/policy/off", map[string]any{"until": f.until, "for": f.lasts})
	})
	on := add("on", "Switch hedging on again before its time", `  headway policy on --why "all well"`, func(c *cobra.Command) error {
		return f.change(c, env, http.MethodDelete, "hedge/policy/off", map[string]any{})
	})
	for _, sub := range []*cobra.Command{override, off, on} {
		sub.Flags().StringVar(&f.why, "why", "", "the reason, for those who read the chart later (needed)")
		if sub != on {
			sub.Flags().StringVar(&f.until, "until", "", "when it ends, RFC 3339")
			sub.Flags().StringVar(&f.lasts, "for", "", "how long it holds, for example 2h; at most 90d")
		}
	}
	return cmd
}

func (f *policyFlags) client(env *environment) (*client.Client, error) {
	cl, err := client.New(serverOf(env, f.server), env.getenv("HEADWAY_TOKEN"), time.Minute)
	if err != nil {
		return nil, usageError{err}
	}
	return cl, nil
}

func (f *policyFlags) get(c *cobra.Command, env *environment) error {
	formats := map[string]string{"table": "json", "json": "json", "yaml": "yaml", "envoy": "envoy"}
	format, ok := formats[f.output]
	if !ok {
		return usagef("output %q: use table, json, yaml or envoy", f.output)
	}
	cl, err := f.client(env)
	if err != nil {
		return err
	}
	answer, err := cl.Get(c.Context(), "hedge/policy", url.Values{"format": {format}}, "*/*")
	if err != nil {
		return asUsage(err)
	}
	defer answer.Body.Close()
	if f.output != "table" {
		_, err := io.Copy(env.std.out, answer.Body)
		return err
	}
	return policyTable(env.std, answer.Body)
}

func policyTable(std streams, body io.Reader) error {
	var p struct {
		Warnings []string
		Off      *struct{ Who, Why, Until string }
		Keys     []struct {
			Key          map[string]*string
			Enabled      bool
			HedgeAfterMs *float64 `json:"hedge_after_ms"`
			Q, Budget    *float64
			ValidUntil   *string `json:"valid_until"`
			Verdict      *string
			Reason       string
		}
	}
	if err := json.NewDecoder(body).Decode(&p); err != nil {
		return fmt.Errorf("reading the answer: %w", err)
	}
	for _, w := range p.Warnings {
		fmt.Fprintf(std.err, "warning: %s\n", w)
	}
	if p.Off != nil {
		fmt.Fprintf(std.err, "hedging is off until %s: %s (%s)\n", p.Off.Until, p.Off.Why, p.Off.Who)
	}
	tw := tabwriter.NewWriter(std.out, 0, 4, 2, ' ', 0)
	fmt.Fprintln(tw, "key\tenabled\thedge_after_ms\tq\tbudget\tvalid_until\tverdict\treason")
	for _, k := range p.Keys {
		fmt.Fprintf(tw, "%s\t%v\t%s\t%s\t%s\t%s\t%s\t%s\n", keyLine(k.Key), k.Enabled, orDash(k.HedgeAfterMs), orDash(k.Q), orDash(k.Budget), orDash(k.ValidUntil), orDash(k.Verdict), k.Reason)
	}
	return tw.Flush()
}

func keyLine(key map[string]*string) string {
	v := url.Values{}
	for d, value := range key {
		v.Set(d, "")
		if value != nil {
			v.Set(d, *value)
		}
	}
	return v.Encode()
}

func orDash[T any](v *T) string {
	if v == nil {
		return "-"
	}
	return fmt.Sprint(*v)
}

func (f *policyFlags) override(c *cobra.Command, env *environment) error {
	key := map[string]string{}
	for _, k := range f.keys {
		name, value, ok := strings.Cut(k, "=")
		if _, twice := key[name]; !ok || name == "" || twice {
			return usagef("--key %q: write dimension=value, each dimension once", k)
		}
		key[name] = value
	}
	n := 0
	for _, set := range []bool{f.enable, f.disable, f.remove} {
		if set {
			n++
		}
	}
	if n != 1 {
		return usagef("say one of --enable, --disable and --remove")
	}
	if f.remove {
		return f.change(c, env, http.MethodDelete, "hedge/policy/override", map[string]any{"key": key})
	}
	body := map[string]any{"key": key, "enabled": f.enable, "until": f.until, "for": f.lasts}
	for _, o := range []struct {
		flag, field string
		value       float64
	}{{"hedge-after", "hedge_after_ms", float64(f.hedgeAfter.Microseconds()) / 1000}, {"q", "q", f.q}, {"budget", "budget", f.budget}} {
		if c.Flags().Changed(o.flag) {
			body[o.field] = o.value
		}
	}
	return f.change(c, env, http.MethodPost, "hedge/policy/override", body)
}

// change sends one change and shows what was kept of it.
func (f *policyFlags) change(c *cobra.Command, env *environment, method, path string, body map[string]any) error {
	body["why"] = f.why
	raw, err := json.Marshal(body)
	if err != nil {
		return fmt.Errorf("writing the change: %w", err)
	}
	cl, err := f.client(env)
	if err != nil {
		return err
	}
	answer, err := cl.Send(c.Context(), method, path, bytes.NewReader(raw), http.Header{"Content-Type": {"application/json"}})
	if err != nil {
		return asUsage(err)
	}
	defer answer.Body.Close()
	return show(env.std.out, answer.Body, "json")
}
