package schema

import (
	"bufio"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
)

// UnpackedError is returned while reading a file that unpacks to more than
// Limit bytes.
type UnpackedError struct{ Limit int64 }

// Error implements error.
func (e *UnpackedError) Error() string {
	return fmt.Sprintf("the file unpacks to more than %d bytes; split it", e.Limit)
}

const readBuffer = 64 << 10

// Unpack begins to read r, through gzip where its first bytes say so. limit
// bounds the bytes that gzip yields, 0 is no bound; past it reading fails with
// an *UnpackedError. Files that are compressed twice are refused.
func Unpack(r io.Reader, limit int64) (*bufio.Reader, error) {
	in := bufio.NewReaderSize(r, readBuffer)
	if !isGzip(in) {
		return in, nil
	}
	z, err := gzip.NewReader(in)
	if err != nil {
		return nil, fmt.Errorf("reading gzip header: %w; the file is damaged, compress it again", err)
	}
	var out io.Reader = z
	if limit > 0 {
		out = &bounded{in: z, left: limit, limit: limit}
	}
	unpacked := bufio.NewReaderSize(out, readBuffer)
	if isGzip(unpacked) {
		return nil, errors.New("the file is compressed twice; unpack it once and send it again")
	}
	return unpacked, nil
}

func isGzip(in *bufio.Reader) bool {
	magic, err := in.Peek(2)
	return err == nil && magic[0] == 0x1f && magic[1] == 0x8b
}

// bounded yields at most limit bytes and then fails, also where the reader
// behind it would go on without end.
type bounded struct {
	in          io.Reader
	left, limit int64
}

func (b *bounded) Read(p []byte) (int, error) {
	if b.left < 0 {
		return 0, &UnpackedError{Limit: b.limit}
	}
	if int64(len(p)) > b.left+1 { // one more tells the end from too much
		p = p[:b.left+1]
	}
	n, err := b.in.Read(p)
	if b.left -= int64(n); b.left < 0 {
		return n - 1, &UnpackedError{Limit: b.limit}
	}
	return n, err
}
