package proxy

import (
	"bytes"
	"errors"
	"io"
	"os"
	"testing"
)

func TestLossLetsTheRequestThrough(t *testing.T) {
	t.Parallel()
	s, p := start(t)
	c := dial(t, p)
	ask(t, c, "before")
	p.Set(Fault{Loss: &Loss{Times: 1}})
	if got, err := tell(c, "insert"); err == nil || errors.Is(err, os.ErrDeadlineExceeded) || got != "" {
		t.Errorf("answer %q, %v; want a broken connection", got, err)
	}
	s.until(t, "the request", func(got string, _ int) bool { return got == "beforeinsert" })
	ask(t, dial(t, p), "once is all")
	if n := p.Counts().Lost; n != 1 {
		t.Errorf("%d answers lost, want 1", n)
	}
}

func TestLossPicksRequestAndAnswer(t *testing.T) {
	t.Parallel()
	s, p := start(t)
	p.Set(Fault{Loss: &Loss{Request: func(b []byte) bool { return bytes.Contains(b, []byte("INSERT")) }, Answers: 1}})
	for range 2 { // without Times it goes on for ever
		c := dial(t, p)
		ask(t, c, "hello")
		ask(t, c, "INSERT")
		if got, err := tell(c, "rows"); err == nil || got != "" {
			t.Errorf("answer to the rows %q, %v; want it to be lost", got, err)
		}
	}
	s.until(t, "everything", func(got string, _ int) bool { return got == "helloINSERTrowshelloINSERTrows" })
	p.Set(Fault{})
	c := dial(t, p)
	ask(t, c, "INSERT")
	ask(t, c, "rows")
	if n := p.Counts().Lost; n != 2 {
		t.Errorf("%d answers lost, want 2", n)
	}
}

func TestRequestLost(t *testing.T) {
	t.Parallel()
	s, p := start(t)
	c := dial(t, p)
	p.Set(Fault{Loss: &Loss{Way: RequestLost, Times: 1, Answers: 1}})
	ask(t, c, "first")
	if _, err := tell(c, "second"); err == nil || errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("error %v, want a broken connection", err)
	}
	ask(t, dial(t, p), "third")
	s.until(t, "all but the lost one", func(got string, _ int) bool { return got == "firstthird" })
}

func TestRequestHeldArrivesLate(t *testing.T) {
	t.Parallel()
	s, p := start(t)
	p.Set(Fault{Loss: &Loss{Way: RequestHeld, Times: 1, Answers: 1, Request: func(b []byte) bool { return bytes.HasPrefix(b, []byte("INSERT")) }}})
	c, other := dial(t, p), dial(t, p)
	ask(t, c, "INSERT")
	if _, err := io.WriteString(c, "rows"); err != nil {
		t.Fatal(err)
	}
	silent(t, c)
	c.Close()
	ask(t, other, "INSERT")
	ask(t, other, "again")
	s.until(t, "nothing held", func(got string, ended int) bool { return got == "INSERTINSERTagain" && ended == 0 })
	p.Set(Fault{})
	s.until(t, "what was held", func(got string, ended int) bool { return got == "INSERTINSERTagainrows" && ended == 1 })
}
