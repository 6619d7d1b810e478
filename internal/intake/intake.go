// Package intake reads files of any source into records for the command
// line; it sends nothing and stores nothing.
package intake

import (
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"headway/schema"
)

// Item is one row of a file: a record, or why there is none.
type Item struct {
	File   string
	Line   int                 // where the row begins, from 1
	Bytes  int                 // size of the row in the file
	Record *schema.Record      // valid until the next row; nil where refused
	Reject *schema.RejectError // nil where Record is set
	// Dropped counts keys that carried content or identity.
	Dropped int
}

// Open opens a file to read, standard input for "-".
func Open(path string, stdin io.Reader) (io.ReadCloser, error) {
	if path == "-" {
		return io.NopCloser(stdin), nil
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("opening the input: %w; name a readable file, or - for standard input", err)
	}
	if info, err := f.Stat(); err == nil && info.IsDir() {
		return nil, errors.Join(fmt.Errorf("opening the input: %s is a folder; name its files", path), f.Close())
	}
	return f, nil
}

// Each decodes every row of r with dec and calls do with it, in order, until
// do fails. Rows are read as format, and arrive at now.
func Each(name string, r io.Reader, format schema.Format, maxBytes int, dec *schema.Decoder, now time.Time, do func(Item) error) error {
	rows, err := schema.NewRowReader(r, format, maxBytes)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	var rec schema.Record
	for {
		row, err := rows.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		item := Item{File: name, Line: row.Line, Bytes: row.Bytes, Reject: row.Reject}
		if row.Reject == nil {
			item.Dropped, err = dec.Decode(row.JSON, now, &rec)
			if err == nil {
				item.Record = &rec
			} else if !errors.As(err, &item.Reject) {
				return fmt.Errorf("%s line %d: %w", name, row.Line, err)
			}
		}
		if err := do(item); err != nil {
			return err
		}
	}
}

// Newest returns the latest time of the records in a file that dec can read.
func Newest(path string, format schema.Format, maxBytes int, dec *schema.Decoder, now time.Time) (time.Time, error) {
	f, err := Open(path, nil)
	if err != nil {
		return time.Time{}, err
	}
	defer f.Close()
	var newest time.Time
	err = Each(path, f, format, maxBytes, dec, now, func(i Item) error {
		if i.Record != nil && i.Record.CreatedAt.After(newest) {
			newest = i.Record.CreatedAt
		}
		return nil
	})
	return newest, err
}
