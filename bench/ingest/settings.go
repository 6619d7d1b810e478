package main

import (
	"errors"
	"flag"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Brokers and peers by the names that flags give them.
const (
	brokerKfake = "kfake"
	brokerKafka = "kafka"

	idHeadway     = "headway"
	idKafkaEngine = "kafka-engine"
	idCollector   = "collector"       // as its documentation sets it
	idTuned       = "collector-tuned" // with larger batches, and inserts that wait
)

// settings are the parameters of one benchmark.
type settings struct {
	records    int64
	partitions int
	growth     []int // partitions that Headway alone is measured with too
	brokers    []string
	runs       int
	only       []string // ids of the peers to run
	tune       bool
	batchRows  int
	memoryMB   int
	headway    string // path of the binary
	otelcol    string // path of the collector, empty for none
	patience   time.Duration
}

func parseSettings(args []string) (settings, error) {
	var s settings
	var growth, broker, only string
	f := flag.NewFlagSet("bench-ingest", flag.ContinueOnError)
	f.Int64Var(&s.records, "records", 1_000_000, "records on the topic")
	f.IntVar(&s.partitions, "partitions", 4, "partitions of the topic")
	f.StringVar(&growth, "growth", "", "numbers of partitions to measure Headway's growth with, as in 1,2,4,8")
	f.StringVar(&broker, "broker", "kfake", "kfake, kafka or both")
	f.IntVar(&s.runs, "runs", 1, "runs of each peer, in alternating order")
	f.StringVar(&only, "peers", "headway,kafka-engine", "what to run, in this order: headway, kafka-engine, collector, collector-tuned")
	f.BoolVar(&s.tune, "tune", false, "also try the Kafka engine's whole grid of settings")
	f.IntVar(&s.batchRows, "batch", 65536, "Headway's ingest.batch_rows")
	f.IntVar(&s.memoryMB, "memory", 0, "Headway's ingest.memory_mb; 0 for its default")
	f.StringVar(&s.headway, "headway", "bin/headway", "path of Headway's binary")
	f.StringVar(&s.otelcol, "otelcol", "", "path of the collector's binary; empty leaves it out")
	f.DurationVar(&s.patience, "patience", 5*time.Minute, "longest that one run may take")
	if err := f.Parse(args); err != nil {
		return s, err
	}
	if broker == "both" {
		broker = "kfake,kafka"
	}
	s.brokers, s.only = strings.Split(broker, ","), strings.Split(only, ",")
	for text := range strings.SplitSeq(growth, ",") {
		n, err := strconv.Atoi(text)
		if err != nil && growth != "" {
			return s, fmt.Errorf("-growth %s: give numbers of partitions, as in 1,2,4,8", growth)
		}
		if growth != "" {
			s.growth = append(s.growth, n)
		}
	}
	return s, s.validate()
}

func (s settings) validate() error {
	for _, b := range s.brokers {
		if b != brokerKfake && b != brokerKafka {
			return fmt.Errorf("-broker %s: use %s, %s or both", b, brokerKfake, brokerKafka)
		}
	}
	for _, id := range s.only {
		if !slices.Contains([]string{idHeadway, idKafkaEngine, idCollector, idTuned}, id) {
			return fmt.Errorf("-peers %s: use %s, %s, %s or %s", id, idHeadway, idKafkaEngine, idCollector, idTuned)
		}
	}
	for _, n := range append(s.growth, s.partitions) {
		if n < 1 || n > 64 {
			return fmt.Errorf("%d partitions: give 1 to 64", n)
		}
	}
	if s.records < 1 || s.runs < 1 || s.batchRows < 1 {
		return errors.New("-records, -runs and -batch: give at least 1")
	}
	if (slices.Contains(s.only, idCollector) || slices.Contains(s.only, idTuned)) && s.otelcol == "" {
		return errors.New("the collector is a peer: name its binary with -otelcol (make bench-ingest builds it)")
	}
	return nil
}
