package ingest

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"headway/schema"
)

// unstored reads gaps of partition 0, given as first, last pairs.
func unstored(t *testing.T, l *lab, gaps ...int64) (found, expired []int64, gone int64, err error) {
	t.Helper()
	cfg := l.config()
	r, err := NewLogReader(cfg.Brokers, cfg.Security, cfg.Topics[0], cfg.Decode, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	var ranges []schema.Range
	for i := 0; i < len(gaps); i += 2 {
		ranges = append(ranges, schema.Range{Topic: l.topic, First: gaps[i], Last: gaps[i+1]})
	}
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	gone, err = r.Messages(ctx, ranges, func(m Unstored) {
		found = append(found, m.Offset)
		if m.Expired {
			expired = append(expired, m.Offset)
		}
	})
	return found, expired, gone, err
}

// logReaderSeesOnlyMessages reads over aborted transactions and markers.
func logReaderSeesOnlyMessages(t *testing.T, l *lab) {
	client, err := kgo.NewClient(kgo.SeedBrokers(l.addr), kgo.TransactionalID(l.topic), kgo.RecordPartitioner(kgo.ManualPartitioner()))
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	for i, end := range []kgo.TransactionEndTry{kgo.TryAbort, kgo.TryCommit, kgo.TryAbort} { // 0-9 10, 11-20 21, 22-31 32
		if err := client.BeginTransaction(); err != nil {
			t.Fatal(err)
		}
		var recs []*kgo.Record
		for _, p := range numbered(fmt.Sprint(i), 10) {
			recs = append(recs, &kgo.Record{Topic: l.topic, Value: []byte(p)})
		}
		l.send(client, recs)
		if err := client.EndTransaction(t.Context(), end); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		name string
		gaps []int64
		want []int64
	}{
		{"all", []int64{0, 32}, []int64{11, 12, 13, 14, 15, 16, 17, 18, 19, 20}},
		{"markers", []int64{10, 10, 21, 21, 32, 32}, nil},
		{"aborted", []int64{3, 5}, nil},
		{"some", []int64{8, 11, 13, 13, 20, 22}, []int64{11, 13, 20}},
		{"none", nil, nil},
	} {
		if found, _, gone, err := unstored(t, l, c.gaps...); err != nil || gone != 0 || !slices.Equal(found, c.want) {
			t.Errorf("%s: %v, %d gone, %v; want %v", c.name, found, gone, err, c.want)
		}
	}
}

// logReaderKnowsExpired tells by a record's own time, and by the log's where
// there is none.
func logReaderKnowsExpired(t *testing.T, l *lab) {
	old := time.Now().Add(-schema.DefaultRetention - time.Hour)
	recs := []*kgo.Record{
		{Value: []byte(record("new", time.Now())), Timestamp: old}, // a clock of a producer is no reason
		{Value: []byte(record("old", old))},
		{Value: []byte("not json"), Timestamp: old},
		{Value: []byte("not json")},
		{Value: nil, Timestamp: old},
	}
	for _, r := range recs {
		r.Topic = l.topic
		l.send(l.kafka, []*kgo.Record{r}) // a batch each, as their times differ so much
	}
	found, expired, _, err := unstored(t, l, 0, 4)
	if err != nil || len(found) != 5 || !slices.Equal(expired, []int64{1, 2, 4}) {
		t.Errorf("found %v, expired %v, %v", found, expired, err)
	}
}

// logReaderPassesRetention asks for what the log no longer has.
func logReaderPassesRetention(t *testing.T, l *lab) {
	l.produce(0, numbered("a", 50)...)
	l.expire(0, 30)
	found, _, gone, err := unstored(t, l, 5, 9, 28, 31, 40, 40)
	if err != nil || gone != 7 || !slices.Equal(found, []int64{30, 31, 40}) {
		t.Errorf("found %v, %d gone, %v", found, gone, err)
	}
	if _, _, gone, err := unstored(t, l, 5, 9); err != nil || gone != 5 {
		t.Errorf("%d gone, %v", gone, err)
	}
	r, err := NewLogReader([]string{l.addr}, l.safe, Topic{Name: l.topic, Source: "headway"}, l.config().Decode, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	r.prep.place = place{topic: l.topic}
	gaps := []schema.Range{{Topic: l.topic, First: 5, Last: 40}}
	if start, gone, err := r.expired(t.Context(), gaps, 20); start != 30 || gone != 10 || err != nil {
		t.Errorf("retention overtook the reader at 20: start %d, %d gone, %v; want 30 and what was not read, 10", start, gone, err)
	}
	if _, _, err := r.expired(t.Context(), gaps, 30); err == nil {
		t.Error("an offset that the log has passes for one that it lost")
	}
	if _, _, _, err := unstored(t, l, 5, 9, 60, 61); err == nil || !strings.Contains(err.Error(), "verify it again") {
		t.Errorf("offsets that the log never had: %v", err)
	}
}
