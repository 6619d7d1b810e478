package api

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"headway/query"
)

// StoredAdvice answers GET hedge/advice/{id}.
type StoredAdvice struct {
	Meta Meta `json:"meta"`
	AdviceHead
	MadeBy      string          `json:"made_by"`
	Version     string          `json:"version" doc:"Of the rules."`
	Question    string          `json:"question" doc:"Parameters of hedge/recommendation."`
	Settings    json.RawMessage `json:"settings" doc:"Those in force when it was made."`
	Fingerprint string          `json:"fingerprint" doc:"SHA-256 of the waits, history and pairs it was made from."`
	Answer      Advice          `json:"answer"`
}

func (a StoredAdvice) describe() Meta { return a.Meta }

func (a StoredAdvice) table() table {
	return table{columns: []string{"advice_id", "made_at", "from", "to", "n", "verdict", "hedge_after_ms", "version", "fingerprint"},
		rows: [][]any{{a.AdviceID, a.MadeAt, a.From, a.To, a.N, a.Verdict, cell(a.HedgeAfter), a.Version, a.Fingerprint}}}
}

// Reproduction answers GET hedge/advice/{id}/reproduction.
type Reproduction struct {
	Meta        Meta   `json:"meta"`
	AdviceID    string `json:"advice_id"`
	Same        bool   `json:"same" doc:"Whether answer and rows are the same, byte for byte."`
	SameRows    bool   `json:"same_rows" doc:"Whether the rows have the same fingerprint."`
	SameAnswer  bool   `json:"same_answer"`
	Explanation string `json:"explanation"`
	StoredN     int64  `json:"stored_n"`
	N           int64  `json:"n"`
	Answer      Advice `json:"answer" doc:"As made now."`
}

func (r Reproduction) describe() Meta { return r.Meta }

func (r Reproduction) table() table {
	return table{columns: []string{"advice_id", "same", "same_rows", "same_answer", "stored_n", "n", "explanation"},
		rows: [][]any{{r.AdviceID, r.Same, r.SameRows, r.SameAnswer, r.StoredN, r.N, r.Explanation}}}
}

// storedMeta is the meta of an answer about one stored piece of advice.
func storedMeta(a query.StoredAdvice) Meta {
	return Meta{From: stamp(a.Window.From), To: stamp(a.Window.To), N: a.N, Table: "advice", Approximation: "exact",
		LeftOut: map[string]int64{}, StartPoints: []string{}, Sources: []string{}, Warnings: []string{}}
}

func (s *Server) storedAdvice(ctx context.Context, in *input) (StoredAdvice, error) {
	a, err := s.find1(ctx, in)
	if err != nil {
		return StoredAdvice{}, err
	}
	return StoredAdvice{Meta: storedMeta(a), AdviceHead: headOf(a), MadeBy: a.MadeBy, Version: a.Version, Question: a.Question,
		Settings: json.RawMessage(a.Settings), Fingerprint: a.Fingerprint, Answer: answerOf(a)}, nil
}

func (s *Server) reproduction(ctx context.Context, in *input) (Reproduction, error) {
	a, err := s.find1(ctx, in)
	if err != nil {
		return Reproduction{}, err
	}
	again, found, err := s.makeAgain(ctx, a)
	if err != nil {
		return Reproduction{}, err
	}
	out := Reproduction{Meta: storedMeta(a), AdviceID: a.ID, StoredN: a.N}
	if found {
		out.N, out.Answer = again.N, answerOf(again)
		out.SameRows, out.SameAnswer, out.Same = again.Fingerprint == a.Fingerprint, again.Answer == a.Answer, same(a, again)
	}
	out.Explanation = explainAgain(a, out, found)
	return out, nil
}

func explainAgain(a query.StoredAdvice, r Reproduction, found bool) string {
	switch {
	case r.Same:
		return fmt.Sprintf("The %d rows stored by %s give the same answer, byte for byte.", a.N, stamp(a.Horizon))
	case !found:
		return "The key has no rows in the window any more: they are beyond the retention, or were removed."
	case a.Version != adviceVersion:
		return fmt.Sprintf("It was made by the rules %s; these are %s.", a.Version, adviceVersion)
	case !r.SameRows:
		return fmt.Sprintf("The rows are others than then (%d then, %d now): some are beyond the retention or were removed, or were being stored when the advice was made.", a.N, r.N)
	}
	return "The rows are the same and the answer is not: another version of Headway made it, or another kind of machine."
}

// LastAdvice is what was advised before, beside what is advised now.
type LastAdvice struct {
	AdviceID     string   `json:"advice_id"`
	MadeAt       string   `json:"made_at"`
	To           string   `json:"to" doc:"End of its window."`
	HedgeAfterMs *float64 `json:"hedge_after_ms"`
	Verdict      string   `json:"verdict"`
	TriggerRatio *float64 `json:"trigger_ratio"`
	ChangeMs     *float64 `json:"change_ms" doc:"hedge_after_ms now minus then."`
	ChangeShare  *float64 `json:"change_share" doc:"Of hedge_after_ms then."`
	Beyond       *bool    `json:"beyond_interval" doc:"Whether the delay of then lies outside the interval of now: a change that is no noise."`
}

// compareWithLast sets the stored advice of a week earlier beside each key.
func (s *Server) compareWithLast(ctx context.Context, keys []Advice, w query.Window) error {
	if len(keys) == 0 {
		return nil
	}
	const slack = 12 * time.Hour
	weekOld, err := s.Advices.LatestAdvice(ctx, w.From.Add(-week), w.To.Add(-week+slack))
	if err != nil {
		return fmt.Errorf("reading last week's advice: %w", err)
	}
	newest, err := s.Advices.LatestAdvice(ctx, w.From.Add(-week), w.To.Add(-time.Millisecond))
	if err != nil {
		return fmt.Errorf("reading the advice before: %w", err)
	}
	for i := range keys {
		name := query.KeyText(textOf(keys[i].Key))
		for _, from := range [][]query.StoredAdvice{weekOld, newest} {
			if k := slices.IndexFunc(from, func(a query.StoredAdvice) bool { return a.Key == name }); k >= 0 {
				keys[i].Last = lastOf(from[k], keys[i])
				break
			}
		}
	}
	return nil
}

// textOf is a key with "" for what was not recorded.
func textOf(key map[string]*string) map[string]string {
	out := map[string]string{}
	for d, v := range key {
		out[d] = ""
		if v != nil {
			out[d] = *v
		}
	}
	return out
}

func lastOf(a query.StoredAdvice, now Advice) *LastAdvice {
	then := answerOf(a)
	out := &LastAdvice{AdviceID: a.ID, MadeAt: stamp(a.MadeAt), To: stamp(a.Window.To), HedgeAfterMs: then.HedgeAfterMs, Verdict: then.Verdict, TriggerRatio: then.TriggerRatio}
	if was, is := then.HedgeAfterMs, now.HedgeAfterMs; was != nil && is != nil && *was > 0 {
		out.ChangeMs, out.ChangeShare = ptr(tidy(*is-*was)), ptr(ratio((*is-*was) / *was))
		if low, high := now.Interval.LowMs, now.Interval.HighMs; low != nil && high != nil {
			out.Beyond = ptr(*was < *low || *was > *high)
		}
	}
	return out
}
