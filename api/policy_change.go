package api

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/danielgtaylor/huma/v2"

	"headway/query"
	"headway/schema"
)

// PolicyChanges answers GET hedge/policy/changes.
type PolicyChanges struct {
	Meta    Meta           `json:"meta"`
	Changes []PolicyChange `json:"changes"`
}

// PolicyChange is one change of the policy by a person.
type PolicyChange struct {
	ChangeID     string             `json:"change_id"`
	At           string             `json:"at"`
	Kind         string             `json:"kind" doc:"override, remove, off or on."`
	Key          map[string]*string `json:"key" doc:"Null for off and on."`
	Enabled      *bool              `json:"enabled" doc:"Of an override; null otherwise."`
	HedgeAfterMs *float64           `json:"hedge_after_ms"`
	Q            *float64           `json:"q"`
	Budget       *float64           `json:"budget"`
	Who          string             `json:"who" doc:"Configured name of the token; local where no tokens are set."`
	Why          string             `json:"why"`
	Until        *string            `json:"until"`
}

func (p PolicyChanges) describe() Meta { return p.Meta }

func (p PolicyChanges) table() table {
	t := table{columns: []string{"at", "kind", "key", "enabled", "hedge_after_ms", "q", "budget", "who", "why", "until"}}
	for _, c := range p.Changes {
		t.rows = append(t.rows, []any{c.At, c.Kind, query.KeyText(textOf(c.Key)), cell(c.Enabled), cell(c.HedgeAfterMs), cell(c.Q), cell(c.Budget), c.Who, c.Why, cell(c.Until)})
	}
	return t
}

func presentPolicyChange(c query.PolicyChange) PolicyChange {
	out := PolicyChange{ChangeID: c.ID, At: stamp(c.At), Kind: string(c.Kind), Q: c.Q, Budget: c.Budget, Who: c.Who, Why: c.Why}
	if c.Key != "" {
		out.Key = keyOf(query.ParseKeyText(c.Key))
	}
	if c.Kind == query.ChangeOverride {
		out.Enabled = &c.Enabled
	}
	if c.HedgeAfter != nil {
		out.HedgeAfterMs = ptr(millis(*c.HedgeAfter))
	}
	if c.Kind == query.ChangeOverride || c.Kind == query.ChangeOff {
		out.Until = ptr(stamp(c.Until))
	}
	return out
}

func (s *Server) policyChanges(ctx context.Context, in *input) (PolicyChanges, error) {
	w, err := query.ParsePolicyChanges(s.Fields, in.values, s.Now())
	if err != nil {
		return PolicyChanges{}, err
	}
	all, err := s.Advices.PolicyChanges(ctx, w)
	if err != nil {
		return PolicyChanges{}, fmt.Errorf("reading changes of the hedge policy: %w", err)
	}
	out := PolicyChanges{Meta: Meta{From: stamp(w.From), To: stamp(w.To), N: int64(len(all)), Table: "policy_changes", Approximation: "exact",
		LeftOut: map[string]int64{}, StartPoints: []string{}, Sources: []string{}, Warnings: []string{}}, Changes: []PolicyChange{}}
	for _, c := range all {
		out.Changes = append(out.Changes, presentPolicyChange(c))
	}
	return out, nil
}

// changeBody is the body of a change. Which fields count is the change's.
type changeBody struct {
	Key          map[string]string `json:"key"`
	Enabled      *bool             `json:"enabled"`
	HedgeAfterMs *float64          `json:"hedge_after_ms"`
	Q            *float64          `json:"q"`
	Budget       *float64          `json:"budget"`
	Why          string            `json:"why"`
	Until        string            `json:"until"`
	For          string            `json:"for"`
}

const (
	maxWhy = 500
	// maxOverride is the longest time that a person's change may hold; what
	// should last longer belongs into the configuration.
	maxOverride    = 90 * 24 * time.Hour
	maxPolicyDelay = 24 * time.Hour
	maxChangeBytes = 64 << 10
)

