package ingest

import (
	"errors"
	"fmt"
	"time"

	"headway/schema"
)

// SourceHeader is the message header that names a record's source; it wins
// over the topic's.
const SourceHeader = "headway-source"

// maxBatchRows keeps a batch in one block: servers cut blocks at 1,048,449
// rows (max_insert_block_size) unless told otherwise.
const maxBatchRows = 1_000_000

// Config says what is read and how it is batched. Zero values mean the
// defaults named beside them.
type Config struct {
	Brokers []string // host:port of some brokers of the cluster
	Group   string   // consumer group; all ingesters of one sink share it
	Topics  []Topic
	// Security protects every connection to the brokers.
	Security Security

	BatchRows   int           // messages in a batch; 65,536
	BatchBytes  int           // payload bytes in a batch; 64 MiB
	BatchAge    time.Duration // oldest message in a batch that waits; 1 s
	MemoryBytes int64         // messages and rows held at once, over all partitions; 128 MiB

	Session   time.Duration // a member that is silent so long is expelled; 10 s
	Heartbeat time.Duration // 3 s
	Rebalance time.Duration // what members get to rejoin; 10 s

	BackoffMin time.Duration // first pause after an error; 100 ms
	BackoffMax time.Duration // longest pause; 10 s
	Watch      time.Duration // how often topics and partitions are looked up; 2 s
	StopWithin time.Duration // what Run gets to flush, commit and leave; 9 s

	// Decode is what all decoders share. Source is filled in per message and
	// must be empty; NewID is required.
	Decode schema.Config
	// DailyModels and DailyChannels bound the distinct values a day and a
	// partition; beyond them values become schema's overflow value. 5,000.
	DailyModels, DailyChannels int
}

// Topic is a topic to read and the source of its messages that carry no
// SourceHeader.
type Topic struct {
	Name   string
	Source string
}

func (c Config) withDefaults() (Config, error) {
	def(&c.BatchRows, 65_536)
	def(&c.BatchBytes, 64<<20)
	def(&c.BatchAge, time.Second)
	def(&c.MemoryBytes, 128<<20)
	def(&c.Session, 10*time.Second)
	def(&c.Heartbeat, 3*time.Second)
	def(&c.Rebalance, 10*time.Second)
	def(&c.BackoffMin, 100*time.Millisecond)
	def(&c.BackoffMax, 10*time.Second)
	def(&c.Watch, 2*time.Second)
	def(&c.StopWithin, 9*time.Second)
	def(&c.DailyModels, 5000)
	def(&c.DailyChannels, 5000)
	return c, c.validate()
}

func def[T comparable](v *T, d T) {
	var zero T
	if *v == zero {
		*v = d
	}
}

func (c Config) validate() error {
	var errs []error
	bad := func(when bool, format string, args ...any) {
		if when {
			errs = append(errs, fmt.Errorf(format, args...))
		}
	}
	bad(len(c.Brokers) == 0, "no Kafka broker: set kafka.brokers to host:port of at least one")
	bad(c.Group == "", "no consumer group: set kafka.group to a name that all ingesters of this database share")
	bad(len(c.Topics) == 0, "no topic: set kafka.topics to at least one name with its source")
	bad(c.BatchRows < 1 || c.BatchRows > maxBatchRows, "batch of %d rows: choose 1 to %d, so that a batch stays one block", c.BatchRows, maxBatchRows)
	bad(c.BatchBytes < 1, "batch of %d bytes: choose at least 1", c.BatchBytes)
	bad(c.MemoryBytes < 1, "memory bound of %d bytes: choose at least 1", c.MemoryBytes)
	bad(c.BatchAge < 0 || c.BackoffMin < 0 || c.Watch < 0 || c.StopWithin < 0, "a negative time makes no sense: leave it out for the default")
	bad(c.BackoffMax < c.BackoffMin, "longest pause %s is below the first, %s: raise it", c.BackoffMax, c.BackoffMin)
	bad(c.Heartbeat <= 0 || c.Heartbeat*2 > c.Session, "heartbeat %s with session %s: a session needs at least two heartbeats", c.Heartbeat, c.Session)
	bad(c.DailyModels < 1 || c.DailyChannels < 1, "daily limits of %d models and %d channels: choose at least 1", c.DailyModels, c.DailyChannels)
	errs = append(errs, c.Security.Check()) // nil adds nothing
	sources, seen := schema.NewSources(), map[string]bool{}
	for _, t := range c.Topics {
		bad(t.Name == "", "a topic without a name: name it")
		bad(seen[t.Name], "topic %q is listed twice: list it once", t.Name)
		seen[t.Name] = true
		if _, err := sources.Need(t.Source); err != nil {
			errs = append(errs, fmt.Errorf("topic %q: %w", t.Name, err))
		}
	}
	return errors.Join(errs...)
}
