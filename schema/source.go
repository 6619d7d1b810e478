package schema

import (
	"fmt"
	"strings"
	"time"
)

// Source describes one kind of record that an adapter of this package reads.
type Source struct {
	Name       string        // as topics, uploads and the source dimension name it
	Doc        string        // one sentence for people
	StartPoint StartPoint    // what the offsets of its rows are measured from
	Precision  time.Duration // finest step of its times
	// HedgeMetric is the first-token metric that hedging uses unless asked
	// otherwise.
	HedgeMetric Metric
	// Zone is what a time without zone means; nil refuses such times.
	Zone *time.Location
	// NoClock is true where rows carry no clock time: they need a base time.
	NoClock bool
	// Flat is true where rows are flat, so that they may come as CSV.
	Flat bool

	// columns are the names that read knows, in canonical order.
	columns func() []string
	// read reads the members of one opened object; failures stick in the
	// decoder's scanner.
	read func(*Decoder, *Record)
}

// Sources is the immutable list of sources.
type Sources struct{ list []Source }

// NewSources returns every source this version reads.
func NewSources() *Sources {
	return &Sources{list: []Source{headwaySource(), thefastestSource(), llmperfSource()}}
}

// Lookup finds a source by name.
func (s *Sources) Lookup(name string) (Source, bool) {
	for _, src := range s.list {
		if src.Name == name {
			return src, true
		}
	}
	return Source{}, false
}

// Names lists the sources' names in display order.
func (s *Sources) Names() []string {
	names := make([]string, len(s.list))
	for i, src := range s.list {
		names[i] = src.Name
	}
	return names
}

// Need is Lookup for settings and flags: its error names the sources there
// are.
func (s *Sources) Need(name string) (Source, error) {
	src, ok := s.Lookup(name)
	if !ok {
		return Source{}, fmt.Errorf("source %q is not known: use one of %s", name, strings.Join(s.Names(), ", "))
	}
	return src, nil
}
