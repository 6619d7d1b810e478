package main

import (
	"context"

	"headway/ingest"
	"headway/schema"
	"headway/store"
)

// landing is the store as ingestion wants it.
type landing struct{ *store.Store }

func (landing) NewRows() ingest.Rows { return store.NewBlock() }

func (l landing) Land(ctx context.Context, r schema.Range, rows ingest.Rows, rejects []schema.Reject, check bool) error {
	return l.Store.Land(ctx, r, rows.(*store.Block), rejects, check) // NewRows makes no others
}
