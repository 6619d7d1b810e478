package faults

import (
	"testing"
)

var absent = []string{"code 60", "run `headway migrate`"}

// TestTablesMissingAtStart starts the ingester on an empty server: it waits,
// says so, and begins by itself after `headway migrate`.
func TestTablesMissingAtStart(t *testing.T) {
	t.Parallel()
	l := newLab(t, t.TempDir(), true)
	l.ingest()
	records := l.begin(200, now)
	l.suffer(fault{name: "database missing at start", inject: func(*lab) {}, mend: func(l *lab) { l.migrate() },
		class: "operator_fault", words: []string{"code 81", "run `headway migrate`"}})
	records.settled()
	l.tellsOnce(2)
}

// TestTableTakenAway drops a table, or a column, and has `headway migrate`
// make it anew. The rows that were in the table are gone with it; every record
// after them is stored once.
func TestTableTakenAway(t *testing.T) {
	for _, f := range []struct {
		fault
		drop string
	}{
		{fault{name: "requests dropped", words: absent}, "DROP TABLE requests SYNC"},
		{fault{name: "rejects dropped", words: absent}, "DROP TABLE rejects SYNC"},
		{fault{name: "column dropped", words: []string{"code 16", "stage", "run `headway migrate`"}}, "ALTER TABLE requests DROP COLUMN stage"},
	} {
		t.Run(f.name, func(t *testing.T) {
			t.Parallel()
			l := newLab(t, t.TempDir(), false)
			l.ingest()
			before := l.begin(200, now)
			l.flowing()
			before.settled() // so that it is known what goes with the table
			after := l.begin(200, now)
			f.class = "operator_fault"
			f.inject = func(l *lab) { l.sql(f.drop) }
			f.mend = func(l *lab) { l.migrate() }
			l.suffer(f.fault)
			after.settled()
			l.tellsOnce(2)
		})
	}
}

// TestOnePartitionWaitsOthersGoOn takes the table of rejects away: the
// partition whose messages are bad waits, the others land.
func TestOnePartitionWaitsOthersGoOn(t *testing.T) {
	t.Parallel()
	l := newLab(t, t.TempDir(), false)
	l.badIn = 2
	l.ingest()
	records := l.begin(200, now)
	l.flowing()
	l.sql("RENAME TABLE rejects TO away")
	l.eventually("one partition waits", func() error { _, err := l.refuses(absent); return err })
	waiting := "SELECT countIf(partition = 2) FROM requests"
	reached := l.sql(waiting)
	l.eventually("the others go on", func() error {
		if l.sql("SELECT least(countIf(partition = 0), countIf(partition = 1), countIf(partition = 3)) > 300 + "+reached+" FROM requests") != "1" {
			return errNotYet
		}
		return nil
	})
	if now := l.sql(waiting); now != reached {
		t.Errorf("partition 2 went on from %s to %s rows: it does not wait, the test shows nothing", reached, now)
	}
	if err := l.ready(); err == nil {
		t.Error("/readyz is content while one partition waits")
	}
	l.sql("RENAME TABLE away TO rejects")
	l.eventually("ready again", l.ready)
	records.settled()
	l.tellsOnce(2)
}
