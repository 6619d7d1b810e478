package api

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"headway/schema"
)

const (
	uploadRows   = 1000    // records handed over at once, at most; more make the compression of the log hold more
	uploadBytes  = 1 << 20 // and their size, above which they go
	maxLineErrs  = 100
	unpackFactor = 8 // unpacked bytes per byte of the body limit
)

// upload is one body on its way to the log.
type upload struct {
	s      *Server
	o      uploadOptions
	dec    *schema.Decoder
	rec    schema.Record // reused: records are large
	out    Upload
	packed []byte // records on their way, one behind the other; reused
	ends   []int  // where each of them ends
	chunk  [][]byte
	skip   int64 // accepted rows that an earlier try has landed already
	landed int64 // accepted rows in the log, skipped ones included
}

// run reads the body to its end. It returns how many accepted rows are in the
// log, also beside an error.
func (s *Server) run(ctx context.Context, body io.Reader, o uploadOptions, skip int64) (Upload, int64, error) {
	u := &upload{s: s, o: o, skip: skip}
	u.out = Upload{Source: o.source.Name, Reasons: map[string]int64{}, Flags: map[string]int64{}, Errors: []LineError{}, Warnings: []string{}}
	if err := u.decode(ctx, body); err != nil {
		return u.out, u.landed, err
	}
	if u.out.ContentDropped > 0 {
		u.out.Warnings = append(u.out.Warnings, "records carry content or identity, which was dropped unread; stop the gateway from sending it")
	}
	if o.source.NoClock && o.baseTime.IsZero() && u.out.Rejected > 0 {
		u.out.Warnings = append(u.out.Warnings, "the source "+o.source.Name+" has no clock time; give base_time")
	}
	if !o.source.NoClock && !o.baseTime.IsZero() && u.out.Accepted > 0 && u.out.Flags[schema.FlagTimeAssigned] == 0 {
		u.out.Warnings = append(u.out.Warnings, "base_time changed nothing: it is for rows without a time, and all of these have one; shift_to_now moves times")
	}
	return u.out, u.landed, nil
}

func (u *upload) decode(ctx context.Context, body io.Reader) error {
	cfg := schema.Config{Source: u.o.source, MaxBytes: u.s.Records.MaxRecord, Retention: u.s.Records.Retention,
		Content: u.s.Records.Content, NewID: u.s.NewID, BaseTime: u.o.baseTime}
	if u.o.shiftToNow {
		leave, err := u.s.held.enter(ctx, u.s.held.most)
		if err != nil {
			return err
		}
		defer leave()
		whole, err := io.ReadAll(body)
		if err != nil {
			return bodyProblem(err)
		}
		newest, err := u.newest(ctx, whole, cfg)
		if err != nil {
			return err
		}
		if !newest.IsZero() {
			cfg.Shift = schema.ShiftToNow(newest, u.s.Now())
		}
		body = bytes.NewReader(whole)
	}
	dec, err := schema.NewDecoder(cfg)
	if err != nil {
		return fmt.Errorf("preparing to read an upload: %w", err)
	}
	u.dec = dec
	err = u.each(ctx, body, func(row schema.Row) error { return u.take(ctx, row) })
	var p *Problem
	if err != nil && !errors.As(err, &p) {
		return err
	}
	// Rows before the damage are good: keep them, and say so.
	if land := u.flush(ctx); land != nil {
		return land
	}
	if p != nil {
		p.Detail += fmt.Sprintf("; %d records before it were accepted", u.landed)
		return p
	}
	return nil
}

// newest finds the latest time of the body.
func (u *upload) newest(ctx context.Context, body []byte, cfg schema.Config) (time.Time, error) {
	cfg.Retention = schema.KeepForever
	dec, err := schema.NewDecoder(cfg)
	if err != nil {
		return time.Time{}, fmt.Errorf("preparing to read an upload: %w", err)
	}
	var newest time.Time
	rec := &u.rec
	err = u.each(ctx, bytes.NewReader(body), func(row schema.Row) error {
		if row.Reject != nil {
			return nil
		}
		if _, err := dec.Decode(row.JSON, u.s.Now(), rec); err == nil && rec.CreatedAt.After(newest) && !rec.Flagged(schema.FlagTimeAssigned) {
			newest = rec.CreatedAt
		}
		return nil
	})
	return newest, err
}

// each reads the rows of a body and stops with the request.
func (u *upload) each(ctx context.Context, body io.Reader, do func(schema.Row) error) error {
	most := unpackFactor * u.s.Records.MaxBody
	rows, err := schema.OpenRows(body, schema.RowOptions{Format: u.o.format, OnlyJSON: u.o.onlyJSON, Source: u.o.source,
		MaxBytes: u.s.Records.MaxRecord, MaxUnpacked: most})
	for err == nil {
		var row schema.Row
		if row, err = rows.Next(); err != nil {
			break
		}
		if stop := do(row); stop != nil {
			return stop
		}
		if ctx.Err() != nil {
			return fmt.Errorf("reading an upload: %w", ctx.Err())
		}
	}
	switch {
	case err != io.EOF:
		return bodyProblem(err)
	case rows.Empty() && !u.o.client.given:
		return problem("invalid-body", "the body is empty; send at least one record")
	}
	return nil
}

// take judges one row and queues what is accepted.
func (u *upload) take(ctx context.Context, row schema.Row) error {
	u.out.Read++
	if row.Reject != nil {
		u.refuse(row, row.Reject)
		return nil
	}
	rec := &u.rec
	dropped, err := u.dec.Decode(row.JSON, u.s.Now(), rec)
	u.out.ContentDropped += int64(dropped)
	var reject *schema.RejectError
	if errors.As(err, &reject) {
		u.refuse(row, reject)
		return nil
	}
	if err != nil {
		return fmt.Errorf("reading a record: %w", err)
	}
	u.out.Accepted++
	if len(rec.Flags) > 0 {
		u.out.Flagged++
	}
	for _, f := range rec.Flags {
		u.out.Flags[f]++
	}
	if u.out.Accepted <= u.skip {
		u.landed++
		return nil
	}
	u.packed = schema.AppendJSON(u.packed, rec)
	u.ends = append(u.ends, len(u.packed))
	if len(u.ends) == uploadRows || len(u.packed) >= uploadBytes {
		return u.flush(ctx)
	}
	return nil
}

func (u *upload) refuse(row schema.Row, why *schema.RejectError) {
	u.out.Rejected++
	u.out.Reasons[string(why.Reason)]++
	if len(u.out.Errors) == maxLineErrs {
		u.out.ErrorsLeftOut++
		return
	}
	u.out.Errors = append(u.out.Errors, LineError{Line: int64(row.Line), Reason: string(why.Reason), Remedy: why.Remedy})
}

func (u *upload) flush(ctx context.Context) error {
	if len(u.ends) == 0 {
		return nil
	}
	u.chunk = u.chunk[:0]
	from := 0
	for _, to := range u.ends {
		u.chunk = append(u.chunk, u.packed[from:to:to])
		from = to
	}
	if err := u.s.Uploads.Produce(ctx, u.chunk); err != nil {
		u.packed, u.chunk, u.ends = nil, nil, nil // an ended Produce may still read them
		return &landError{landed: u.landed, err: err}
	}
	u.landed += int64(len(u.chunk))
	u.packed, u.ends = u.packed[:0], u.ends[:0]
	return nil
}

// landError is a failure to hand records over.
type landError struct {
	landed int64
	err    error
}

func (e *landError) Error() string { return "handing uploaded records to the log: " + e.err.Error() }

func (e *landError) Unwrap() error { return e.err }
