// Command headway is the whole product in one binary: each mode is a
// subcommand, and this package only wires the parts together.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"headway/engine"
	"headway/internal/ops"
)

// Exit codes that scripts rely on.
const (
	exitOK    = 0
	exitError = 1
	exitUsage = 2
	// exitUnknown is of checks that could not be made.
	exitUnknown = 3
)

func main() {
	if engine.IsChild() {
		os.Exit(engine.ChildMain())
	}
	abort := func() { os.Exit(exitError) }
	ctx, cancel := ops.Interruptible(context.Background(), abort)
	code := run(ctx, os.Args[1:], streams{in: os.Stdin, out: os.Stdout, err: os.Stderr}, os.Getenv)
	cancel()
	os.Exit(code)
}

// streams are where a command reads and writes: data on out, talk on err.
type streams struct {
	in       io.Reader
	out, err io.Writer
}

// usageError marks a mistake in how the command was called.
type usageError struct{ err error }

func (e usageError) Error() string { return e.err.Error() }
func (e usageError) Unwrap() error { return e.err }

// unknownError marks a check that came to no result.
type unknownError struct{ err error }

func (e unknownError) Error() string { return e.err.Error() }
func (e unknownError) Unwrap() error { return e.err }

func usagef(format string, args ...any) error {
	return usageError{fmt.Errorf(format, args...)}
}

// run parses args, runs the command and returns the process's exit code.
func run(ctx context.Context, args []string, std streams, getenv func(string) string) int {
	root := newRoot(std, getenv)
	root.SetArgs(args)
	root.SetIn(std.in)
	root.SetOut(std.out)
	root.SetErr(std.err)
	err := root.ExecuteContext(ctx)
	if err == nil {
		return exitOK
	}
	fmt.Fprintf(std.err, "headway: %v\n", err)
	var usage usageError
	var unknown unknownError
	switch {
	case errors.As(err, &usage):
		return exitUsage
	case errors.As(err, &unknown):
		return exitUnknown
	}
	return exitError
}

// environment is what commands share: streams, variables and global flags.
type environment struct {
	std        streams
	getenv     func(string) string
	configPath string
	logLevel   string
}

func newRoot(std streams, getenv func(string) string) *cobra.Command {
	env := &environment{std: std, getenv: getenv}
	root := &cobra.Command{
		Use:   "headway",
		Short: "Latency analytics and hedge tuning for LLM gateways",
		Long: `Headway reads content-free timing records of LLM gateways from Kafka, keeps
them in ClickHouse, and answers three questions: why is the tail slow, after
how many milliseconds without a first token does a backup request pay, and
which thresholds should change this week.

Start here:  headway up            everything on this machine, with sample data
Production:  headway serve         API and dashboard beside your ClickHouse
             headway ingest        Kafka to ClickHouse
Without any server:  headway simulate, headway classify, headway gen`,
		SilenceUsage:  true,
		SilenceErrors: true,
		Version:       ops.Version(),
		Args:          rejectUnknown,
		RunE:          func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	root.CompletionOptions.HiddenDefaultCmd = true
	root.PersistentFlags().StringVar(&env.configPath, "config", "", "YAML configuration file")
	root.PersistentFlags().StringVar(&env.logLevel, "log-level", "", "debug, info, warn or error (default from the configuration: info)")
	root.SetFlagErrorFunc(func(c *cobra.Command, err error) error {
		return usagef("%w; see %s --help", err, c.CommandPath())
	})
	root.AddCommand(
		newUp(env), newServe(env), newIngest(env), newMigrate(env), newDoctor(env),
		newQuery(env), newAdvise(env), newPolicy(env), newImport(env), newVerify(env),
		newSimulate(env), newClassify(env), newGen(env),
	)
	return root
}

// rejectUnknown refuses positional arguments with the nearest command.
func rejectUnknown(c *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	c.SuggestionsMinimumDistance = 3
	hint := ""
	if near := c.SuggestionsFor(args[0]); len(near) > 0 {
		hint = fmt.Sprintf(" (did you mean %s?)", near[0])
	}
	return usagef("there is no command %q%s; see headway --help", args[0], hint)
}

// noArgs refuses positional arguments with a usage error.
func noArgs(c *cobra.Command, args []string) error {
	if len(args) > 0 {
		return usagef("%s takes no arguments, got %q; see %s --help", c.CommandPath(), args[0], c.CommandPath())
	}
	return nil
}
