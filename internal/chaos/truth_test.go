package chaos

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
)

// message is what the log holds at a spot.
type message struct {
	digest uint64
	rowID  string // empty where it can only be rejected
}

// readLog returns every message that the broker holds: the truth.
func (l *lab) readLog(ctx context.Context) (map[spot]message, error) {
	ends, err := l.admin.ListEndOffsets(ctx, l.topic)
	if err == nil {
		err = ends.Error()
	}
	if err != nil {
		return nil, fmt.Errorf("asking for the ends of %s: %w", l.topic, err)
	}
	left := map[int32]int64{}
	from := map[int32]kgo.Offset{}
	for p, end := range ends[l.topic] {
		if end.Offset > 0 {
			left[p], from[p] = end.Offset, kgo.NewOffset().AtStart()
		}
	}
	out := map[spot]message{}
	if len(left) == 0 {
		return out, nil
	}
	client, err := kgo.NewClient(kgo.SeedBrokers(l.broker.Addr()), kgo.ConsumePartitions(map[string]map[int32]kgo.Offset{l.topic: from}))
	if err != nil {
		return nil, err
	}
	defer client.Close()
	for len(left) > 0 {
		fetches := client.PollFetches(ctx)
		if ctx.Err() != nil {
			return nil, fmt.Errorf("reading %s: %w", l.topic, ctx.Err())
		}
		fetches.EachRecord(func(r *kgo.Record) {
			out[spot{r.Partition, r.Offset}] = message{digest: digest(r.Value), rowID: rowID(r.Value)}
			if r.Offset == left[r.Partition]-1 {
				delete(left, r.Partition)
			}
		})
	}
	return out, nil
}

// findings are what a comparison of log, acknowledgements and tables says.
type findings struct {
	log, acked, rows, rejects int
	lost, doubled             []string
	other                     []string // everything else that is wrong
}

func (f findings) err() error {
	var all []string
	for _, kind := range []struct {
		name string
		what []string
	}{{"lost", f.lost}, {"doubled", f.doubled}, {"wrong", f.other}} {
		if n := len(kind.what); n > 0 {
			slices.Sort(kind.what)
			all = append(all, fmt.Sprintf("%d %s: %s", n, kind.name, strings.Join(kind.what[:min(n, 10)], "; ")))
		}
	}
	if all == nil {
		return nil
	}
	return fmt.Errorf("of %d messages in the log, %d acknowledged, %d rows, %d rejects\n%s", f.log, f.acked, f.rows, f.rejects, strings.Join(all, "\n"))
}

// compare holds rows and rejects against the log, spot by spot, and the log
// against what was acknowledged.
func (l *lab) compare(ctx context.Context, acked map[spot]uint64) (f findings, err error) {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Minute)
	defer cancel()
	log, err := l.readLog(ctx)
	if err != nil {
		return f, err
	}
	f.log, f.acked = len(log), len(acked)
	for at, sum := range acked {
		if m, ok := log[at]; !ok || m.digest != sum {
			f.other = append(f.other, fmt.Sprintf("%v was acknowledged, and the broker itself does not hold it", at))
		}
	}
	seen := map[spot]int{}
	for _, table := range []string{"requests", "rejects"} {
		n, err := l.compareTable(ctx, table, log, seen, &f)
		if err != nil {
			return f, err
		}
		if table == "requests" {
			f.rows = n
		} else {
			f.rejects = n
		}
	}
	for at := range log {
		switch n := seen[at]; {
		case n == 0:
			f.lost = append(f.lost, fmt.Sprint(at))
		case n > 1:
			f.doubled = append(f.doubled, fmt.Sprintf("%v stands %d times", at, n))
		}
	}
	return f, nil
}

// compareTable holds one table against the log, and against its own
// projection.
func (l *lab) compareTable(ctx context.Context, table string, log map[spot]message, seen map[spot]int, f *findings) (n int, err error) {
	id := "''"
	if table == "requests" {
		id = "request_id"
	}
	lines, err := l.db.query(ctx, fmt.Sprintf("SELECT epoch, partition, offset, %s FROM %s WHERE topic = '%s'", id, table, l.topic))
	if err != nil {
		return 0, err
	}
	sums := map[string]*progress{}
	for _, c := range lines {
		part, err1 := strconv.ParseInt(c[1], 10, 32)
		offset, err2 := strconv.ParseInt(c[2], 10, 64)
		if err1 != nil || err2 != nil {
			return 0, fmt.Errorf("%s answers %q", table, c)
		}
		at := spot{int32(part), offset}
		seen[at]++
		m, ok := log[at]
		switch {
		case c[0] != "0":
			f.other = append(f.other, fmt.Sprintf("%v is in epoch %s", at, c[0]))
		case !ok:
			f.other = append(f.other, fmt.Sprintf("%v is in %s and not in the log", at, table))
		case m.rowID != c[3]:
			f.other = append(f.other, fmt.Sprintf("%v is %q in %s and %q in the log", at, c[3], table, m.rowID))
		}
		key := c[0] + "/" + c[1]
		if sums[key] == nil {
			sums[key] = &progress{low: offset, high: offset}
		}
		sums[key].add(offset)
	}
	return len(lines), l.compareProjection(ctx, table, sums, f)
}

// progress is what the projection of that name keeps for a partition.
type progress struct{ n, low, high int64 }

func (p *progress) add(offset int64) {
	p.n++
	p.low, p.high = min(p.low, offset), max(p.high, offset)
}

// compareProjection holds the aggregate projection against the rows that it
// sums up.
func (l *lab) compareProjection(ctx context.Context, table string, sums map[string]*progress, f *findings) error {
	lines, err := l.db.query(ctx, fmt.Sprintf(`SELECT epoch, partition, count(), min(offset), max(offset) FROM %s WHERE topic = '%s'
		GROUP BY epoch, partition SETTINGS optimize_use_projections = 1, force_optimize_projection = %d`, table, l.topic, min(1, len(sums))))
	if err != nil {
		return err
	}
	if len(lines) != len(sums) {
		f.other = append(f.other, fmt.Sprintf("the projection of %s has %d partitions, the rows %d", table, len(lines), len(sums)))
	}
	for _, c := range lines {
		have := strings.Join(c[2:], " ")
		if p := sums[c[0]+"/"+c[1]]; p == nil || have != fmt.Sprintf("%d %d %d", p.n, p.low, p.high) {
			f.other = append(f.other, fmt.Sprintf("the projection of %s says %s of partition %s, the rows %+v", table, have, c[1], p))
		}
	}
	return nil
}
