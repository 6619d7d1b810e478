package query

import "time"

const (
	// MaxWindow is the longest window of one question.
	MaxWindow = 400 * day
	// MaxBuckets is the largest number of time buckets of one answer.
	MaxBuckets = 2000
	// wantBuckets is what an automatic step aims at: about one per three
	// pixels of a chart.
	wantBuckets = 240
)

// Resolve turns the selection's references into instants. A missing end is
// now, a missing start one hour before the end.
func (s Selection) Resolve(now time.Time) (Scope, error) {
	return s.resolve(now, time.Hour)
}

// Resolve turns the question's references into instants. Without a window it
// takes the last seven whole UTC days.
func (h Hedge) Resolve(now time.Time) (Scope, error) {
	s := h.Selection
	if s.From == "" && s.To == "" {
		s.From, s.To = "now-7d/d", "now/d"
	}
	return s.resolve(now, 7*day)
}

// resolve takes length as the window's where it has no start.
func (s Selection) resolve(now time.Time, length time.Duration) (Scope, error) {
	if s.To == "" {
		s.To = "now"
	}
	var errs Errors
	to, err := ParseTime(s.To, now)
	if err != nil {
		errs = append(errs, wrong("to", "%s", err))
	}
	from := to.Add(-length)
	if s.From != "" {
		if from, err = ParseTime(s.From, now); err != nil {
			errs = append(errs, wrong("from", "%s", err))
		}
	}
	if len(errs) > 0 {
		return Scope{}, errs
	}
	w := Window{From: from, To: to}
	if err := w.check(); err != nil {
		return Scope{}, err
	}
	return Scope{Window: w, Where: s.Where}, nil
}

func (w Window) check() error {
	const layout = "2006-01-02T15:04:05.000Z"
	switch d := w.To.Sub(w.From); {
	case d <= 0:
		return Errors{wrong("from", "the window is empty: from %s is not before to %s; from is inclusive, to exclusive", w.From.Format(layout), w.To.Format(layout))}
	case d > MaxWindow:
		return Errors{wrong("from", "the window is %d days long; one question takes at most %d", int64(d/day), int64(MaxWindow/day))}
	}
	return nil
}

// niceSteps are widths of time buckets that people read easily.
func niceSteps() []time.Duration {
	s, m, h := time.Second, time.Minute, time.Hour
	return []time.Duration{s, 2 * s, 5 * s, 10 * s, 15 * s, 30 * s, m, 2 * m, 5 * m, 10 * m, 15 * m, 30 * m,
		h, 2 * h, 3 * h, 6 * h, 12 * h, day, 2 * day, 7 * day}
}

// StepFor returns the width of the time buckets of a window: the asked one,
// or where asked is zero the smallest nice one with at most 240 buckets. It
// refuses steps that make more than MaxBuckets.
func (w Window) StepFor(asked time.Duration) (time.Duration, error) {
	length := w.To.Sub(w.From)
	if asked == 0 {
		return smallestStep(length, wantBuckets), nil
	}
	if buckets(length, asked) > MaxBuckets {
		return 0, Errors{wrong("step", "%s makes %d buckets, more than %d; use at least step=%s or leave it out",
			FormatDuration(asked), buckets(length, asked), MaxBuckets, FormatDuration(smallestStep(length, MaxBuckets)))}
	}
	return asked, nil
}

func smallestStep(length time.Duration, most int64) time.Duration {
	steps := niceSteps()
	for _, s := range steps {
		if buckets(length, s) <= most {
			return s
		}
	}
	return steps[len(steps)-1]
}

// buckets counts the aligned buckets a window of this length may touch.
func buckets(length, step time.Duration) int64 { return int64((length + step - 1) / step) }
