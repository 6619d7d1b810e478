package faults

import (
	"os"
	"strconv"
	"testing"
	"time"

	"headway/internal/testkit/trap"
)

// killsVariable lengthens TestEngineDiesBetweenTokenAndPart.
const killsVariable = "HEADWAY_KILLS"

// TestEngineDiesBetweenTokenAndPart lets the engine die again and again while
// it publishes an insert of the running ingester, so that each death leaves a
// token without rows. Every record is stored once all the same.
func TestEngineDiesBetweenTokenAndPart(t *testing.T) {
	t.Parallel()
	kills := 4
	if n, err := strconv.Atoi(os.Getenv(killsVariable)); err == nil {
		kills = n
	}
	dir := t.TempDir()
	if err := trap.Set(dir, 0); err != nil {
		t.Fatal(err)
	}
	l := newLab(t, dir, false)
	l.ingest()
	records := l.begin(400, now)
	l.flowing()
	begun := time.Now()
	for n := 1; n <= kills; n++ {
		// The rows of four partitions, and sometimes rejects: any of them.
		if err := trap.Set(dir, 1+n%7); err != nil {
			t.Fatal(err)
		}
		l.eventually("the engine dies and serves again", func() error {
			if l.db.Restarts() < n {
				return errNotYet
			}
			return nil
		})
	}
	if err := trap.Set(dir, 0); err != nil {
		t.Fatal(err)
	}
	l.eventually("ready again", l.ready)
	records.settled()
	var n int64
	for _, end := range l.ends {
		n += end
	}
	t.Logf("%d deaths between token and part in %.0f s; %d records are in, once each", l.db.Restarts(), time.Since(begun).Seconds(), n)
}
