package ingest

import (
	"testing"

	"github.com/twmb/franz-go/pkg/kgo"

	"headway/schema"
)

// TestSuite runs every scenario on one broker: kfake, or Apache Kafka with the
// build tag kafka.
func TestSuite(t *testing.T) {
	addr := startCluster(t)
	for _, s := range []struct {
		name       string
		partitions int32
		run        func(t *testing.T, l *lab)
	}{
		{"every record lands once", 4, everyRecordLandsOnce},
	} {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			s.run(t, newLab(t, addr, s.partitions))
		})
	}
}

func everyRecordLandsOnce(t *testing.T, l *lab) {
	var produced []schema.Origin
	codecs := []kgo.CompressionCodec{kgo.NoCompression(), kgo.GzipCompression(), kgo.SnappyCompression(), kgo.Lz4Compression(), kgo.ZstdCompression()}
	r := l.start()
	for i, codec := range codecs {
		client, err := kgo.NewClient(kgo.SeedBrokers(l.addr), kgo.ProducerBatchCompression(codec))
		if err != nil {
			t.Fatal(err)
		}
		var recs []*kgo.Record
		for j, p := range numbered(string(rune('a'+i)), 2000) {
			rec := &kgo.Record{Topic: l.topic, Key: []byte{byte(j), byte(j >> 8)}, Value: []byte(p), Headers: []kgo.RecordHeader{{Key: "trace", Value: []byte("x")}}}
			recs = append(recs, rec)
		}
		produced = append(produced, l.send(client, recs)...)
		client.Close()
	}
	l.sink.untilLanded(t, len(produced))
	l.settled()
	l.sink.exactly(t, produced)
	if n := r.counter(t, "headway_rows_inserted_total"); n != 10_000 {
		t.Errorf("rows inserted %v, want 10000", n)
	}
	if n := r.counter(t, "headway_records_received_total", "source=headway"); n != 10_000 {
		t.Errorf("received %v, want 10000", n)
	}
}
