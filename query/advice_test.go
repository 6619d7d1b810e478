package query

import (
	"testing"
	"time"
)

func TestFoldPolicy(t *testing.T) {
	t0 := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	at := func(m int) time.Time { return t0.Add(time.Duration(m) * time.Minute) }
	changes := []PolicyChange{
		{At: at(0), Kind: ChangeOverride, Key: "a", Enabled: true, Until: at(60)},
		{At: at(5), Kind: ChangeOverride, Key: "b", Until: at(20)},
		{At: at(10), Kind: ChangeOff, Until: at(30)},
		{At: at(40), Kind: ChangeRemove, Key: "a"},
		{At: at(45), Kind: ChangeOff, Until: at(90)},
		{At: at(50), Kind: ChangeOn},
		{At: at(55), Kind: ChangeOverride, Key: "a", Until: at(56)},
		{At: at(56), Kind: ChangeOverride, Key: "a", Enabled: true, Until: at(58)},
	}
	for _, tc := range []struct {
		minute   int
		a, b     bool // overridden
		off      bool
		nextEnds int
	}{
		{-1, false, false, false, 0}, {0, true, false, false, 1}, {6, true, true, false, 2}, {10, true, true, true, 3}, {19, true, true, true, 3},
		{20, true, false, true, 2}, {29, true, false, true, 2}, {30, true, false, false, 1}, {40, false, false, false, 0}, {46, false, false, true, 1},
		{50, false, false, false, 0}, {57, true, false, false, 1}, {58, false, false, false, 0},
	} {
		s := FoldPolicy(changes, at(tc.minute))
		_, a := s.Overrides["a"]
		_, b := s.Overrides["b"]
		if a != tc.a || b != tc.b || (s.Off != nil) != tc.off || len(s.Ends()) != tc.nextEnds {
			t.Errorf("at minute %d: a %v, b %v, off %v, ends %v; want %+v", tc.minute, a, b, s.Off, s.Ends(), tc)
		}
	}
	if s := FoldPolicy(changes, at(57)); !s.Overrides["a"].Enabled {
		t.Error("the later override of a key does not hold")
	}
}

func TestKeyTextRoundTrip(t *testing.T) {
	for _, key := range []map[string]string{{}, {"model": "a&b=c/ü", "route": ""}} {
		back := ParseKeyText(KeyText(key))
		if len(back) != len(key) || back["model"] != key["model"] || back["route"] != key["route"] {
			t.Errorf("%v came back as %v", key, back)
		}
	}
	if KeyText(map[string]string{"route": "b", "model": "a"}) != "model=a&route=b" {
		t.Error("names are not sorted")
	}
}
