package api

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"headway/query"
)

// adviceVersion names the rules that advice is made by; it changes with them,
// so that advice of other rules is not taken for the same.
const adviceVersion = "hedge-2"

// settledAfter is how old a row must be for none older to appear any more: an
// insert that takes longer has failed.
const settledAfter = 2 * time.Minute

// fingerprint is the SHA-256 of all that a key's advice is made from.
func (k key) fingerprint() string {
	h := sha256.New()
	hashWaits(h, k.waits)
	hashWaits(h, k.History)
	var buf []byte
	for _, p := range k.Pairs.Pairs {
		for _, v := range []int64{p.Primary, p.Backup, p.After, p.At.UnixMilli(), flag(p.PrimaryCensored), flag(p.BackupCensored)} {
			buf = binary.LittleEndian.AppendUint64(buf, uint64(v))
		}
	}
	h.Write(buf)
	return hex.EncodeToString(h.Sum(nil))
}

func hashWaits(h hash.Hash, w query.Waits) {
	buf := binary.LittleEndian.AppendUint64(nil, uint64(len(w.Micros)))
	for i, v := range w.Micros {
		buf = binary.LittleEndian.AppendUint64(buf, uint64(v*2+flag(w.Censored[i])))
		if i < len(w.At) {
			buf = binary.LittleEndian.AppendUint64(buf, uint64(w.At[i].UnixMilli()))
		}
		buf = binary.LittleEndian.AppendUint64(buf, uint64(at(w.InputTokens, i)))
		buf = binary.LittleEndian.AppendUint64(buf, uint64(at(w.OutputTokens, i)))
	}
	h.Write(buf)
}

