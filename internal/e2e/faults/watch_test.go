package faults

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"strconv"
	"strings"
)

// readyz returns the status and the reasons by component.
func (l *lab) readyz() (status int, reasons map[string]string, err error) {
	req, err := http.NewRequest(http.MethodGet, l.p.URL+"/readyz", nil)
	if err != nil {
		return 0, nil, err
	}
	status, body, err := answer(req)
	if err != nil {
		return 0, nil, err
	}
	var a struct {
		Components []struct{ Component, Reason string }
	}
	if err := json.Unmarshal([]byte(body), &a); err != nil {
		return status, nil, fmt.Errorf("%w: %s", err, body)
	}
	reasons = map[string]string{}
	for _, c := range a.Components {
		reasons[c.Component] = c.Reason
	}
	return status, reasons, nil
}

// ready is nil while /readyz says 200.
func (l *lab) ready() error {
	status, reasons, err := l.readyz()
	if err == nil && status != http.StatusOK {
		err = fmt.Errorf("%d %v", status, reasons)
	}
	return err
}

// refuses is nil when /readyz says 503 and ingestion's reason holds every one
// of the words; it returns the reason.
func (l *lab) refuses(words []string) (string, error) {
	status, reasons, err := l.readyz()
	if err != nil {
		return "", err
	}
	reason := reasons["ingest"]
	if status != http.StatusServiceUnavailable {
		return reason, fmt.Errorf("status %d", status)
	}
	for _, w := range words {
		if !strings.Contains(reason, w) {
			return reason, fmt.Errorf("reason %q lacks %q", reason, w)
		}
	}
	return reason, nil
}

// metric sums a metric's series whose labels contain the text.
func (l *lab) metric(name, labels string) float64 {
	l.t.Helper()
	req, err := http.NewRequest(http.MethodGet, l.p.URL+"/metrics", nil)
	if err != nil {
		l.t.Fatal(err)
	}
	status, body, err := answer(req)
	if err != nil || status != http.StatusOK {
		l.t.Fatalf("metrics: %d, %v", status, err)
	}
	sum := 0.0
	for _, line := range strings.Split(body, "\n") {
		series, value, _ := strings.Cut(line, " ")
		if family, rest, _ := strings.Cut(series, "{"); family != name || !strings.Contains(rest, labels) {
			continue
		}
		v, err := strconv.ParseFloat(value, 64)
		if err != nil {
			l.t.Fatalf("metric %s: %v", line, err)
		}
		sum += v
	}
	return sum
}

var errNotYet = errors.New("not yet")

var (
	waits  = regexp.MustCompile(`msg="ingestion waits" for=sink class=(\w+)`)
	goesOn = `msg="ingestion goes on" after=sink`
)

// changes are ingestion's lines about the store, in order: the class it waits
// for, or "on".
func (l *lab) changes() (states, lines []string) {
	for _, line := range strings.Split(l.p.Log(), "\n") {
		if m := waits.FindStringSubmatch(line); m != nil {
			states, lines = append(states, m[1]), append(lines, line)
		} else if strings.Contains(line, goesOn) {
			states, lines = append(states, "on"), append(lines, line)
		}
	}
	return states, lines
}

// tellsOnce fails where the log says a state twice in a row, or more changes
// than most.
func (l *lab) tellsOnce(most int) {
	l.t.Helper()
	states, lines := l.changes()
	for i := 1; i < len(states); i++ {
		if states[i] == states[i-1] {
			l.t.Errorf("the log says %q twice in a row", states[i])
		}
	}
	if len(states) > most || len(states) == 0 || states[len(states)-1] != "on" {
		l.t.Errorf("the log tells of %d changes, want 1 to %d, the last of them that it goes on:\n%s", len(states), most, strings.Join(lines, "\n"))
	}
	if n := strings.Count(l.p.Log(), `msg="not ready" component=clickhouse`); n > most/2 {
		l.t.Errorf("%d lines say that clickhouse is not ready", n)
	}
	if n := strings.Count(l.p.Log(), `msg="not ready" component=ingest`); n > 0 {
		l.t.Errorf("%d lines repeat what ingestion logs itself", n)
	}
}
