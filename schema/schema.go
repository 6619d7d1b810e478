// Package schema defines what a timing record is and turns bytes of any
// supported source into a valid one, keeping missing values missing; it does
// no I/O, knows no storage, and judges nothing slow or fast.
package schema

// Opt is a value that may be missing. The zero Opt is missing: a missing
// value is never zero.
type Opt[T any] struct {
	Value T
	Valid bool
}

// Some returns a present value.
func Some[T any](v T) Opt[T] { return Opt[T]{Value: v, Valid: true} }

// Get returns the value and whether it is present.
func (o Opt[T]) Get() (T, bool) { return o.Value, o.Valid }