func flag(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

// MadeAdvice answers POST hedge/advice: what was stored.
type MadeAdvice struct {
	Advice   []AdviceHead `json:"advice"`
	New      int          `json:"new" doc:"Pieces that were not stored before; the same window, rules and settings give the same piece."`
	Warnings []string     `json:"warnings"`
}

// AdviceHead is what a list shows of a stored piece of advice.
type AdviceHead struct {
	AdviceID   string             `json:"advice_id"`
	Key        map[string]*string `json:"key"`
	MadeAt     string             `json:"made_at"`
	From       string             `json:"from"`
	To         string             `json:"to"`
	Horizon    string             `json:"horizon"`
	N          int64              `json:"n"`
	Verdict    string             `json:"verdict"`
	HedgeAfter *float64           `json:"hedge_after_ms"`
}

func headOf(a query.StoredAdvice) AdviceHead {
	answer := answerOf(a)
	return AdviceHead{AdviceID: a.ID, Key: keyOf(query.ParseKeyText(a.Key)), MadeAt: stamp(a.MadeAt), From: stamp(a.Window.From), To: stamp(a.Window.To),
		Horizon: stamp(a.Horizon), N: a.N, Verdict: answer.Verdict, HedgeAfter: answer.HedgeAfterMs}
}

// answerOf reads a stored answer; one of a version that can't be read is
// empty, which hedges nothing.
func answerOf(a query.StoredAdvice) Advice {
	var out Advice
	if json.Unmarshal([]byte(a.Answer), &out) != nil {
		return Advice{}
	}
	return out
}

func (s *Server) registerAdvice(api huma.API) {
	op := operation(http.MethodPost, "hedge/advice", "Make advice and store it with what it was made from")
	op.Parameters = s.parameters("hedge/recommendation", op.Path, "")
	op.Responses = answers[MadeAdvice](api)
	huma.Register(api, op, func(ctx context.Context, in *input) (*jsonOutput, error) {
		a, err := s.postAdvice(ctx, in)
		if err != nil {
			return nil, s.explainError(ctx, "hedge/advice", err)
		}
		body, err := marshal(a)
		return &jsonOutput{ContentType: formatJSON.contentType(), Body: body}, err
	})
}

func (s *Server) postAdvice(ctx context.Context, in *input) (MadeAdvice, error) {
	q, err := query.ParseRecommendation(s.Fields, in.values)
	if err != nil {
		return MadeAdvice{}, err
	}
	leave, err := s.gate.enter(ctx)
	if err != nil {
		return MadeAdvice{}, err
	}
	defer leave()
	return s.MakeAdvice(ctx, q, s.who(ctx))
}

// who names who asks, for the record: the token's configured name.
func (s *Server) who(ctx context.Context) string {
	if name := Principal(ctx); name != "" {
		return name
	}
	return "local" // no tokens are set, so only this machine can ask
}

// mostAdvised is the largest number of keys of one making.
const mostAdvised = 500

// adviceTimes is how many times the limit of a question the making of advice
// on all keys may last: it is made once a day.
const adviceTimes = 10

// MakeAdvice advises on every key of a question and stores what was not
// stored before. Routes with a metric of their own are asked for apart.
func (s *Server) MakeAdvice(ctx context.Context, q query.Hedge, by string) (MadeAdvice, error) {
	ctx, cancel := context.WithTimeout(ctx, adviceTimes*s.Limits.Timeout)
	defer cancel()
	q.Limit, q.Explain = mostAdvised, false
	out := MadeAdvice{Advice: []AdviceHead{}, Warnings: []string{}}
	for _, one := range s.Hedge.byMetric(q) {
		all, warnings, err := s.adviceOn(ctx, one, hedgeNeeds{}, by)
		if err != nil {
			return out, err
		}
		out.Warnings = append(out.Warnings, warnings...)
		n, err := s.keep(ctx, all)
		if err != nil {
			return out, err
		}
		out.New += n
		for _, a := range all {
			out.Advice = append(out.Advice, headOf(a))
		}
	}
	s.policies.forget()
	return out, nil
}

// byMetric splits a question that names no metric by the routes that have
// their own.
func (h HedgeSettings) byMetric(q query.Hedge) []query.Hedge {
	if q.Metric != "" || slices.ContainsFunc(q.Where, func(c query.Condition) bool { return c.Dimension == "route" }) {
		return []query.Hedge{q}
	}
	rest := q
	var out []query.Hedge
	for _, route := range slices.Sorted(maps.Keys(h.Routes)) {
		if m := h.Route(route).Metric; m != h.Default.Metric {
			one := q
			one.Where = append(slices.Clone(q.Where), query.Condition{Dimension: "route", Op: query.OpIn, Values: []string{route}})
			rest.Where = append(slices.Clone(rest.Where), query.Condition{Dimension: "route", Op: query.OpNotIn, Values: []string{route}})
			out = append(out, one)
		}
	}
	return append([]query.Hedge{rest}, out...)
}

// adviceOn makes the advice of one question, ready to be stored.
func (s *Server) adviceOn(ctx context.Context, q query.Hedge, needs hedgeNeeds, by string) ([]query.StoredAdvice, []string, error) {
	r, all, rows, err := s.recommend(ctx, q, needs)
	if err != nil {
		return nil, nil, err
	}
	settings, err := json.Marshal(s.Hedge)
	if err != nil {
		return nil, nil, fmt.Errorf("writing the settings of advice: %w", err)
	}
	now, m := s.Now().UTC().Truncate(time.Millisecond), rows.meta
	asked := query.Hedge{Selection: query.Selection{From: stamp(m.From), To: stamp(m.To), Where: rows.footing.scope.Where},
		Metric: m.Metric.Name, By: q.By, Target: q.Target, Limit: q.Limit}.Values().Encode()
	var out []query.StoredAdvice
	for i, a := range all {
		answer, err := json.Marshal(r.Keys[i])
		if err != nil {
			return nil, nil, fmt.Errorf("writing a piece of advice: %w", err)
		}
		one := query.StoredAdvice{MadeAt: now, MadeBy: by, Key: query.KeyText(a.key.waits.Key), Window: m.Window(), Horizon: m.Horizon,
			N: r.Keys[i].N, Version: adviceVersion, Question: asked, Settings: string(settings), Answer: string(answer), Fingerprint: a.print}
		one.ID = adviceID(one)
		out = append(out, one)
	}
	warnings := r.Meta.Warnings
	if now.Sub(m.Horizon) < settledAfter && len(out) > 0 {
		warnings = append(warnings, "rows stored in the last two minutes were taken: inserts that are under way now may change what making this advice again gives")
	}
	return out, warnings, nil
}

// adviceID is the same for the same key, window, rules, question and settings:
// advice that is made twice is one.
func adviceID(a query.StoredAdvice) string {
	h := sha256.New()
	for _, part := range []string{a.Key, stamp(a.Window.From), stamp(a.Window.To), a.Version, a.Question, a.Settings} {
		fmt.Fprintf(h, "%d:%s", len(part), part)
	}
	return "adv-" + hex.EncodeToString(h.Sum(nil))[:20]
}

// keep stores what is not stored yet; what is takes the place of what was
// made now.
func (s *Server) keep(ctx context.Context, all []query.StoredAdvice) (added int, err error) {
	ids := make([]string, len(all))
	for i, a := range all {
		ids[i] = a.ID
	}
	known, err := s.Advices.Advice(ctx, ids)
	if err != nil {
		return 0, fmt.Errorf("looking for advice that was stored before: %w", err)
	}
	var fresh []query.StoredAdvice
	for i, a := range all {
		if k := slices.IndexFunc(known, func(b query.StoredAdvice) bool { return b.ID == a.ID }); k >= 0 {
			all[i] = known[k]
		} else {
			fresh = append(fresh, a)
		}
	}
	if len(fresh) == 0 {
		return 0, nil
	}
	return len(fresh), s.Advices.SaveAdvice(ctx, fresh)
}

// find1 returns one stored piece of advice, or a problem.
func (s *Server) find1(ctx context.Context, in *input) (query.StoredAdvice, error) {
	if err := query.ParseStored(in.values); err != nil {
		return query.StoredAdvice{}, err
	}
	found, err := s.Advices.Advice(ctx, []string{in.path})
	if err != nil {
		return query.StoredAdvice{}, err
	}
	if len(found) == 0 {
		return query.StoredAdvice{}, problem("not-found", "no advice with this id is stored; GET hedge/policy has the ids of what is in force")
	}
	return found[0], nil
}

// makeAgain makes a stored piece of advice again, from the rows that had been
// stored then and with the settings of then.
func (s *Server) makeAgain(ctx context.Context, a query.StoredAdvice) (query.StoredAdvice, bool, error) {
	then := &Server{Options: s.Options}
	if err := json.Unmarshal([]byte(a.Settings), &then.Hedge); err != nil {
		return a, false, fmt.Errorf("reading the settings of advice %s: %w", a.ID, err)
	}
	v, err := url.ParseQuery(a.Question)
	if err != nil {
		return a, false, fmt.Errorf("reading the question of advice %s: %w", a.ID, err)
	}
	q, err := query.ParseRecommendation(s.Fields, v)
	if err != nil {
		return a, false, fmt.Errorf("reading the question of advice %s: %w", a.ID, err)
	}
	then.Notice = ""
	all, _, err := then.adviceOn(ctx, q, hedgeNeeds{horizon: a.Horizon}, a.MadeBy)
	if err != nil {
		return a, false, err
	}
	for _, again := range all {
		if again.Key == a.Key {
			return again, true, nil
		}
	}
	return a, false, nil
}

// same tells whether two answers are equal byte for byte.
func same(a, b query.StoredAdvice) bool {
	return bytes.Equal([]byte(a.Answer), []byte(b.Answer)) && a.Fingerprint == b.Fingerprint
}
