package main

import (
	"math"
	"strings"
	"time"

	"headway/schema"
)

// fresh is what a record holds before a message is read into it.
func fresh(rec *schema.Record) schema.Record {
	return schema.Record{Origin: rec.Origin, Source: "headway", StartPoint: schema.StartHandler,
		Precision: time.Microsecond, Role: schema.RolePrimary}
}

// check applies the rules of one value after the other; ok turns false at the
// first that is unusual: out of range, with characters that must be cleaned,
// or with another meaning than its text.
type check struct{ ok bool }

// text takes what needs no cleaning: short printable ASCII.
func (c *check) text(s string) string {
	if len(s) > schema.MaxDimension || len(s) > 0 && s[0] == ' ' {
		c.ok = false
	}
	for i := range len(s) {
		if s[i]-' ' >= 0x7f-' ' {
			c.ok = false
		}
	}
	return s
}

func (c *check) id(s string) string {
	if s == "" || strings.HasSuffix(s, "-primary") || strings.HasSuffix(s, "-backup") {
		c.ok = false
	}
	return c.text(s)
}

func (c *check) role(s string) schema.Role {
	switch r := schema.Role(s); r {
	case "":
		return schema.RolePrimary
	case schema.RolePrimary, schema.RoleBackup, schema.RoleRetry:
		return r
	}
	c.ok = false
	return ""
}

func (c *check) outcome(s string) schema.Outcome {
	switch o := schema.Outcome(s); o {
	case "", schema.OutcomeCompleted, schema.OutcomeClientCancelled, schema.OutcomeUpstreamClosed, schema.OutcomeTimeout,
		schema.OutcomeError, schema.OutcomeRateLimited, schema.OutcomeSuperseded:
		return o
	}
	c.ok = false
	return ""
}

// time takes a time with zone that is neither expired nor ahead.
func (c *check) time(s string, arrival time.Time) time.Time {
	t, err := time.Parse(time.RFC3339Nano, s)
	t = t.UTC().Truncate(time.Millisecond)
	if err != nil || t.Before(arrival.Add(-schema.DefaultRetention)) || t.After(arrival.Add(10*time.Minute)) {
		c.ok = false
	}
	return t
}

func (c *check) whole(p *int64, limit int64) schema.Opt[int64] {
	if p == nil || *p == missingWhole {
		return schema.Opt[int64]{}
	}
	if *p < 0 || *p > limit {
		c.ok = false
	}
	return schema.Some(*p)
}

func (c *check) status(v schema.Opt[int64]) schema.Opt[int32] {
	if v.Valid && (v.Value < 100 || v.Value > 999) {
		c.ok = false
	}
	return schema.Opt[int32]{Value: int32(v.Value), Valid: v.Valid}
}

func (c *check) real(p *float64) schema.Opt[float64] {
	if p == nil || *p != *p {
		return schema.Opt[float64]{}
	}
	if *p < 0 || *p > math.MaxFloat64 {
		c.ok = false
	}
	return schema.Some(*p)
}

// span takes milliseconds, rounded to microseconds.
func (c *check) span(p *float64) schema.Opt[time.Duration] {
	if p == nil || *p != *p {
		return schema.Opt[time.Duration]{}
	}
	if *p < 0 || *p > float64(schema.MaxSpan/time.Millisecond) {
		c.ok = false
		return schema.Opt[time.Duration]{}
	}
	return schema.Some(time.Duration(*p*1000+0.5) * time.Microsecond)
}

// finish applies the rules that look at several values, and derives. False
// where values contradict each other and must be mended.
func finish(rec *schema.Record) bool {
	t := &rec.Timing
	if rec.Model == "" || zeroTiming(rec) ||
		rec.Stream == schema.Some(false) && (rec.StreamEvents.Value > 0 || rec.TextDeltas.Value > 0 || t.FirstSSEEvent.Valid) {
		return false
	}
	latest := t.FirstSSEEvent.Value
	for _, m := range [...]schema.Opt[time.Duration]{t.FirstResponse, t.FirstTextDelta, t.UpstreamDone, t.TotalHandler} {
		if m.Valid && m.Value < latest-time.Millisecond {
			return false
		}
		latest = max(latest, m.Value)
	}
	if buffered(rec) {
		rec.AddFlag(schema.FlagBufferedUpstream)
	}
	rec.Derived = schema.Derive(rec)
	return true
}

func zeroTiming(rec *schema.Record) bool {
	if rec.Status != schema.Some[int32](200) || rec.InputTokens.Value <= 0 && rec.OutputTokens.Value <= 0 {
		return false
	}
	t, recorded := &rec.Timing, false
	for _, v := range [...]schema.Opt[time.Duration]{t.UpstreamStart, t.Auth, t.Distribution, t.BodyRead, t.UpstreamHeaders,
		t.FirstSSEEvent, t.FirstResponse, t.FirstTextDelta, t.UpstreamDone, t.TotalHandler} {
		if v.Value != 0 {
			return false
		}
		recorded = recorded || v.Valid
	}
	return recorded
}

func buffered(rec *schema.Record) bool {
	event, response, done := rec.Timing.FirstSSEEvent, rec.Timing.FirstResponse, rec.Timing.UpstreamDone
	if !event.Valid || !response.Valid || !done.Valid || rec.OutputTokens.Value < 50 {
		return false
	}
	first, last := min(event.Value, response.Value, done.Value), max(event.Value, response.Value, done.Value)
	return (last-first)*50 <= last
}
