package store_test

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"headway/classify"
	"headway/schema"
	"headway/store"
)

// oddTexts are what the wire's layout could trip over.
var oddTexts = []string{"", "", "a", "m-1", "\x00", "a\x00b", "\xff\xfe", "\xed\xa0\x80", "Grüße", "🙂", "\t\n\\'\"", "0", "null",
	strings.Repeat("x", 127), strings.Repeat("y", 128), strings.Repeat("z", 16_384)}

// odd makes rows of extreme values.
type odd struct {
	*rand.Rand
	wide int // distinct texts that text draws from, beside oddTexts
}

func (o odd) text() string {
	if o.IntN(3) == 0 {
		return oddTexts[o.IntN(len(oddTexts))]
	}
	return fmt.Sprintf("t-%d", o.IntN(max(1, o.wide)))
}

func (o odd) float() float64 {
	return []float64{0, math.Copysign(0, -1), 1, -1, math.MaxFloat64, -math.MaxFloat64, math.SmallestNonzeroFloat64, math.Inf(1), math.Inf(-1), math.NaN(), o.NormFloat64()}[o.IntN(11)]
}

func (o odd) whole() int64 {
	return []int64{0, 1, -1, 255, 256, 65_535, 65_536, math.MaxInt32, math.MaxUint32, math.MaxUint32 + 1, math.MaxInt64, math.MinInt64, o.Int64()}[o.IntN(13)]
}

func some[T any](o odd, v T) schema.Opt[T] {
	if o.IntN(3) == 0 {
		return schema.Opt[T]{}
	}
	return schema.Some(v)
}

func (o odd) span() schema.Opt[time.Duration] { return some(o, time.Duration(o.whole())) }
func (o odd) yes() schema.Opt[bool]           { return some(o, o.IntN(2) == 0) }
func (o odd) count() schema.Opt[int64]        { return some(o, o.whole()) }
func (o odd) rate() schema.Opt[float64]       { return some(o, o.float()) }

func (o odd) row(offset int64, days int) classify.Row {
	r := schema.Record{
		Origin: schema.Origin{Topic: "t", Epoch: math.MaxUint32, Partition: math.MaxInt32, Offset: offset},
		Source: o.text(), StartPoint: schema.StartPoint(o.text()), Precision: time.Duration(o.Uint32()) * time.Microsecond,
		RequestID: o.text(), TraceID: o.text(), Attempt: uint16(o.Uint32()), Role: schema.Role(o.text()),
		CreatedAt: base.AddDate(0, 0, o.IntN(days)).Add(time.Duration(o.IntN(1000)) * time.Microsecond * 777),
		Gateway:   o.text(), Model: o.text(), Route: o.text(), Channel: o.text(), Provider: o.text(), Region: o.text(), ClientRegion: o.text(),
		Operation: o.text(), ReasoningEffort: o.text(), ErrorClass: o.text(), Outcome: schema.Outcome(o.text()),
		Stream: o.yes(), HasTools: o.yes(), Warmup: o.yes(), CacheHit: o.yes(), Status: some(o, int32(o.IntN(65_536))),
		MaxOutputTokens: o.count(), InputTokens: o.count(), OutputTokens: o.count(), CachedTokens: o.count(), ReasoningTokens: o.count(),
		StreamEvents: o.count(), TextDeltas: o.count(), ChannelInflight: o.count(), Temperature: o.rate(), TopP: o.rate(),
		MaxGap: o.span(), HedgeAfter: o.span(), GivenTPS: o.rate(),
		Timing: schema.Timing{UpstreamStart: o.span(), Auth: o.span(), Distribution: o.span(), BodyRead: o.span(), UpstreamHeaders: o.span(),
			FirstSSEEvent: o.span(), FirstResponse: o.span(), FirstTextDelta: o.span(), UpstreamDone: o.span(), TotalHandler: o.span()},
		Derived: schema.Derived{TPS: o.rate(), TPOT: o.span(), Dispatch: o.span(),
			TPSBasis: []schema.TPSBasis{"", schema.TPSGiven, schema.TPSVisible}[o.IntN(3)]},
	}
	v := classify.Verdict{Primary: classify.Label(o.text()), Stage: classify.Stage(o.text()), RulesVersion: o.text()}
	for range o.IntN(4) {
		r.Flags = append(r.Flags, o.text())
		v.Labels = append(v.Labels, classify.Label(o.text()))
	}
	for range o.IntN(3) {
		v.Evidence = append(v.Evidence, classify.Evidence{Label: classify.Label(o.text()), Field: o.text(), Value: o.float(), Threshold: o.float(),
			Censored: o.IntN(2) == 0, Estimated: o.IntN(2) == 0})
	}
	return classify.Row{Record: r, Verdict: v}
}

