package api

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"hash"
	"io"
	"sync"
	"time"
)

const (
	idempotencyHeader = "Idempotency-Key"
	repeatTTL         = 24 * time.Hour
	maxRepeats        = 10_000
)

// repeats remembers uploads by their idempotency key, in memory: a restart
// forgets them, and then the duplicate window of ingestion catches what is
// sent again.
type repeats struct {
	now func() time.Time
	mu  sync.Mutex
	by  map[string]*repeat
	age []string // keys, oldest first
}

// repeat is one remembered upload.
type repeat struct {
	busy   bool
	done   bool
	params string
	body   [sha256.Size]byte // when done
	answer []byte            // when done
	landed int64             // accepted rows that failed tries have put into the log
	at     time.Time
}

func newRepeats(now func() time.Time) *repeats { return &repeats{now: now, by: map[string]*repeat{}} }

// begin takes the key, or says why it can't be taken.
func (r *repeats) begin(key, params string) (repeat, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.forget()
	e, ok := r.by[key]
	if !ok {
		e = &repeat{params: params, at: r.now()}
		r.by[key] = e
		r.age = append(r.age, key)
	}
	switch {
	case e.busy:
		return repeat{}, problem("idempotency-conflict", "an upload with this idempotency key is still running; wait for its answer").after(retrySoon)
	case e.params != params:
		return repeat{}, problem("idempotency-conflict", "the idempotency key was used with other parameters; take a new key")
	}
	e.busy = true
	return *e, nil
}

// end gives the key back with what became of the upload.
func (r *repeats) end(key string, after repeat) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if e, ok := r.by[key]; ok {
		after.busy, after.at, after.params = false, e.at, e.params
		*e = after
	}
}

// forget drops what is too old or too many; uploads that run stay.
func (r *repeats) forget() {
	for len(r.age) > 0 {
		e := r.by[r.age[0]]
		if e.busy || len(r.age) < maxRepeats && r.now().Sub(e.at) < repeatTTL {
			return
		}
		delete(r.by, r.age[0])
		r.age = r.age[1:]
	}
}

// once runs an upload, at most once per idempotency key.
func (s *Server) once(ctx context.Context, in *input, o uploadOptions) (*jsonOutput, error) {
	key := in.header.Get(idempotencyHeader)
	if key == "" {
		out, _, err := s.upload(ctx, in.body, o, 0)
		return out, err
	}
	if !printable(key) || len(key) > maxID {
		return nil, problem("invalid-question", "the idempotency key has 1 to 128 printable ASCII characters",
			ProblemItem{Location: "header." + idempotencyHeader, Message: "1 to 128 printable ASCII characters", Nearest: []string{}})
	}
	mem, err := s.repeats.begin(key, o.identity(in.values))
	if err != nil {
		return nil, err
	}
	defer func() { s.repeats.end(key, mem) }()
	sum := sha256.New()
	if mem.done {
		return replay(in.body, sum, mem)
	}
	out, landed, err := s.upload(ctx, io.TeeReader(in.body, sum), o, mem.landed)
	mem.landed = max(mem.landed, landed)
	if err != nil {
		return nil, err
	}
	if _, err := io.Copy(sum, in.body); err != nil {
		return nil, bodyProblem(err)
	}
	mem.done, mem.answer = true, out.Body
	sum.Sum(mem.body[:0])
	return out, nil
}

func replay(body io.Reader, sum hash.Hash, mem repeat) (*jsonOutput, error) {
	if _, err := io.Copy(sum, body); err != nil {
		return nil, bodyProblem(err)
	}
	if [sha256.Size]byte(sum.Sum(nil)) != mem.body {
		return nil, problem("idempotency-conflict", "the idempotency key was used for another body; take a new key")
	}
	return &jsonOutput{ContentType: formatJSON.contentType(), Replayed: "true", Body: mem.answer}, nil
}

// upload runs one body and encodes the answer.
func (s *Server) upload(ctx context.Context, body io.Reader, o uploadOptions, skip int64) (*jsonOutput, int64, error) {
	u, landed, err := s.run(ctx, body, o, skip)
	var land *landError
	if errors.As(err, &land) {
		s.account(u.Source, landed-min(skip, landed), nil, 0) // the next try counts the rest
		s.Log.Error("handing uploaded records to the log", "request_id", requestID(ctx), "landed", land.landed, "error", land.err)
		return nil, landed, problem("unavailable", fmt.Sprintf(
			"the log did not take the records; %d of this upload are in it: send it again with the same Idempotency-Key to add the rest", landed)).after(retrySoon)
	}
	s.account(u.Source, landed-min(skip, landed), u.Reasons, u.ContentDropped)
	if err != nil {
		return nil, landed, err
	}
	if o.client.given {
		s.account(o.client.source, 0, o.client.rejected, o.client.content)
	}
	raw, err := marshal(u)
	return &jsonOutput{ContentType: formatJSON.contentType(), Body: raw}, landed, err
}

// account counts what became of an upload, for quality and for the metrics.
func (s *Server) account(source string, accepted int64, rejected map[string]int64, content int64) {
	s.ledger.add(source, accepted, rejected, content)
	s.meters.upload(source, accepted, rejected, content)
}

func printable(s string) bool {
	for _, c := range []byte(s) {
		if c < 0x21 || c > 0x7e {
			return false
		}
	}
	return s != ""
}
