// Package scripts holds the tests of the scripts beside it: what they say where
// something is missing. Nothing of it is part of the binary.
package scripts