// post inserts lines of JSONEachRow over HTTP.
func post(t *testing.T, cfg store.Config, table string, lines []byte) {
	t.Helper()
	q := url.Values{"database": {cfg.Database}, "query": {"INSERT INTO " + table + " FORMAT JSONEachRow"}, "max_partitions_per_insert_block": {"0"},
		"async_insert": {"0"}, "input_format_skip_unknown_fields": {"0"}, "input_format_json_read_bools_as_numbers": {"1"}}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, shared.HTTPURL()+"/?"+q.Encode(), bytes.NewReader(lines))
	if err != nil {
		t.Fatal(err)
	}
	req.SetBasicAuth(cfg.User, cfg.Password)
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if body, _ := io.ReadAll(res.Body); res.StatusCode != http.StatusOK {
		t.Fatalf("inserting JSON: %s: %.400s", res.Status, body)
	}
}

// TestBlockOnTheWire lands blocks of extreme values and compares each column
// with the same values inserted as JSON: several days, ranges of a block with
// rejects among them, half of it in already, and blocks that were used before.
func TestBlockOnTheWire(t *testing.T) {
	t.Parallel()
	for name, addr := range map[string]func(string) string{
		"plain": func(a string) string { return a },
		// 0.0.0.0 is this machine too, but no loopback address: blocks are packed.
		"packed": func(a string) string { _, port, _ := net.SplitHostPort(a); return net.JoinHostPort("0.0.0.0", port) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, cfg := migrated(t)
			wire := cfg
			wire.Addr = addr(cfg.Addr)
			s := open(t, wire)
			conn := admin(t, cfg)
			do(t, conn, "CREATE TABLE twin AS requests")
			block := store.NewBlock() // used again and again
			offset := int64(0)
			for round, c := range []struct{ rows, words, days int }{
				{1, 1, 1}, {300, 5, 1}, {1000, 240, 3}, {1000, 3000, 1}, {50, 50, 1}, {400, 300, 20}, {100, 100, 1},
			} {
				o := odd{rand.New(rand.NewPCG(uint64(round), 7)), c.words}
				block.Reset()
				batch := make([]classify.Row, c.rows)
				for i := range batch {
					batch[i] = o.row(offset+int64(i), c.days)
					block.Add(&batch[i])
				}
				landInParts(t, o, s, block, batch)
				offset += int64(c.rows)
				var lines bytes.Buffer
				for i := range batch {
					if !refusedRow(batch[i].Record.Origin.Offset) {
						lines.Write(jsonOf(batch[i]))
					}
				}
				post(t, cfg, "twin", lines.Bytes())
				same(t, fmt.Sprint("round ", round), cfg)
				do(t, conn, "TRUNCATE TABLE twin")
				do(t, conn, "TRUNCATE TABLE requests")
			}
		})
	}
}

// refusedRow says which rows are rejects too.
func refusedRow(offset int64) bool { return offset%17 == 3 }

// landInParts lands a block in ranges, one after the other, some of them with
// a part of them in before.
func landInParts(t *testing.T, o odd, s *store.Store, block *store.Block, batch []classify.Row) {
	t.Helper()
	for at := 0; at < len(batch); {
		end := min(len(batch), at+1+o.IntN(len(batch)))
		r := rangeOf(batch[at:end])
		var rejects []schema.Reject
		for i := at; i < end; i++ {
			if origin := batch[i].Record.Origin; refusedRow(origin.Offset) {
				rejects = append(rejects, schema.Reject{Origin: origin, Source: oddTexts[i%len(oddTexts)], Reason: schema.ReasonRefused, Bytes: i, ReceivedAt: base})
			}
		}
		check := o.IntN(2) == 0
		if half := at + (end-at)/2; check && half > at {
			first := r
			first.Last = batch[half].Record.Origin.Offset
			n := 0
			for n < len(rejects) && rejects[n].Origin.Offset <= first.Last {
				n++
			}
			if err := s.Land(t.Context(), first, block, rejects[:n], false); err != nil {
				t.Fatal(err)
			}
		}
		if err := s.Land(t.Context(), r, block, rejects, check); err != nil {
			t.Fatal(err)
		}
		at = end
	}
}

