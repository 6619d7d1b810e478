package ingest

import (
	"context"
	"fmt"
	"maps"
	"net"
	"slices"
	"strings"
	"sync"
	"time"

	kafka "github.com/segmentio/kafka-go"

	"headway/schema"
)

// awaitTopics returns the configured topics that exist with their numbers of
// partitions, when there is at least one.
func (in *Ingester) awaitTopics(ctx context.Context) (map[string]int, error) {
	for {
		var found map[string]int
		var refused map[string]error
		err := in.askKafka(ctx, "metadata", func(ctx context.Context) (err error) {
			found, refused, err = in.broker.partitions(ctx)
			return err
		})
		if err != nil {
			return nil, err
		}
		in.reportMissing(found, refused)
		if len(found) > 0 {
			return found, nil
		}
		if err := pause(ctx, in.cfg.Watch); err != nil {
			return nil, err
		}
	}
}

// reportMissing shows which topics are awaited.
func (in *Ingester) reportMissing(found map[string]int, refused map[string]error) {
	for _, t := range in.cfg.Topics {
		if _, ok := found[t.Name]; ok {
			in.board.clear(onTopic, t.Name)
			continue
		}
		if err := refused[t.Name]; err != nil {
			class, remedy := kafkaFault(err)
			in.board.report(onTopic, t.Name, class, remedy, err)
			continue
		}
		in.board.report(onTopic, t.Name, "missing", "create it, or correct kafka.topics; reading begins by itself",
			fmt.Errorf("topic %s does not exist", t.Name))
	}
}

// consume is a member of the group for the topics until the context ends or
// the topics are other ones.
func (in *Ingester) consume(ctx context.Context, topics map[string]int) error {
	conns := &connections{open: map[net.Conn]bool{}}
	group, err := kafka.NewConsumerGroup(kafka.ConsumerGroupConfig{
		ID: in.cfg.Group, Brokers: in.cfg.Brokers, Topics: slices.Sorted(maps.Keys(topics)),
		Dialer: &kafka.Dialer{Timeout: requestLimit, DialFunc: in.cfg.Security.dial(conns.dial), ClientID: "headway",
			SASLMechanism: in.cfg.Security.mechanism()},
		HeartbeatInterval: in.cfg.Heartbeat, SessionTimeout: in.cfg.Session, RebalanceTimeout: in.cfg.Rebalance,
		JoinGroupBackoff: max(in.cfg.BackoffMin, min(in.cfg.BackoffMax, time.Second)), StartOffset: kafka.FirstOffset,
	})
	if err != nil {
		return fmt.Errorf("joining group %s: %w", in.cfg.Group, err)
	}
	changed, cancel := context.WithCancel(ctx)
	defer cancel()
	var busy sync.WaitGroup
	for changed.Err() == nil {
		gen, err := group.Next(changed)
		if err != nil {
			if changed.Err() == nil {
				in.kafkaProblem("group", fmt.Errorf("joining group %s: %w", in.cfg.Group, err))
			}
			continue
		}
		in.board.clear(onKafka, "group")
		in.metrics.generations.Inc()
		in.begin(gen, topics, cancel, &busy)
	}
	in.leave(group, conns, &busy)
	in.board.await(onKafka, "group", "has left the consumer group")
	return nil
}

// begin starts the generation's workers and its watch over the topics.
func (in *Ingester) begin(gen *kafka.Generation, topics map[string]int, changed func(), busy *sync.WaitGroup) {
	owned := 0
	for _, parts := range gen.Assignments {
		owned += len(parts)
	}
	in.log.Info("joined the consumer group", "group", in.cfg.Group, "generation", gen.ID, "partitions", owned)
	m := member{generation: int(gen.ID), id: gen.MemberID}
	for _, t := range in.cfg.Topics {
		for _, part := range gen.Assignments[t.Name] {
			w := in.newWorker(t, int32(part.ID), m, owned)
			busy.Add(1)
			gen.Start(func(ctx context.Context) {
				w.run(ctx)
				busy.Done()
				// To return would end the generation, and with it its other
				// workers, while they still land what they have read.
				if in.isStopping() {
					<-ctx.Done()
				}
			})
		}
	}
	gen.Start(func(ctx context.Context) { in.watch(ctx, topics, changed) })
}

func (in *Ingester) newWorker(t Topic, partition int32, m member, owned int) *worker {
	p := place{topic: t.Name, partition: partition}
	decoders, _ := newDecoders(in.cfg.Decode) // New has checked the template
	return &worker{in: in, place: p, member: m, reader: newReader(in.broker, p, in.maxBytes()),
		windowKeys: max(schema.DefaultDuplicateKeys/owned, 10_000),
		prep: &preparer{place: p, source: t.Source, decoders: decoders, guard: in.guard,
			classifier: in.classifier, metrics: in.metrics}}
}

// watch ends the generation when a topic gains partitions, and calls changed
// when topics came or went. kafka-go's own watcher is not used: it spins
// without pause while a topic is missing, and may create it.
func (in *Ingester) watch(ctx context.Context, topics map[string]int, changed func()) {
	for pause(ctx, in.cfg.Watch) == nil && !in.isStopping() {
		found, refused, err := in.broker.partitions(ctx)
		if err != nil {
			continue // the workers meet the same trouble and show it
		}
		in.reportMissing(found, refused)
		if !maps.Equal(found, topics) {
			in.log.Info("topics changed, joining anew", "topics", describe(found))
			changed()
			return
		}
	}
	<-ctx.Done()
}

func describe(topics map[string]int) string {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(topics)) {
		parts = append(parts, fmt.Sprintf("%s with %d partitions", name, topics[name]))
	}
	return strings.Join(parts, ", ")
}

// leave lets the workers finish, then leaves the group; both within
// StopWithin, whatever the brokers do.
func (in *Ingester) leave(group *kafka.ConsumerGroup, conns *connections, busy *sync.WaitGroup) {
	if in.isStopping() {
		busy.Wait() // bounded by landScope
	}
	left := make(chan struct{})
	go func() {
		defer close(left)
		_ = group.Close() // it has no errors to return
	}()
	late := time.NewTimer(in.cfg.StopWithin - in.flushWithin())
	defer late.Stop()
	select {
	case <-left:
	case <-late.C:
		// A join may hang for the whole rebalance time-out; cut it.
		conns.cut()
		<-left
	}
}
