// Package engine starts and stops the embedded broker and database of a
// one-machine Headway; it creates no topics but those asked for, no tables at
// all, and nothing in ingest, store or api knows that it is there.
package engine

import "errors"

// Database is the name of the database that the working user may create and
// use. Names that begin with it are allowed too, so that tests can each have
// their own. The engine does not create tables.
const Database = "headway"

// User is the name of the only account that can work with the database.
const User = "headway"

var (
	// ErrNoEngine means that neither a ClickHouse library nor a ClickHouse
	// program was found. The text around it names the ways to get one.
	ErrNoEngine = errors.New("no ClickHouse engine found")

	// ErrUnusable means that the library or program that was found or named
	// can't be used on this machine; the text around it says why.
	ErrUnusable = errors.New("ClickHouse engine can't be used")

	// ErrPortTaken means that another process listens on a port that was
	// asked for by number.
	ErrPortTaken = errors.New("port is already in use")

	// ErrDataDirInUse means that another engine, perhaps one that is still
	// shutting down, holds the data directory.
	ErrDataDirInUse = errors.New("data directory is in use")
)