// same compares the two tables, column by column, by offset.
func same(t *testing.T, what string, cfg store.Config) {
	t.Helper()
	conn := admin(t, cfg)
	names := strings.Split(ask[string](t, conn, "SELECT arrayStringConcat(groupArray(name), ',') FROM system.columns WHERE database = currentDatabase() AND table = 'requests' AND name != 'inserted_at'"), ",")
	if len(names) != 66 {
		t.Fatalf("%d columns, want 66: compare them all", len(names))
	}
	if a, b := ask[uint64](t, conn, "SELECT count() FROM requests"), ask[uint64](t, conn, "SELECT count() FROM twin"); a != b {
		t.Errorf("%s: %d rows, want %d", what, a, b)
	}
	var sums []string
	for _, n := range names {
		sums = append(sums, fmt.Sprintf("if(sum(toString(a.%s) IS DISTINCT FROM toString(b.%s)) = 0, '', '%s:' || toString(sum(toString(a.%s) IS DISTINCT FROM toString(b.%s))) || ' ')", n, n, n, n, n))
	}
	differ := ask[string](t, conn, "SELECT concat("+strings.Join(sums, ", ")+") FROM twin AS a FULL JOIN requests AS b ON a.offset = b.offset SETTINGS join_use_nulls = 1")
	if differ != "" {
		t.Errorf("%s: columns that differ, with how many rows: %s", what, differ)
	}
}

// TestDictionariesOnTheWire has as many different texts in a block as fit into
// each width of a dictionary's keys, and one more and less, in one block that
// is used again, whole and in parts.
func TestDictionariesOnTheWire(t *testing.T) {
	t.Parallel()
	s, cfg := migrated(t)
	conn := admin(t, cfg)
	block := store.NewBlock()
	offset := int64(0)
	for _, n := range []int{255, 256, 257, 65_535, 65_536, 65_537, 1, 257} {
		block.Reset()
		r := schema.Range{Topic: "t", Partition: 1, First: offset, Last: offset + int64(n) + 1}
		for i := range int64(n) {
			w := row(offset+i, func(r *schema.Record) {
				r.Model, r.CreatedAt = fmt.Sprint("m-", r.Origin.Offset), base
				r.Flags = []string{"a", fmt.Sprint("f-", r.Origin.Offset)}
			})
			block.Add(&w)
		}
		again := row(r.Last-1, func(r *schema.Record) { r.Model, r.CreatedAt = fmt.Sprint("m-", offset), base })
		block.Add(&again) // the first text, after all others
		parts := []schema.Range{r}
		if n == 65_537 {
			parts = []schema.Range{r, r}
			parts[0].Last = offset + 65_536
			parts[1].First = offset + 65_537
		}
		for _, p := range parts {
			if err := s.Land(t.Context(), p, block, nil, false); err != nil {
				t.Fatal(err)
			}
		}
		inside := fmt.Sprintf(" FROM requests WHERE offset BETWEEN %d AND %d", r.First, r.Last-2)
		if got := ask[uint64](t, conn, "SELECT count()"+inside+" AND model = 'm-' || toString(offset) AND flags = ['a', 'f-' || toString(offset)]"); got != uint64(n) {
			t.Errorf("%d texts: %d rows have theirs", n, got)
		}
		if got := ask[string](t, conn, fmt.Sprintf("SELECT any(model) FROM requests WHERE offset = %d", r.Last-1)); got != fmt.Sprint("m-", offset) {
			t.Errorf("%d texts: the first one came back as %q", n, got)
		}
		offset = r.Last + 1
	}
}
