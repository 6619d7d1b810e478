package verify

import (
	"context"

	"headway/schema"
)

// withoutFormer cuts from gaps what is stored in a former epoch: where a log
// lost its tail, the next epoch begins in the middle of it, and what lies
// before first, the epoch's lowest stored offset, may have been read already.
// It says how many offsets it cut. Gaps are in order.
func (c *comparison) withoutFormer(ctx context.Context, gaps []schema.Range, first int64) (open []schema.Range, cut int64, err error) {
	for i, g := range gaps {
		if g.Epoch == 0 || first >= 0 && g.First > first {
			return append(open, gaps[i:]...), cut, nil
		}
		left := []schema.Range{g}
		for epoch := g.Epoch; epoch > 0 && len(left) > 0; epoch-- {
			if left, err = c.outside(ctx, left, epoch-1); err != nil {
				return nil, 0, err
			}
		}
		for _, r := range left {
			r.Epoch = g.Epoch
			open = append(open, r)
		}
		cut += offsets([]schema.Range{g}) - offsets(left)
	}
	return open, cut, nil
}

// outside returns what of gaps is not stored in an epoch of the same log.
func (c *comparison) outside(ctx context.Context, gaps []schema.Range, epoch uint32) (left []schema.Range, err error) {
	for _, g := range gaps {
		was := g
		was.Epoch = epoch
		if same, err := c.sameLog(ctx, was); err != nil || !same {
			if err != nil {
				return nil, err
			}
			left = append(left, g)
			continue
		}
		still, err := c.store.Gaps(ctx, was)
		if err != nil {
			return nil, err
		}
		left = append(left, still...)
	}
	return left, nil
}

// sameLog compares the newest row of a range with the message that the log
// holds at its offset: a topic that was re-created holds another one, or none.
func (c *comparison) sameLog(ctx context.Context, r schema.Range) (same bool, err error) {
	rows, err := c.store.Recent(ctx, r, 0, 1)
	if err != nil || len(rows) == 0 {
		return false, err
	}
	row := rows[0]
	r.First, r.Last = row.Origin.Offset, row.Origin.Offset
	_, err = c.log.Messages(ctx, []schema.Range{r}, func(m Message) {
		same = !m.CreatedAt.IsZero() && (m.RequestID == row.RequestID || m.CreatedAt.Equal(row.CreatedAt))
	})
	return same, err
}
