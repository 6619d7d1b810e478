package api

import (
	"context"
	"slices"
	"time"

	"headway/query"
)

// SaveAdvice and the methods below keep advice and changes in memory.
func (s *shelf) SaveAdvice(_ context.Context, all []query.StoredAdvice) error {
	s.advice = append(s.advice, all...)
	return s.err
}

func (s *shelf) Advice(_ context.Context, ids []string) (out []query.StoredAdvice, err error) {
	for _, a := range s.advice {
		if slices.Contains(ids, a.ID) {
			out = append(out, a)
		}
	}
	return out, s.err
}

func (s *shelf) LatestAdvice(_ context.Context, since, to time.Time) ([]query.StoredAdvice, error) {
	s.polled++
	latest := map[string]query.StoredAdvice{}
	var keys []string
	for _, a := range s.advice {
		if a.MadeAt.Before(since) || a.Window.To.After(to) {
			continue
		}
		if old, ok := latest[a.Key]; !ok {
			keys = append(keys, a.Key)
		} else if a.Window.To.Before(old.Window.To) {
			continue
		}
		latest[a.Key] = a
	}
	var out []query.StoredAdvice
	for _, k := range keys {
		out = append(out, latest[k])
	}
	return out, s.err
}

func (s *shelf) SavePolicyChange(_ context.Context, c query.PolicyChange) error {
	if s.err == nil {
		s.changes = append(s.changes, c)
	}
	return s.err
}

func (s *shelf) PolicyChanges(_ context.Context, w query.Window) (out []query.PolicyChange, err error) {
	for _, c := range s.changes {
		if !c.At.Before(w.From) && c.At.Before(w.To) {
			out = append(out, c)
		}
	}
	return out, s.err
}
