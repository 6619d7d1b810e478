package main

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// sample is how many rows could be read after what time.
type sample struct {
	at   time.Duration
	rows int64
}

// result is one run of one peer.
type result struct {
	peer                   string
	wall                   time.Duration // from the start of the client until the last row can be read
	net                    float64       // rows per second between the 10th and the 90th percent
	records                int64
	rows                   int64 // stored
	doubled                int64 // stored more than once
	client, server, broker usage
	load                   string // of the machine when it was done
	agreement              string // sums over the rows; empty where a peer has no such columns
}

func (r result) rate() float64 { return float64(r.records) / r.wall.Seconds() }

// perMillion is CPU seconds for a million records.
func (r result) perMillion(u usage) float64 { return u.cpu.Seconds() * 1e6 / float64(r.records) }

// lookEvery is how often the rows are counted.
const lookEvery = 100 * time.Millisecond

// watch runs a peer on a fresh site until every record can be read.
func watch(ctx context.Context, p peer, s *site, brokerPIDs []int) (result, error) {
	r := result{peer: p.name, records: s.set.records}
	ctx, cancel := context.WithTimeoutCause(ctx, s.set.patience, fmt.Errorf("not all rows after %s", s.set.patience))
	defer cancel()
	if err := p.prepare(ctx, s); err != nil {
		return r, fmt.Errorf("preparing %s: %w", p.name, err)
	}
	server, err1 := usageOf(s.db.PIDs)
	broker, err2 := usageOf(brokerPIDs)
	if err := errors.Join(err1, err2); err != nil {
		return r, err
	}
	start := time.Now()
	c, err := p.begin(ctx, s)
	if err != nil {
		return r, fmt.Errorf("starting %s: %w", p.name, err)
	}
	var pids []int
	if c != nil {
		defer c.stop()
		pids = []int{c.cmd.Process.Pid}
	}
	samples, err := await(ctx, p, s, c, start)
	if err != nil {
		return r, fmt.Errorf("%s: %w", p.name, err)
	}
	last := samples[len(samples)-1]
	r.wall, r.net, r.load = last.at, netRate(samples, s.set.records), load()
	clientNow, err1 := usageOf(pids)
	serverNow, err2 := usageOf(s.db.PIDs)
	brokerNow, err3 := usageOf(brokerPIDs)
	r.client, r.server, r.broker = clientNow, serverNow.since(server), brokerNow.since(broker)
	settled, err4 := settle(ctx, p, s)
	r.rows, r.doubled = settled, settled-s.set.records
	if p.sameTable {
		r.agreement, err = s.db.ask(ctx, file("sql/agreement.sql", map[string]string{"table": p.table}))
	}
	return r, errors.Join(err, err1, err2, err3, err4)
}

// await counts rows until every record is there.
func await(ctx context.Context, p peer, s *site, c *client, start time.Time) ([]sample, error) {
	samples := []sample{{}}
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil, fmt.Errorf("%w: %d of %d rows", context.Cause(ctx), samples[len(samples)-1].rows, s.set.records)
		case <-tick.C:
		}
		if c != nil {
			if err := c.ended(); err != nil {
				return nil, err
			}
		}
		n, err := p.count(ctx, s)
		if err != nil {
			return nil, err
		}
		samples = append(samples, sample{time.Since(start), n})
		if n < s.set.records {
			continue
		}
		distinct, err := p.distinct(ctx, s)
		if err != nil {
			return nil, err
		}
		if distinct >= s.set.records {
			return samples, nil
		}
	}
}

// count is how many rows can be read; 0 where a client has not made its table
// yet. It reads no data.
func (p peer) count(ctx context.Context, s *site) (int64, error) {
	return s.db.number(ctx, file("sql/count.sql", map[string]string{"table": p.table}))
}

func (p peer) distinct(ctx context.Context, s *site) (int64, error) {
	return s.db.number(ctx, "SELECT uniqExact("+p.identity+") FROM "+p.table)
}

// settle waits for rows that still come, which would be doubles, and counts.
func settle(ctx context.Context, p peer, s *site) (int64, error) {
	select {
	case <-ctx.Done():
		return 0, context.Cause(ctx)
	case <-time.After(2 * time.Second):
	}
	return p.count(ctx, s)
}

// netRate is rows per second between a tenth and nine tenths of all records,
// both points interpolated between samples; 0 where the rows came in too few
// steps to say, within a quarter of all time.
func netRate(samples []sample, records int64) float64 {
	from, to := reached(samples, float64(records)/10), reached(samples, float64(records)*9/10)
	if (to-from)*4 < samples[len(samples)-1].at {
		return 0
	}
	return float64(records) * 0.8 / (to - from).Seconds()
}

// reached is the time at which a number of rows was passed.
func reached(samples []sample, rows float64) time.Duration {
	for i := 1; i < len(samples); i++ {
		a, b := samples[i-1], samples[i]
		if float64(b.rows) >= rows {
			share := (rows - float64(a.rows)) / float64(b.rows-a.rows)
			return a.at + time.Duration(share*float64(b.at-a.at))
		}
	}
	return samples[len(samples)-1].at
}
