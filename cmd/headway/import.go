package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"headway/internal/client"
	"headway/internal/intake"
	"headway/internal/upload"
	"headway/schema"
)

type importFlags struct {
	source, server, format, output, baseTime string
	shift                                    bool
	step                                     time.Duration
}

func newImport(env *environment) *cobra.Command {
	var f importFlags
	cmd := &cobra.Command{
		Use:   "import FILE...",
		Short: "Upload files of records to a server",
		Long: `Reads files (NDJSON, a JSON array or CSV, gzip allowed, - for standard input),
maps their rows with the source's adapter, and uploads them. What a file does
not have stays missing. A row that can't be placed is counted with its reason
and loses none of its neighbours. The same import again within a day stores
nothing twice while the server runs; with --shift-to-now its times differ, so
it does.

Sources: ` + sourceNames(),
		Example: `  headway import --source thefastest --shift-to-now thefastest_ttft.csv
  headway import --source llmperf --base-time 2026-11-29T00:00:00Z individual.csv
  zcat records.ndjson.gz | headway import --source headway -`,
		Args: func(c *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usagef("name at least one FILE, or - for standard input; see headway import --help")
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error { return runImport(c.Context(), env, f, args) },
	}
	addClientFlags(cmd, &f.server)
	fl := cmd.Flags()
	fl.StringVar(&f.source, "source", "headway", "adapter that reads the rows")
	fl.StringVar(&f.format, "format", "", "ndjson, json or csv (default: detected)")
	fl.StringVarP(&f.output, "output", "o", "text", "text or json")
	fl.BoolVar(&f.shift, "shift-to-now", false, "move all times by one constant so that the newest row is now; rows are flagged time_shifted")
	fl.StringVar(&f.baseTime, "base-time", "", "RFC 3339 time of the first row of a file without clock times; rows are flagged time_assigned")
	fl.DurationVar(&f.step, "base-step", time.Second, "distance of rows that get a time from --base-time")
	return cmd
}

func sourceNames() string { return strings.Join(schema.NewSources().Names(), ", ") }

func (f importFlags) check(paths []string) (schema.Format, time.Time, error) {
	format, err := schema.ParseFormat(f.format)
	if err != nil {
		return "", time.Time{}, usageError{err}
	}
	if f.output != "text" && f.output != "json" {
		return "", time.Time{}, usagef("output %q: use text or json", f.output)
	}
	if f.shift && slices.Contains(paths, "-") {
		return "", time.Time{}, usagef("--shift-to-now reads the input twice, so it can't take standard input; write it to a file first")
	}
	src, err := schema.NewSources().Need(f.source)
	if err != nil {
		return "", time.Time{}, usageError{err}
	}
	if f.baseTime == "" {
		if src.NoClock {
			return "", time.Time{}, usagef("source %s has no clock times; say when its first row was with --base-time, for example --base-time 2026-11-29T00:00:00Z", f.source)
		}
		return format, time.Time{}, nil
	}
	base, err := time.Parse(time.RFC3339, f.baseTime)
	if err != nil {
		return "", base, usagef("--base-time %q: write RFC 3339 with a zone, for example 2026-11-29T00:00:00Z", f.baseTime)
	}
	return format, base, nil
}

func runImport(ctx context.Context, env *environment, f importFlags, paths []string) error {
	format, base, err := f.check(paths)
	if err != nil {
		return err
	}
	cl, err := client.New(serverOf(env, f.server), env.getenv("HEADWAY_TOKEN"), 5*time.Minute)
	if err != nil {
		return usageError{err}
	}
	now := time.Now().UTC()
	shift, err := shiftOf(f, paths, format, now)
	if err != nil {
		return err
	}
	bar := newBar(env.std.err, paths)
	up := upload.New(cl, f.source)
	for _, path := range paths {
		input := intake.Input{Name: path, Format: format, IDs: &intake.RowIDs{}, Now: now}
		input.Decoder, err = newDecoder(f.source, func(c *schema.Config) {
			c.BaseTime, c.BaseStep, c.Shift, c.NewID = base, f.step, shift, input.IDs.Next
			c.Retention = schema.KeepForever // how long rows are kept is the server's to say
		})
		if err != nil {
			return err
		}
		switch err := importFile(ctx, env, up, input, bar); {
		case err != nil && up.Result().Read == 0:
			return err
		case err != nil:
			return errors.Join(brokenOff(err, up.Result()), reportImport(env.std.out, up.Result(), f.output))
		}
	}
	bar.finish()
	r := up.Result()
	if err := reportImport(env.std.out, r, f.output); err != nil {
		return err
	}
	if r.Accepted == 0 {
		return fmt.Errorf("none of %d rows was accepted: check that the files are of source %s", r.Read, f.source)
	}
	return nil
}

// brokenOff says how far an import came and how to go on.
func brokenOff(err error, r upload.Result) error {
	return fmt.Errorf("%w; the server had taken %d of the rows read: run the same import again, what it has is flagged as duplicate", err, r.Accepted)
}

// shiftOf finds the constant of --shift-to-now over all files.
func shiftOf(f importFlags, paths []string, format schema.Format, now time.Time) (time.Duration, error) {
	if !f.shift {
		return 0, nil
	}
	var newest time.Time
	for _, path := range paths {
		dec, err := newDecoder(f.source, func(c *schema.Config) { c.Retention = schema.KeepForever })
		if err != nil {
			return 0, err
		}
		in, err := intake.Open(path, nil)
		if err != nil {
			return 0, err
		}
		at, err := intake.Input{Name: path, Reader: in, Format: format, Decoder: dec, Now: now}.Newest()
		if err := errors.Join(err, in.Close()); err != nil {
			return 0, err
		}
		if at.After(newest) {
			newest = at
		}
	}
	if newest.IsZero() {
		return 0, fmt.Errorf("--shift-to-now: no row of %s has a usable time", strings.Join(paths, ", "))
	}
	return schema.ShiftToNow(newest, now), nil
}

// toldRejects is how many refused rows of a file get a line of their own.
const toldRejects = 20

func importFile(ctx context.Context, env *environment, up *upload.Uploader, input intake.Input, bar *bar) error {
	in, err := intake.Open(input.Name, env.std.in)
	if err != nil {
		return err
	}
	defer in.Close()
	input.Reader = bar.reader(in)
	told := 0
	err = input.Each(func(i intake.Item) error {
		if i.Reject != nil && told <= toldRejects {
			if told++; told <= toldRejects {
				fmt.Fprintf(env.std.err, "headway: %s line %d: %v\n", i.File, i.Line, i.Reject)
			} else {
				fmt.Fprintf(env.std.err, "headway: %s: further refused rows are only counted\n", i.File)
			}
		}
		return up.Add(ctx, i)
	})
	if err != nil {
		return err
	}
	return up.Flush(ctx)
}

func reportImport(w io.Writer, r upload.Result, output string) error {
	if output == "json" {
		enc := json.NewEncoder(w)
		enc.SetIndent("", "  ")
		return enc.Encode(r)
	}
	fmt.Fprintf(w, "read %d, accepted %d, rejected %d, flagged %d, content keys dropped %d\n", r.Read, r.Accepted, r.Rejected, r.Flagged, r.ContentDropped)
	for _, reason := range slices.Sorted(maps.Keys(r.Reasons)) {
		fmt.Fprintf(w, "  rejected %s: %d\n", reason, r.Reasons[reason])
	}
	return nil
}
