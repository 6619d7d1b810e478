package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"strings"
	"time"

	"headway/ingest"
	"headway/internal/intake"
	"headway/internal/sample"
	"headway/internal/synth"
	"headway/schema"
)

// How much of an invented fleet stands beside the real sample, so that time
// charts, baselines and advice have something to show.
const (
	sampleHistory = 8 * 24 * time.Hour
	sampleRate    = 0.1 // requests a second, past and live
	sampleSeed    = 20261130
	sampleGateway = "demo-"
)

// loadSample puts the sample on the topic once in a data directory's life and
// returns how many records that were; mark is the file that remembers it.
func (n *node) loadSample(ctx context.Context, to *ingest.Producer, mark string) (int64, error) {
	now, done, err := sampleMark(mark)
	if err != nil || done {
		return 0, err
	}
	records, err := fastestRecords(now)
	if err != nil {
		return 0, err
	}
	history, err := historyRecords(now)
	if err != nil {
		return 0, err
	}
	if err := to.Produce(ctx, append(records, history...)); err != nil {
		return 0, err
	}
	n.log.Info("sample data loaded", "real", len(records), "synthetic", len(history), "note", sample.Notice)
	if err := os.Rename(mark+".begun", mark); err != nil {
		return 0, fmt.Errorf("noting that the sample is loaded: %w", err)
	}
	return int64(len(records) + len(history)), nil
}

// sampleMark tells whether the sample was loaded before, and else the time
// that it is moved to. The time is written down before anything is produced,
// so that a load that broke off gives the same records again, which are then
// known as duplicates.
func sampleMark(mark string) (now time.Time, done bool, err error) {
	if _, err := os.Stat(mark); err == nil {
		return now, true, nil
	}
	begun := mark + ".begun"
	if raw, err := os.ReadFile(begun); err == nil {
		now, err = time.Parse(time.RFC3339, strings.TrimSpace(string(raw)))
		return now, false, err
	}
	now = time.Now().UTC().Truncate(time.Second)
	if err := os.WriteFile(begun, []byte(now.Format(time.RFC3339)+"\n"), 0o600); err != nil {
		return now, false, fmt.Errorf("noting that the sample is being loaded: %w", err)
	}
	return now, false, nil
}

// fastestRecords returns the embedded public data as canonical records, moved
// so that its newest row is now.
func fastestRecords(now time.Time) ([][]byte, error) {
	input := func(set func(*schema.Config)) (intake.Input, error) {
		ids := &intake.RowIDs{}
		dec, err := newDecoder(sample.Source, func(c *schema.Config) { c.NewID = ids.Next; set(c) })
		return intake.Input{Name: "sample", Reader: bytes.NewReader(sample.TheFastest), Format: schema.FormatCSV, Decoder: dec, IDs: ids, Now: now}, err
	}
	first, err := input(func(c *schema.Config) { c.Retention = schema.KeepForever })
	if err != nil {
		return nil, err
	}
	newest, err := first.Newest()
	if err != nil {
		return nil, err
	}
	second, err := input(func(c *schema.Config) { c.Shift = schema.ShiftToNow(newest, now) })
	if err != nil {
		return nil, err
	}
	var out [][]byte
	err = second.Each(func(i intake.Item) error {
		if i.Record != nil {
			out = append(out, schema.AppendJSON(nil, i.Record))
		}
		return nil
	})
	return out, err
}

func historyRecords(now time.Time) ([][]byte, error) {
	g, err := synth.New(synth.Config{Seed: sampleSeed, From: now.Add(-sampleHistory), To: now, Rate: sampleRate})
	if err != nil {
		return nil, err
	}
	var out [][]byte
	for r := range g.All() {
		r.Gateway = sampleGateway + r.Gateway
		out = append(out, asGateway(nil, r))
	}
	return out, nil
}

// live runs the small synthetic stream until ctx ends. Where it can't go on,
// the rest of the product does.
func (n *node) live(ctx context.Context, to *ingest.Producer) error {
	err := synth.Live(ctx, sampleRate, sampleSeed+1, synth.WallClock{}, func(r *schema.Record) error {
		r.Gateway = sampleGateway + r.Gateway
		return to.Produce(ctx, [][]byte{asGateway(nil, r)})
	})
	if err != nil && ctx.Err() == nil {
		n.log.Error("the live sample stopped", "error", err)
	}
	<-ctx.Done()
	return nil
}