func (s *Server) registerPolicyChanges(api huma.API) {
	for _, c := range []struct {
		method, path, summary, about string
		kind                         query.ChangeKind
	}{
		{http.MethodPost, "hedge/policy/override", "Hedge one key otherwise than advised, until a time", "key, enabled, why, and until (RFC 3339) or for (a duration); hedge_after_ms, q and budget where they differ from the advice.", query.ChangeOverride},
		{http.MethodDelete, "hedge/policy/override", "End a key's override before its time", "key and why.", query.ChangeRemove},
		{http.MethodPost, "hedge/policy/off", "Switch hedging off everywhere, until a time", "why, and until (RFC 3339) or for (a duration).", query.ChangeOff},
		{http.MethodDelete, "hedge/policy/off", "Switch hedging on again before its time", "why.", query.ChangeOn},
	} {
		op := operation(c.method, c.path, c.summary)
		op.Responses = answers[PolicyChange](api)
		huma.Register(api, op, func(ctx context.Context, in *input) (*jsonOutput, error) {
			out, err := s.changePolicy(ctx, in, c.kind)
			if err != nil {
				return nil, s.explainError(ctx, c.path, err)
			}
			body, err := marshal(out)
			return &jsonOutput{ContentType: formatJSON.contentType(), Body: body}, err
		})
		body := &huma.RequestBody{Required: true, Description: "JSON: " + c.about, Content: map[string]*huma.MediaType{mediaJSON: {Schema: &huma.Schema{Type: "object"}}}}
		if item := api.OpenAPI().Paths[op.Path]; c.method == http.MethodPost {
			item.Post.RequestBody = body
		} else {
			item.Delete.RequestBody = body
		}
	}
}

func (s *Server) changePolicy(ctx context.Context, in *input, kind query.ChangeKind) (PolicyChange, error) {
	if err := query.ParseStored(in.values); err != nil {
		return PolicyChange{}, err
	}
	var b changeBody
	if err := strictJSON(in.body, &b); err != nil {
		return PolicyChange{}, problem("invalid-body", err.Error())
	}
	c, items := s.readChange(b, kind)
	if len(items) > 0 {
		return PolicyChange{}, invalidBody(items)
	}
	c.ID, c.Who = s.NewID(), s.who(ctx)
	if err := s.Advices.SavePolicyChange(ctx, c); err != nil {
		return PolicyChange{}, err
	}
	s.policies.forget()
	s.Log.Info("the hedge policy was changed", "kind", kind, "key", c.Key, "who", c.Who, "until", c.Until, "request_id", requestID(ctx))
	return presentPolicyChange(c), nil
}

