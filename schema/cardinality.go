package schema

import "time"

// OtherValue stands for every value of a dimension past its limit.
const OtherValue = "__other__"

// DefaultCardinality is how many distinct values of one dimension a day are
// kept apart.
const DefaultCardinality = 5000

// Cardinality bounds the distinct values of each dimension per day (UTC, of
// arrival), so that a gateway that writes ids into a dimension can't flood
// the store. It serves one goroutine at a time and holds at most the sum of
// its limits in strings. It starts empty: after a restart, and in each of
// several ingesters, the day's count begins anew.
type Cardinality struct {
	bounds []bound
	day    int64
}

type bound struct {
	name  string
	flag  string // other:<name>
	at    func(*Record) *string
	limit int
	seen  map[string]struct{}
}

// NewCardinality returns a guard over every text dimension of a record.
// limits overrides DefaultCardinality by dimension name.
func NewCardinality(limits map[string]int) *Cardinality {
	c := &Cardinality{}
	for _, m := range recordSet.list {
		if m.kind != kindText {
			continue
		}
		limit, ok := limits[m.name]
		if !ok {
			limit = DefaultCardinality
		}
		c.bounds = append(c.bounds, bound{name: m.name, flag: otherPrefix + m.name, at: m.text, limit: limit, seen: map[string]struct{}{}})
	}
	return c
}

// Apply replaces what is past its limit by OtherValue, flags the record
// other:<dimension> for each, and returns how many were replaced.
func (c *Cardinality) Apply(rec *Record, arrival time.Time) int {
	// Records of the day before may still come from other partitions after
	// midnight; they must not bring the old day back.
	if day := arrival.Unix() / 86400; day > c.day {
		c.day = day
		for i := range c.bounds {
			clear(c.bounds[i].seen)
		}
	}
	replaced := 0
	for i := range c.bounds {
		b := &c.bounds[i]
		v := b.at(rec)
		if *v == "" || *v == OtherValue {
			continue
		}
		if _, ok := b.seen[*v]; ok {
			continue
		}
		if len(b.seen) < b.limit {
			b.seen[*v] = struct{}{}
			continue
		}
		*v = OtherValue
		rec.AddFlag(b.flag)
		replaced++
	}
	return replaced
}
