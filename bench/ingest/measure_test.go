package main

import (
	"testing"
	"time"
)

func TestParseStat(t *testing.T) {
	for _, tc := range []struct {
		name, stat string
		want       time.Duration
		bad        bool
	}{
		{"plain", "7 (headway) S 1 1 1 0 -1 4 10 0 0 0 150 50 9 9 20 0 8 0 100 1", 2 * time.Second, false},
		{"name with blanks and brackets", "7 (a) b (c) S 1 1 1 0 -1 4 10 0 0 0 1 2 9 9 20", 30 * time.Millisecond, false},
		{"cut off", "7 (headway) S 1 1", 0, true},
		{"no number", "7 (headway) S 1 1 1 0 -1 4 10 0 0 0 x 50 9", 0, true},
		{"empty", "", 0, true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got, err := parseStat([]byte(tc.stat))
			if got != tc.want || (err != nil) != tc.bad {
				t.Errorf("%v, %v; want %v", got, err, tc.want)
			}
		})
	}
}

func TestParsePeak(t *testing.T) {
	if got, err := parsePeak([]byte("Name:\tx\nVmHWM:\t  2048 kB\nVmRSS:\t 1 kB\n")); got != 2<<20 || err != nil {
		t.Errorf("%d, %v; want 2 MiB", got, err)
	}
	if got, err := parsePeak([]byte("Name:\tx\n")); got != 0 || err != nil {
		t.Errorf("an ended process: %d, %v", got, err)
	}
	if _, err := parsePeak([]byte("VmHWM: many kB\n")); err == nil {
		t.Error("no error for a size that is no number")
	}
}

func TestNetRateInterpolates(t *testing.T) {
	s := time.Second
	for _, tc := range []struct {
		name    string
		samples []sample
		want    float64
	}{
		{"steady", []sample{{}, {2 * s, 0}, {12 * s, 1000}}, 100},
		{"slow start and end", []sample{{}, {5 * s, 100}, {13 * s, 900}, {25 * s, 1000}}, 100},
		{"one step", []sample{{}, {4 * s, 1000}}, 250},
		{"all at once at the end", []sample{{}, {39 * s, 0}, {40 * s, 1000}}, 0},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if got := netRate(tc.samples, 1000); got < tc.want-1e-6 || got > tc.want+1e-6 {
				t.Errorf("%v rows/s, want %v", got, tc.want)
			}
		})
	}
}

func TestSettingsRefuseMistakes(t *testing.T) {
	for _, args := range [][]string{
		{"-broker", "rabbit"}, {"-peers", "headway,logstash"}, {"-peers", "collector"}, {"-growth", "1,many"},
		{"-partitions", "0"}, {"-growth", "1,65"}, {"-records", "0"}, {"-runs", "0"}, {"-batch", "0"},
	} {
		if _, err := parseSettings(args); err == nil {
			t.Errorf("%v is taken", args)
		}
	}
	s, err := parseSettings([]string{"-broker", "both", "-growth", "1,2"})
	if err != nil || len(s.brokers) != 2 || len(s.growth) != 2 || len(s.peers()) != 2 {
		t.Errorf("%+v, %v", s, err)
	}
}

func TestSummaryTakesMediansAndTheWorst(t *testing.T) {
	run := func(seconds, mib, doubled int64) result {
		return result{wall: time.Duration(seconds) * time.Second, records: 600, doubled: doubled, client: usage{peak: mib << 20}}
	}
	s := summarize([]result{run(1, 10, 0), run(6, 30, 0), run(2, 20, 5)})
	if s.rate != 300 || s.clientPeak != 30<<20 || s.doubled != 5 {
		t.Errorf("%+v; want 300 rows/s, 30 MiB, 5 doubled", s)
	}
}
