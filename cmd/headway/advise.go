package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"github.com/spf13/cobra"

	"headway/internal/client"
	"headway/query"
)

type adviseFlags struct {
	server, output, reproduce string
	store                     bool
}

func newAdvise(env *environment) *cobra.Command {
	var f adviseFlags
	cmd := &cobra.Command{
		Use:   "advise",
		Short: "Hedge advice for each model and route; store it, or make it again",
		Long: `Asks a running server for hedge advice. --store keeps it with what it was made
from, so that GET hedge/policy follows it (needs an admin token where tokens are
set). --reproduce ID makes stored advice again from the same rows and compares
it byte for byte.

Exit codes: 0 done (or the same), 1 it failed or is not the same, 2 called wrongly.`,
		Example: `  headway advise --from now-7d/d --to now/d
  headway advise --store
  headway advise --reproduce adv-0123456789abcdef0123`,
		Args: noArgs,
		RunE: func(c *cobra.Command, _ []string) error { return runAdvise(c, env, f) },
	}
	addClientFlags(cmd, &f.server)
	fl := cmd.Flags()
	fl.BoolVar(&f.store, "store", false, "keep the advice with what it was made from")
	fl.StringVar(&f.reproduce, "reproduce", "", "id of stored advice to make again")
	fl.StringVarP(&f.output, "output", "o", "table", "table, json, csv or ndjson (json with --store)")
	for _, p := range query.QuestionParams("hedge/recommendation") {
		fl.StringArray(p.Name, nil, p.Doc)
	}
	return cmd
}

func runAdvise(c *cobra.Command, env *environment, f adviseFlags) error {
	accept, err := mediaType(f.output)
	if err != nil {
		return err
	}
	params := collect(c, query.QuestionParams("hedge/recommendation"))
	if f.reproduce != "" && (f.store || len(params) > 0) {
		return usagef("--reproduce takes the question from the stored advice: leave --store and the question's flags out")
	}
	cl, err := client.New(serverOf(env, f.server), env.getenv("HEADWAY_TOKEN"), 5*time.Minute)
	if err != nil {
		return usageError{err}
	}
	switch {
	case f.reproduce != "":
		return reproduceAdvice(c, env, cl, f.reproduce, f.output)
	case f.store:
		answer, err := cl.Post(c.Context(), "hedge/advice", params, nil, http.Header{"Accept": {"application/json"}})
		if err != nil {
			return asUsage(err)
		}
		defer answer.Body.Close()
		return show(env.std.out, answer.Body, "json")
	}
	answer, err := cl.Get(c.Context(), "hedge/recommendation", params, accept)
	if err != nil {
		return asUsage(err)
	}
	defer answer.Body.Close()
	if err := show(env.std.out, answer.Body, f.output); err != nil {
		return err
	}
	return explainMeta(env.std.err, answer.Meta)
}

func reproduceAdvice(c *cobra.Command, env *environment, cl *client.Client, id, output string) error {
	answer, err := cl.Get(c.Context(), "hedge/advice/"+id+"/reproduction", nil, "application/json")
	if err != nil {
		return asUsage(err)
	}
	defer answer.Body.Close()
	var raw json.RawMessage
	var r struct {
		Same        bool   `json:"same"`
		Explanation string `json:"explanation"`
	}
	if err := json.NewDecoder(answer.Body).Decode(&raw); err != nil {
		return fmt.Errorf("reading the answer: %w", err)
	}
	if err := json.Unmarshal(raw, &r); err != nil {
		return fmt.Errorf("reading the answer: %w", err)
	}
	if output == "table" {
		fmt.Fprintln(env.std.out, r.Explanation)
	} else {
		fmt.Fprintf(env.std.out, "%s\n", raw)
	}
	if !r.Same {
		return fmt.Errorf("advice %s is not the same when it is made again", id)
	}
	return nil
}
