package ingest

import (
	"errors"
	"fmt"
	"log/slog"
	"sort"
	"strings"
	"sync"
	"time"
)

// Problem is something that keeps records from being landed.
type Problem struct {
	Component string // "kafka", "topic" or "sink"
	Class     string // what kind, from a small set
	What      string // what was being done and what went wrong
	Remedy    string // what a person can do; empty where time may mend it
	Since     time.Time
}

// Status is what an Ingester says of itself.
type Status struct {
	Problems   []Problem // by component, the same way each time; empty when all is well
	Partitions []PartitionStatus
}

// PartitionStatus is the state of one partition that this member owns.
type PartitionStatus struct {
	Topic     string
	Partition int32
	Epoch     uint32
	Landed    int64     // offset before which everything has landed
	End       int64     // end of the log when it was last read
	Waiting   time.Time // the log's time of the oldest message that was read and has not landed; zero for none
}

// board collects problems and logs each change of state once, however many
// partitions see it.
type board struct {
	mu       sync.Mutex
	log      *slog.Logger
	now      func() time.Time
	problems map[string]map[string]Problem // by component, then by who has it
	logged   map[string]map[string]bool    // by component, the classes that were logged and are still there
	places   map[place]PartitionStatus
}

func newBoard(log *slog.Logger, now func() time.Time) *board {
	return &board{log: log, now: now, problems: map[string]map[string]Problem{}, logged: map[string]map[string]bool{}, places: map[place]PartitionStatus{}}
}

// report notes that who has a problem with a component.
func (b *board) report(component, who, class, remedy string, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	p := Problem{Component: component, Class: class, What: err.Error(), Remedy: remedy, Since: b.now()}
	if old, ok := b.problems[component][who]; ok {
		p.Since = old.Since
	}
	if b.problems[component] == nil {
		b.problems[component] = map[string]Problem{}
	}
	b.problems[component][who] = p
	b.forgetGone(component)
	if !b.logged[component][class] {
		if b.logged[component] == nil {
			b.logged[component] = map[string]bool{}
		}
		b.logged[component][class] = true
		b.log.Warn("ingestion waits", "for", component, "class", class, "error", err, "remedy", remedy)
	}
}

// clear notes that who has no problem with a component (any more).
func (b *board) clear(component, who string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if _, ok := b.problems[component][who]; !ok {
		return
	}
	since := b.problems[component][who].Since
	delete(b.problems[component], who)
	logged := len(b.logged[component]) > 0
	b.forgetGone(component)
	if logged && len(b.logged[component]) == 0 {
		b.log.Info("ingestion goes on", "after", component, "waited", b.now().Sub(since).Round(time.Millisecond))
	}
}

// forgetGone forgets that classes were logged which nobody has any more, so
// that they are logged when they come back. b.mu is held.
func (b *board) forgetGone(component string) {
	there := map[string]bool{}
	for _, p := range b.problems[component] {
		there[p.Class] = true
	}
	for class := range b.logged[component] {
		if !there[class] {
			delete(b.logged[component], class)
		}
	}
}

func (b *board) place(p place, s PartitionStatus) {
	b.mu.Lock()
	defer b.mu.Unlock()
	s.Topic, s.Partition = p.topic, p.partition
	b.places[p] = s
}

// leave forgets a partition that is no longer ours; that mends nothing, so
// nothing is logged.
func (b *board) leave(p place) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, component := range []string{onSink, onKafka} {
		delete(b.problems[component], p.String())
		b.forgetGone(component)
	}
	delete(b.places, p)
}

func (b *board) status() Status {
	b.mu.Lock()
	defer b.mu.Unlock()
	var s Status
	for _, by := range b.problems {
		var worst Problem
		for _, p := range by {
			// What merely starts says less than what hinders it.
			if starts := worst.Class == starting; worst.Class == "" || starts && p.Class != starting ||
				starts == (p.Class == starting) && p.Since.Before(worst.Since) {
				worst = p
			}
		}
		if len(by) > 0 {
			s.Problems = append(s.Problems, worst)
		}
	}
	for _, p := range b.places {
		s.Partitions = append(s.Partitions, p)
	}
	sort.Slice(s.Problems, func(i, j int) bool { return s.Problems[i].Component < s.Problems[j].Component })
	sort.Slice(s.Partitions, func(i, j int) bool {
		x, y := s.Partitions[i], s.Partitions[j]
		return x.Topic < y.Topic || x.Topic == y.Topic && x.Partition < y.Partition
	})
	return s
}

// Err is nil when nothing is wrong, and else says what is and what to do.
func (s Status) Err() error {
	var errs []error
	for _, p := range s.Problems {
		text := p.What
		if !strings.HasSuffix(text, p.Remedy) { // a store's errors end with it
			text += "; " + p.Remedy
		}
		errs = append(errs, fmt.Errorf("%s: %s", p.Component, text))
	}
	return errors.Join(errs...)
}

// The components that problems are with.
const (
	onKafka = "kafka"
	onTopic = "topic"
	onSink  = "sink"
)

// starting is the class of a wait that is no fault yet.
const starting = "starting"

// await notes a wait that is no fault yet, so it is not logged.
func (b *board) await(component, who, what string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.problems[component] == nil {
		b.problems[component] = map[string]Problem{}
	}
	b.problems[component][who] = Problem{Component: component, Class: starting, What: what, Since: b.now()}
}
