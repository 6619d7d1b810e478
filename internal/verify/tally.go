package verify

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"headway/query"
	"headway/schema"
)

// windowRuns bounds what is looked at offset by offset at once: sixteen runs,
// a million offsets.
const windowRuns = 16

// tally is what was counted of one epoch of one partition.
type tally struct {
	rows, rejected int64           // of compared offsets
	older          int64           // entries elsewhere
	first          int64           // lowest compared offset that is stored; -1 without any
	different      map[int64]int64 // of compared offsets by run; runs of which nothing is stored are left out
	doubled        []schema.Range  // runs in which offsets stand more than once
}

func (c *comparison) of(k key) *tally {
	t := c.tally[k]
	if t == nil {
		t = &tally{first: -1, different: map[int64]int64{}}
		c.tally[k] = t
	}
	return t
}

// count takes what is stored of one run.
func (c *comparison) count(r query.StoredRun) {
	t := c.of(key{r.Range.Partition, r.Range.Epoch})
	if r.Compared {
		t.rows += r.Rows
		if t.first < 0 || r.Range.First < t.first {
			t.first = r.Range.First
		}
		t.rejected += r.Rejected
		t.different[r.Range.First/query.StoredRunOffsets] += r.Different
	} else if c.before(r.Range) {
		t.older += r.Rows + r.Rejected
	}
	if r.Rows+r.Rejected > r.Different {
		t.doubled = append(t.doubled, r.Range)
	}
}

// before is true for what lies before a log's start or in a former epoch.
func (c *comparison) before(r schema.Range) bool {
	for _, in := range c.compared {
		if in.Partition == r.Partition {
			return r.Epoch < in.Epoch || r.Epoch == in.Epoch && r.Last < in.First
		}
	}
	return true
}

// suspicious returns the windows of a compared range in which offsets are not
// stored.
func (t *tally) suspicious(in schema.Range) []schema.Range {
	const width = query.StoredRunOffsets
	var out []schema.Range
	for run := in.First / width; run <= in.Last/width && in.First <= in.Last; run++ {
		w := in
		w.First, w.Last = max(in.First, run*width), min(in.Last, (run+1)*width-1)
		if t.different[run] == w.Last-w.First+1 {
			continue
		}
		if n := len(out); n > 0 && out[n-1].Last == w.First-1 && w.Last-out[n-1].First < windowRuns*width {
			out[n-1].Last = w.Last
			continue
		}
		out = append(out, w)
	}
	return out
}

// partition compares one partition's log with its epoch, and reads from the
// log what is stored nowhere.
func (c *comparison) partition(ctx context.Context, i int) error {
	in, p := c.compared[i], &c.out.Partitions[i]
	t := c.of(key{in.Partition, in.Epoch})
	p.Rows, p.Rejected = t.rows, t.rejected
	for _, w := range t.suspicious(in) {
		gaps, err := c.store.Gaps(ctx, w)
		if err != nil {
			return err
		}
		open, lost := without(gaps, c.lost)
		p.Lost += lost
		open, former, err := c.withoutFormer(ctx, open, t.first)
		if err != nil {
			return err
		}
		p.Former += former
		if len(open) == 0 {
			continue
		}
		p.Empty += offsets(open)
		gone, err := c.log.Messages(ctx, open, func(m Message) {
			p.Empty--
			if m.Expired {
				p.Expired++
				return
			}
			p.Missing++
			c.list(&c.out.Missing, schema.Range{Epoch: in.Epoch, Partition: in.Partition, First: m.Offset, Last: m.Offset})
		})
		if err != nil {
			return err
		}
		if gone > 0 {
			c.out.Warnings = append(c.out.Warnings, fmt.Sprintf("partition %d: %d offsets that are not stored left the log while it was compared; they are counted as empty", p.Partition, gone))
		}
	}
	return nil
}

// doubles names the doubles of all epochs.
func (c *comparison) doubles(ctx context.Context) error {
	keys := make([]key, 0, len(c.tally))
	for k := range c.tally {
		keys = append(keys, k)
	}
	slices.SortFunc(keys, func(a, b key) int {
		return cmp.Or(cmp.Compare(a.partition, b.partition), cmp.Compare(a.epoch, b.epoch))
	})
	for _, k := range keys {
		i := slices.IndexFunc(c.out.Partitions, func(p query.VerifiedPartition) bool { return p.Partition == k.partition })
		for _, w := range c.tally[k].doubled {
			found, err := c.store.Doubled(ctx, w)
			if err != nil {
				return err
			}
			for _, r := range found {
				c.list(&c.out.Doubled, r)
			}
			c.out.DoubledMessages += offsets(found)
			if i >= 0 {
				c.out.Partitions[i].Doubled += offsets(found)
			}
		}
		if i >= 0 {
			c.out.Partitions[i].Older += c.tally[k].older
		}
	}
	return nil
}

// list adds a range to an answer's list, joined to the one before where they
// touch, or notes that the list is full.
func (c *comparison) list(to *[]query.OffsetRange, r schema.Range) {
	if n := len(*to); n > 0 {
		if at := &(*to)[n-1]; at.Partition == r.Partition && at.Epoch == r.Epoch && at.Last+1 == r.First {
			at.Last = r.Last
			return
		}
	}
	if len(*to) >= c.limit {
		c.out.Truncated = true
		return
	}
	*to = append(*to, query.OffsetRange{Partition: r.Partition, Epoch: r.Epoch, First: r.First, Last: r.Last})
}

func offsets(ranges []schema.Range) int64 {
	n := int64(0)
	for _, r := range ranges {
		n += r.Last - r.First + 1
	}
	return n
}

// without cuts what was lost out of gaps, which are of one epoch of one
// partition, and says how many of their offsets were. Both are in order.
func without(gaps, lost []schema.Range) (open []schema.Range, cut int64) {
	for _, g := range gaps {
		for _, l := range lost {
			if l.Epoch != g.Epoch || l.Partition != g.Partition || l.Last < g.First || l.First > g.Last {
				continue
			}
			if l.First > g.First {
				head := g
				head.Last = l.First - 1
				open = append(open, head)
			}
			cut += min(l.Last, g.Last) - max(l.First, g.First) + 1
			g.First = l.Last + 1
		}
		if g.First <= g.Last {
			open = append(open, g)
		}
	}
	return open, cut
}
