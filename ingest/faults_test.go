package ingest

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"

	"headway/classify"
	"headway/schema"
)

// failing returns a hook that fails the first n landings.
func failing(n int64, err error) func(context.Context, landCall) error {
	var calls atomic.Int64
	return func(context.Context, landCall) error {
		if calls.Add(1) <= n {
			return err
		}
		return nil
	}
}

// untilReported waits for a problem of a class and returns it.
func untilReported(t *testing.T, l *lab, r *running, class string) (p Problem) {
	t.Helper()
	l.eventually("reporting "+class, func(context.Context) error {
		for _, p = range r.Status().Problems {
			if p.Class == class {
				return nil
			}
		}
		return errors.New("nothing reported")
	})
	return p
}

func sinkDownIsRetried(t *testing.T, l *lab) {
	l.sink.hooks(failing(8, &sinkError{retry: true}), nil)
	r := l.start()
	produced := l.produce(0, numbered("a", 250)...)
	if p := untilReported(t, l, r, "retry"); p.Component != onSink || p.Since.IsZero() {
		t.Errorf("problem %+v, want one of the sink", p)
	}
	l.sink.untilLanded(t, 250)
	l.settled()
	l.sink.exactly(t, produced)
	if err := r.Ready(t.Context()); err != nil {
		t.Errorf("after recovery: %v", err)
	}
	if n := r.counter(t, "headway_insert_errors_total", "class=retry"); n != 8 {
		t.Errorf("%v errors counted, want 8", n)
	}
	if n := strings.Count(l.log.String(), "ingestion waits"); n != 1 {
		t.Errorf("%d lines for one change of state", n)
	}
	if n := strings.Count(l.log.String(), "ingestion goes on"); n != 1 {
		t.Errorf("%d lines for one recovery", n)
	}
}

func operatorFaultWaitsForMending(t *testing.T, l *lab) {
	var mended atomic.Bool
	l.sink.hooks(func(context.Context, landCall) error {
		if mended.Load() {
			return nil
		}
		return &sinkError{remedy: "set the right password"}
	}, nil)
	r := l.start()
	produced := l.produce(0, numbered("a", 30)...)
	untilReported(t, l, r, "operator_fault")
	if err := r.Ready(t.Context()); err == nil || !strings.Contains(err.Error(), "set the right password") {
		t.Errorf("readiness says %v, not the remedy", err)
	}
	offsets, err := Offsets(t.Context(), []string{l.addr}, l.safe, l.topic, l.topic)
	if err != nil || offsets[0].Committed != 0 || !offsets[0].Landing {
		t.Errorf("offsets %+v (%v), want them to stay, with the landing noted", offsets, err)
	}
	mended.Store(true)
	l.sink.untilLanded(t, 30)
	l.settled()
	l.sink.exactly(t, produced)
	if len(l.sink.rejects) > 0 {
		t.Error("an operator's fault made rejects")
	}
}

func lostAnswersDoubleNothing(t *testing.T, l *lab) {
	l.sink.hooks(nil, failing(3, errors.New("i/o timeout"))) // no SinkError: it is retried all the same
	l.start()
	produced := l.produce(0, numbered("a", 250)...)
	l.sink.untilLanded(t, 250)
	l.settled()
	l.sink.exactly(t, produced)
}

// refusing refuses landings that hold any of the ids; naming tells whether it
// says where they are.
func refusing(naming bool, ids ...string) func(context.Context, landCall) error {
	bad := map[string]bool{}
	for _, id := range ids {
		bad[id] = true
	}
	return func(_ context.Context, c landCall) error {
		var at []int64
		for i := range c.rows {
			if bad[c.rows[i].Record.RequestID] {
				at = append(at, c.rows[i].Record.Origin.Offset)
			}
		}
		switch {
		case at == nil:
			return nil
		case naming:
			return &sinkError{bad: true, at: at}
		}
		return &sinkError{bad: true}
	}
}

func namedBadRowsAreRejected(t *testing.T, l *lab) { badRows(t, l, true) }

func hiddenBadRowIsFoundByHalving(t *testing.T, l *lab) { badRows(t, l, false) }

func badRows(t *testing.T, l *lab, naming bool) {
	l.sink.hooks(refusing(naming, "a-0", "a-57", "a-99", "a-200"), nil)
	r := l.start()
	payloads := append(numbered("a", 201), "not JSON")
	produced := l.produce(0, payloads...)
	l.sink.untilLanded(t, len(produced))
	l.settled()
	l.sink.exactly(t, produced)
	for _, i := range []int{0, 57, 99, 200} {
		if j := l.sink.rejects[produced[i]]; len(j) != 1 || j[0].Reason != schema.ReasonRefused || j[0].Bytes != len(payloads[i]) {
			t.Errorf("record %d: rejects %+v, want one as %s with its size", i, j, schema.ReasonRefused)
		}
	}
	if n := len(l.sink.rejects); n != 5 {
		t.Errorf("%d rejects, want 5: good rows went with the bad", n)
	}
	if n := r.counter(t, "headway_records_rejected_total", "reason="+string(schema.ReasonRefused)); n != 4 {
		t.Errorf("%v refused rows counted, want 4", n)
	}
	if err := r.Ready(t.Context()); err != nil {
		t.Errorf("a bad row left %v", err)
	}
}

func TestJudgeDecidesByWhatTheErrorSays(t *testing.T) {
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	for _, c := range []struct {
		name string
		ctx  context.Context
		err  error
		want class
	}{
		{"says nothing", t.Context(), errors.New("x"), classRetry},
		{"retryable", t.Context(), &sinkError{retry: true}, classRetry},
		{"wrapped operator fault", t.Context(), errors.Join(errors.New("x"), &sinkError{remedy: "y"}), classOperator},
		{"refused", t.Context(), &sinkError{bad: true}, classRefused},
		{"refused, but may be mended", t.Context(), &sinkError{bad: true, retry: true}, classRetry},
		{"says nothing of use", t.Context(), &sinkError{}, classRetry},
		{"our own end", ended, &sinkError{remedy: "y"}, classStopped},
	} {
		if got := judge(c.ctx, c.err).class; got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

func TestSplitKeepsEveryOffset(t *testing.T) {
	b := &batch{first: 3, last: 12, next: 14, rows: &recorded{}}
	for _, at := range []int64{3, 5, 6, 9, 11} {
		b.keep(&classify.Row{Record: schema.Record{Origin: schema.Origin{Offset: at}}}, int(at))
	}
	for _, at := range []int64{4, 8, 12} {
		b.rejects = append(b.rejects, schema.Reject{Origin: schema.Origin{Offset: at}})
	}
	left, right := b.split()
	if left.first != 3 || left.last+1 != right.first || right.last != 12 || left.next != right.first || right.next != 14 {
		t.Errorf("parts %d-%d then %d and %d-%d then %d, want 3 to 12 without a gap", left.first, left.last, left.next, right.first, right.last, right.next)
	}
	n := 0
	for _, part := range []*batch{left, right} {
		for _, k := range part.kept {
			n++
			if k.offset < part.first || k.offset > part.last || int64(k.size) != k.offset {
				t.Errorf("row at %d with size %d is in the part %d to %d", k.offset, k.size, part.first, part.last)
			}
		}
		for _, j := range part.rejects {
			n++
			if j.Origin.Offset < part.first || j.Origin.Offset > part.last {
				t.Errorf("reject at %d is in the part %d to %d", j.Origin.Offset, part.first, part.last)
			}
		}
	}
	if n != 8 {
		t.Errorf("%d of 8 messages are in the parts", n)
	}
}
