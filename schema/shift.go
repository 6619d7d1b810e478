package schema

import "time"

// SpreadTime is the time of row number i (from 0) of a file without clock
// times: base plus i steps, UTC with millisecond resolution.
func SpreadTime(base time.Time, i int, step time.Duration) time.Time {
	return base.UTC().Add(time.Duration(i) * step).Truncate(time.Millisecond)
}

// ShiftToNow is what must be added to all times of a file so that its newest
// row lies at now; Config.Shift takes it. The importer finds newest in a
// first pass with Retention KeepForever.
func ShiftToNow(newest, now time.Time) time.Duration {
	return now.UTC().Truncate(time.Millisecond).Sub(newest)
}
