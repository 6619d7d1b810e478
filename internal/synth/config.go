package synth

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"time"
)

// minIncidentSpan is how long the data must last for an incident to have a
// before to be compared with.
const minIncidentSpan = 20 * time.Minute

func (c Config) validate() error {
	var errs []error
	if !c.From.Before(c.To) {
		errs = append(errs, fmt.Errorf("from %s is not before to %s: swap them or widen the span", c.From.Format(time.RFC3339), c.To.Format(time.RFC3339)))
	}
	switch {
	case c.N < 0:
		errs = append(errs, fmt.Errorf("%d records: give a number above 0", c.N))
	case c.N == 0 && (math.IsNaN(c.Rate) || math.IsInf(c.Rate, 0) || c.Rate <= 0):
		errs = append(errs, fmt.Errorf("rate %v: give a number of records, or a rate above 0 records a second", c.Rate))
	}
	if c.Severity != Clear && c.Severity != Mild {
		errs = append(errs, fmt.Errorf("severity %q: use %s or %s", c.Severity, Clear, Mild))
	}
	if c.Incident == "" {
		return errors.Join(errs...)
	}
	if _, ok := kindNamed(c.Incident); !ok {
		var names []string
		for _, k := range kinds {
			names = append(names, k.name)
		}
		errs = append(errs, fmt.Errorf("incident %q: use one of %s", c.Incident, strings.Join(names, ", ")))
	}
	if c.From.Before(c.To) && c.To.Sub(c.From) < minIncidentSpan {
		errs = append(errs, fmt.Errorf("an incident needs a span of at least %s, so that there is a time before it: widen from and to", minIncidentSpan))
	}
	return errors.Join(errs...)
}
