package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"time"

	"github.com/oklog/ulid/v2"
	"github.com/spf13/cobra"

	"headway/classify"
	"headway/internal/config"
	"headway/internal/intake"
	"headway/schema"
)

// classified is one line of output: the verdict of one record.
type classified struct {
	RequestID string `json:"request_id"`
	classify.Verdict
}

func newClassify(env *environment) *cobra.Command {
	var source string
	cmd := &cobra.Command{
		Use:   "classify FILE|-",
		Short: "Say which stages of records were slow, without any server",
		Long: `Reads records (NDJSON, a JSON array or CSV, gzip allowed) and writes one JSON
verdict a line: labels in checking order, the largest stage, the evidence with
its threshold, what was not measured, and the rules' version. A single record
needs neither model nor time. Thresholds come from --config (classify:).`,
		Example: `  headway classify trace.json
  kcat -C -t llm-timing -e | headway classify - | jq -c '.labels'`,
		Args: oneFile,
		RunE: func(_ *cobra.Command, args []string) error {
			return runClassify(env, source, args[0])
		},
	}
	cmd.Flags().StringVar(&source, "source", "headway", "adapter that reads the records: "+sourceNames())
	return cmd
}

func oneFile(c *cobra.Command, args []string) error {
	if len(args) != 1 {
		return usagef("%s takes one FILE, or - for standard input; see %s --help", c.CommandPath(), c.CommandPath())
	}
	return nil
}

func runClassify(env *environment, source, path string) error {
	cfg, err := config.Load(env.configPath, env.getenv)
	if err != nil {
		return usageError{err}
	}
	judge, err := classify.New(cfg.Classify)
	if err != nil {
		return usageError{err}
	}
	dec, err := newDecoder(source, func(c *schema.Config) { c.Partial = true })
	if err != nil {
		return err
	}
	in, err := intake.Open(path, env.std.in)
	if err != nil {
		return err
	}
	defer in.Close()
	out := bufio.NewWriter(env.std.out)
	lines := json.NewEncoder(out)
	read, refused := 0, 0
	err = intake.Input{Name: path, Reader: in, MaxBytes: cfg.Records.MaxBytes, Decoder: dec, Now: time.Now()}.Each(func(i intake.Item) error {
		read++
		if i.Reject != nil {
			refused++
			fmt.Fprintf(env.std.err, "headway: %s line %d: %v\n", i.File, i.Line, i.Reject)
			return nil
		}
		return lines.Encode(classified{i.Record.RequestID, judge.Classify(i.Record)})
	})
	if err != nil {
		return err
	}
	if err := out.Flush(); err != nil {
		return fmt.Errorf("writing verdicts: %w", err)
	}
	if read == 0 {
		return fmt.Errorf("%s holds no record", path)
	}
	if refused > 0 {
		return fmt.Errorf("%d rows could not be judged; the lines above say why", refused)
	}
	return nil
}

// newDecoder returns a decoder of a named source; set changes its settings.
func newDecoder(source string, set func(*schema.Config)) (*schema.Decoder, error) {
	src, err := schema.NewSources().Need(source)
	if err != nil {
		return nil, usageError{err}
	}
	cfg := schema.Config{Source: src, NewID: newID}
	set(&cfg)
	dec, err := schema.NewDecoder(cfg)
	if err != nil {
		return nil, usageError{err}
	}
	return dec, nil
}

// newID returns a ULID: sortable by time, unique without coordination.
func newID() string { return ulid.Make().String() }