func strictJSON(r io.Reader, into any) error {
	raw, err := io.ReadAll(io.LimitReader(r, maxChangeBytes+1))
	if err != nil || len(raw) > maxChangeBytes {
		return errors.New("the body can't be read, or is larger than 64 KiB")
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.DisallowUnknownFields()
	if err := dec.Decode(into); err != nil {
		return fmt.Errorf("the body is no JSON object of a change (%w); it takes key, enabled, hedge_after_ms, q, budget, why, until and for", err)
	}
	if dec.More() {
		return errors.New("the body holds more than one JSON object")
	}
	return nil
}

func invalidBody(items []ProblemItem) *Problem {
	detail := fmt.Sprintf("%d mistakes; errors lists them", len(items))
	if len(items) == 1 {
		detail = items[0].Message
	}
	return problem("invalid-body", detail, items...)
}

// readChange checks a change; every mistake comes back at once.
func (s *Server) readChange(b changeBody, kind query.ChangeKind) (query.PolicyChange, []ProblemItem) {
	var items []ProblemItem
	bad := func(when bool, field, format string, args ...any) {
		if when {
			items = append(items, ProblemItem{Location: "body." + field, Message: field + ": " + fmt.Sprintf(format, args...), Nearest: []string{}})
		}
	}
	now := s.Now().UTC().Truncate(time.Millisecond)
	c := query.PolicyChange{At: now, Kind: kind, Why: strings.TrimSpace(b.Why)}
	bad(c.Why == "", "why", "say why, for those who read the chart later")
	bad(len(c.Why) > maxWhy || !utf8.ValidString(c.Why), "why", "at most %d bytes of UTF-8 text", maxWhy)
	if kind == query.ChangeOverride || kind == query.ChangeOff {
		until, err := untilOf(b, now)
		c.Until = until
		bad(err != nil, "until", "%v", err)
	} else {
		bad(b.Until != "" || b.For != "", "until", "this change ends something at once; leave until and for out")
	}
	if kind == query.ChangeOff || kind == query.ChangeOn {
		bad(b.Key != nil || b.Enabled != nil || b.HedgeAfterMs != nil || b.Q != nil || b.Budget != nil, "key", "the switch is for all keys; override one key with hedge/policy/override")
		return c, items
	}
	c.Key = query.KeyText(b.Key)
	for _, problem := range s.keyMistakes(b.Key) {
		bad(true, "key", "%s", problem)
	}
	if kind == query.ChangeRemove {
		bad(b.Enabled != nil || b.HedgeAfterMs != nil || b.Q != nil || b.Budget != nil, "enabled", "an override is removed as a whole; give key and why")
		return c, items
	}
	s.readOverride(b, &c, bad)
	return c, items
}

// untilOf is when a change ends.
func untilOf(b changeBody, now time.Time) (time.Time, error) {
	var until time.Time
	var err error
	switch {
	case (b.Until == "") == (b.For == ""):
		return until, errors.New(`say until when, with until ("2026-12-01T18:00:00Z") or for ("2h"): nothing that a person sets holds for ever`)
	case b.For != "":
		var d time.Duration
		if d, err = query.ParseDuration(b.For); err != nil {
			return until, err
		}
		until = now.Add(d)
	default:
		if until, err = query.ParseTime(b.Until, now); err != nil {
			return until, err
		}
	}
	switch {
	case !until.After(now):
		return until, fmt.Errorf("%s is not in the future", stamp(until))
	case until.Sub(now) > maxOverride:
		return until, errors.New("at most 90 days ahead; what should hold longer belongs into the configuration (hedge.routes)")
	}
	return until.UTC().Truncate(time.Millisecond), nil
}

func (s *Server) keyMistakes(key map[string]string) []string {
	var out []string
	if len(key) == 0 {
		out = append(out, `name the key as GET hedge/policy does, for example {"model":"gpt-4o","route":"core"}`)
	}
	for d, v := range key {
		f, ok := s.Fields.Lookup(d)
		if !ok || f.Kind != schema.KindDimension {
			out = append(out, fmt.Sprintf("%q is no dimension; nearest: %s", d, strings.Join(query.Nearest(d, s.Fields.Names(schema.KindDimension)), ", ")))
		}
		if len(v) > 256 || !utf8.ValidString(v) {
			out = append(out, d+": at most 256 bytes of UTF-8 text")
		}
	}
	return out
}

func (s *Server) readOverride(b changeBody, c *query.PolicyChange, bad func(bool, string, string, ...any)) {
	route := s.Hedge.Key(b.Key, nil)
	bad(b.Enabled == nil, "enabled", "say true or false")
	if b.Enabled != nil {
		c.Enabled = *b.Enabled
		bad(c.Enabled && route.SideEffects, "enabled", "the route has side effects (hedge.routes): a request must not be sent twice; mend the configuration if that is wrong")
	}
	if ms := b.HedgeAfterMs; ms != nil {
		d := time.Duration(*ms * float64(time.Millisecond)).Truncate(time.Microsecond)
		bad(!(*ms >= millis(route.Floor)), "hedge_after_ms", "%v is below the floor of %s", *ms, route.Floor)
		bad(*ms > millis(maxPolicyDelay) || route.Cap > 0 && *ms > millis(route.Cap), "hedge_after_ms", "%v is above the cap of %s", *ms, orDefault(route.Cap, maxPolicyDelay))
		bad(route.Timeout > 0 && *ms >= millis(route.Timeout), "hedge_after_ms", "%v is not below the request time-out of %s", *ms, route.Timeout)
		c.HedgeAfter = &d
	}
	bad(b.Q != nil && !(*b.Q > 0 && *b.Q <= 1), "q", "a chance above 0, up to 1")
	bad(b.Budget != nil && !(*b.Budget > 0 && *b.Budget <= 1), "budget", "a share of requests above 0, up to 1")
	c.Q, c.Budget = b.Q, b.Budget
}

func orDefault(d, fallback time.Duration) time.Duration {
	if d > 0 {
		return d
	}
	return fallback
}
