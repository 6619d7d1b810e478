// Package faults holds tests that break the database under a running ingester
// and mend it again; it holds no code that runs anywhere else.
package faults
