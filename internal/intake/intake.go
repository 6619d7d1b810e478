// Package intake reads files of any source into records for the command
// line; it sends nothing and stores nothing.
package intake

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
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

// RowIDs makes ids for rows that have none from what they hold and where they
// stand, so that reading a file again gives the same records. Next is a
// decoder's NewID; Each tells it the row.
type RowIDs struct{ current [sha256.Size]byte }

// Next returns the id of the row being decoded.
func (r *RowIDs) Next() string { return "row-" + hex.EncodeToString(r.current[:12]) }

func (r *RowIDs) at(line int, row []byte) {
	r.current = sha256.Sum256(append(strconv.AppendInt(nil, int64(line), 10), row...))
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

// Input is a file to decode.
type Input struct {
	Name     string // for errors
	Reader   io.Reader
	Format   schema.Format
	MaxBytes int // of a row; 0 means schema.DefaultMaxBytes
	Decoder  *schema.Decoder
	IDs      *RowIDs // the decoder's, where it makes ids from rows; else nil
	Now      time.Time
}

// Each decodes every row of an input and calls do with it, in order, until do
// fails. Rows arrive at Now.
func (in Input) Each(do func(Item) error) error {
	name := in.Name
	rows, err := schema.NewRowReader(in.Reader, in.Format, in.MaxBytes)
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
			if in.IDs != nil {
				in.IDs.at(row.Line, row.JSON)
			}
			item.Dropped, err = in.Decoder.Decode(row.JSON, in.Now, &rec)
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

// Newest returns the latest time of the records of an input.
func (in Input) Newest() (time.Time, error) {
	var newest time.Time
	err := in.Each(func(i Item) error {
		if i.Record != nil && i.Record.CreatedAt.After(newest) {
			newest = i.Record.CreatedAt
		}
		return nil
	})
	return newest, err
}
