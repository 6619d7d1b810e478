package api

import (
	"context"
	"errors"
	"fmt"

	"headway/query"
)

// Verifier compares topics with what is stored of them.
type Verifier interface {
	// Topics are the topics that can be verified.
	Topics() []string
	// Verify compares one of them, offset by offset.
	Verify(ctx context.Context, q query.Verify) (query.Verification, error)
}

// Verification answers GET verify: whether every message of a topic became
// exactly one row or reject.
type Verification struct {
	query.Verification
}

func (v Verification) describe() Meta {
	return Meta{Table: "requests", N: v.Rows, Approximation: "exact", LeftOut: map[string]int64{}, StartPoints: []string{}, Sources: []string{}, Warnings: v.Warnings}
}

func (v Verification) table() table {
	t := table{columns: []string{"partition", "epoch", "log_start", "log_end", "compared_to", "rows", "rejected", "waiting", "empty", "expired", "lost", "former", "older", "missing", "doubled"}}
	for _, p := range v.Partitions {
		t.rows = append(t.rows, []any{int64(p.Partition), int64(p.Epoch), p.Start, p.End, p.Compared, p.Rows, p.Rejected, p.Waiting, p.Empty, p.Expired, p.Lost, p.Former, p.Older, p.Missing, p.Doubled})
	}
	return t
}

func (s *Server) verify(ctx context.Context, in *input) (Verification, error) {
	q, err := query.ParseVerify(s.Fields, in.values, s.Verifier.Topics())
	if err != nil {
		return Verification{}, err
	}
	v, err := s.Verifier.Verify(ctx, q)
	var store StoreError
	switch {
	case err == nil:
		return Verification{v}, nil
	case ctx.Err() != nil || errors.As(err, &store):
		return Verification{}, fmt.Errorf("verifying %s: %w", q.Topic, err)
	}
	// Addresses stay in the log.
	s.Log.Error("verifying a topic", "topic", q.Topic, "request_id", requestID(ctx), "error", err)
	return Verification{}, problem("unavailable", "the topic's log can't be read: the broker does not answer, or the topic does not exist; the server's log says which under this request id").after(retrySoon)
}
