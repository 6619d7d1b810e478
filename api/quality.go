package api

import (
	"context"
	"fmt"
	"time"

	"headway/query"
)

// Quality answers GET quality: what arrived, was rejected, flagged, stripped.
type Quality struct {
	Meta     Meta               `json:"meta"`
	Sources  []SourceQuality    `json:"sources"`
	Gateways []GatewayFreshness `json:"gateways"`
	Uploads  []UploadCounts     `json:"uploads" doc:"What uploads brought since this process began; empty before the first."`
	Lost     []LostRange        `json:"lost" doc:"Messages that were gone before they could be read."`
}

// LostRange is a run of offsets that became neither row nor reject.
type LostRange struct {
	Topic     string `json:"topic"`
	Epoch     uint32 `json:"epoch"`
	Partition int32  `json:"partition"`
	First     int64  `json:"first"`
	Last      int64  `json:"last" doc:"Inclusive."`
	Messages  int64  `json:"messages" doc:"Offsets of the range that are neither rows nor rejects."`
	Cause     string `json:"cause"`
	At        string `json:"at" format:"date-time" doc:"When the loss was noticed."`
}

// SourceQuality is what one source delivered in the window.
type SourceQuality struct {
	Source     string             `json:"source"`
	Rows       int64              `json:"rows"`
	Duplicates int64              `json:"duplicates"`
	Rejected   map[string]int64   `json:"rejected" doc:"By reason."`
	Flags      map[string]int64   `json:"flags"`
	Coverage   map[string]float64 `json:"coverage" doc:"Field to the share of rows that carry it, 0 to 1."`
	NewestAt   *string            `json:"newest_at" format:"date-time"`
	FreshnessS *float64           `json:"freshness_s" doc:"Now minus newest_at, seconds."`
}

// GatewayFreshness is when a gateway was last heard.
type GatewayFreshness struct {
	Gateway    *string `json:"gateway"`
	Source     string  `json:"source"`
	NewestAt   string  `json:"newest_at" format:"date-time"`
	FreshnessS float64 `json:"freshness_s"`
	Rows       int64   `json:"rows"`
}

func (q Quality) describe() Meta { return q.Meta }

func (q Quality) table() table {
	t := table{columns: []string{"source", "rows", "duplicates", "rejected", "flagged", "newest_at", "freshness_s",
		"uploads_accepted", "uploads_rejected", "uploads_content_dropped"}}
	uploads := map[string]UploadCounts{}
	for _, u := range q.Uploads {
		uploads[u.Source] = u
	}
	for _, s := range q.Sources {
		row := []any{s.Source, s.Rows, s.Duplicates, total(s.Rejected), total(s.Flags), cell(s.NewestAt), cell(s.FreshnessS), nil, nil, nil}
		if u, ok := uploads[s.Source]; ok {
			row = append(row[:7], u.Accepted, total(u.Rejected), u.ContentDropped)
			delete(uploads, s.Source)
		}
		t.rows = append(t.rows, row)
	}
	for _, u := range q.Uploads { // sources without rows in the window
		if _, ok := uploads[u.Source]; ok {
			t.rows = append(t.rows, []any{u.Source, nil, nil, nil, nil, nil, nil, u.Accepted, total(u.Rejected), u.ContentDropped})
		}
	}
	return t
}

func total(counts map[string]int64) int64 {
	var n int64
	for _, c := range counts {
		n += c
	}
	return n
}

func (s *Server) quality(ctx context.Context, in *input) (Quality, error) {
	q, err := query.ParseQuality(s.Fields, in.values)
	if err != nil {
		return Quality{}, err
	}
	now := s.Now()
	sc, err := q.Resolve(now)
	if err != nil {
		return Quality{}, err
	}
	a, err := s.Options.Quality.Quality(ctx, q, sc)
	if err != nil {
		return Quality{}, fmt.Errorf("reading the data's quality: %w", err)
	}
	out := presentQuality(a, now)
	if out.Uploads = s.ledger.counts(); len(out.Uploads) > 0 {
		out.Meta.Warnings = append(out.Meta.Warnings, s.ledger.sayUploads(out.Uploads))
	}
	return out, nil
}

func presentQuality(a query.QualityAnswer, now time.Time) Quality {
	out := Quality{Meta: presentMeta(a.Meta, footing{}), Sources: []SourceQuality{}, Uploads: []UploadCounts{}, Gateways: []GatewayFreshness{}, Lost: []LostRange{}}
	for _, q := range a.Sources {
		out.Sources = append(out.Sources, SourceQuality{Source: q.Source, Rows: q.Rows, Duplicates: q.Duplicates, Rejected: dict(q.Rejected),
			Flags: dict(q.Flags), Coverage: dict(q.Coverage), NewestAt: stampOrNull(q.Newest), FreshnessS: freshness(q.Newest, now)})
	}
	for _, g := range a.Gateways {
		out.Gateways = append(out.Gateways, GatewayFreshness{Gateway: orNull(g.Gateway), Source: g.Source, NewestAt: stamp(g.Newest),
			FreshnessS: *freshness(&g.Newest, now), Rows: g.Rows})
	}
	for _, l := range a.Lost {
		out.Lost = append(out.Lost, LostRange{Topic: l.Range.Topic, Epoch: l.Range.Epoch, Partition: l.Range.Partition,
			First: l.Range.First, Last: l.Range.Last, Messages: l.Messages, Cause: l.Cause, At: stamp(l.At)})
	}
	return out
}
