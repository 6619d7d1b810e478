package api

import (
	"testing"
	"time"

	"headway/query"
	"headway/schema"
)

func TestLossesAreShown(t *testing.T) {
	at := time.Date(2026, 11, 30, 3, 0, 0, 0, time.UTC)
	a := query.QualityAnswer{Lost: []query.Lost{{Range: schema.Range{Topic: "t", Epoch: 2, Partition: 3, First: 10, Last: 19},
		Cause: "retention", At: at, Messages: 7}}}
	got := presentQuality(a, at).Lost
	want := LostRange{Topic: "t", Epoch: 2, Partition: 3, First: 10, Last: 19, Messages: 7, Cause: "retention", At: "2026-11-30T03:00:00.000Z"}
	if len(got) != 1 || got[0] != want {
		t.Errorf("lost %+v, want %+v", got, want)
	}
	if none := presentQuality(query.QualityAnswer{}, at).Lost; none == nil || len(none) != 0 {
		t.Errorf("without losses %v, want an empty list", none)
	}
}
