package ops

import (
	"errors"
	"fmt"
)

// Stack closes what was started, in reverse order.
type Stack struct {
	closers []closer
}

type closer struct {
	name  string
	close func() error
}

// Push notes how to close a part that has just been started.
func (s *Stack) Push(name string, close func() error) {
	s.closers = append(s.closers, closer{name, close})
}

// Close closes every part once, the last started first, and joins what went
// wrong. Errors name the part.
func (s *Stack) Close() error {
	var errs []error
	for i := len(s.closers) - 1; i >= 0; i-- {
		c := s.closers[i]
		if err := c.close(); err != nil {
			errs = append(errs, fmt.Errorf("closing %s: %w", c.name, err))
		}
	}
	s.closers = nil
	return errors.Join(errs...)
}
