// Package upload sends records to a server in chunks that may be repeated
// safely; it reads no files and decodes nothing.
package upload

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"headway/internal/client"
	"headway/internal/intake"
	"headway/schema"
)

// Bounds of one chunk.
const (
	chunkRows  = 20_000
	chunkBytes = 16 << 20
)

// Result counts the rows of an import. Reasons are those of rejected rows.
type Result struct {
	Read           int64            `json:"read"`
	Accepted       int64            `json:"accepted"`
	Rejected       int64            `json:"rejected"`
	Flagged        int64            `json:"flagged"`
	ContentDropped int64            `json:"content_dropped"`
	Reasons        map[string]int64 `json:"reasons"`
	Flags          map[string]int64 `json:"flags"`
}

// Uploader collects rows and sends them as canonical records. It serves one
// goroutine.
type Uploader struct {
	client *client.Client
	source string
	buf    bytes.Buffer
	rows   int
	// What was refused and dropped here since the last chunk: the server is
	// told, so that it shows where everyone looks.
	refused map[string]int64
	dropped int64
	result  Result
}

// New returns an uploader to one server of rows that a source's adapter read.
func New(c *client.Client, source string) *Uploader {
	return &Uploader{client: c, source: source, refused: map[string]int64{}, result: Result{Reasons: map[string]int64{}, Flags: map[string]int64{}}}
}

// Add takes one row, counts it where it is refused, and sends a chunk when
// one is full.
func (u *Uploader) Add(ctx context.Context, i intake.Item) error {
	u.result.Read++
	u.result.ContentDropped += int64(i.Dropped)
	u.dropped += int64(i.Dropped)
	if i.Reject != nil {
		u.result.Rejected++
		u.result.Reasons[string(i.Reject.Reason)]++
		u.refused[string(i.Reject.Reason)]++
		return nil
	}
	u.buf.Write(schema.AppendJSON(u.buf.AvailableBuffer(), i.Record))
	u.buf.WriteByte('\n')
	u.rows++
	if u.rows < chunkRows && u.buf.Len() < chunkBytes {
		return nil
	}
	return u.Flush(ctx)
}

// answer is what the server says of one chunk.
type answer struct {
	Accepted int64            `json:"accepted"`
	Rejected int64            `json:"rejected"`
	Flagged  int64            `json:"flagged"`
	Reasons  map[string]int64 `json:"reasons"`
	Flags    map[string]int64 `json:"flags"`
}

// Flush sends what is left. The chunk's key is a hash of what is sent, so the
// server takes a repeated chunk once.
func (u *Uploader) Flush(ctx context.Context) error {
	if u.rows == 0 && len(u.refused) == 0 && u.dropped == 0 {
		return nil
	}
	header := http.Header{"Content-Type": {"application/x-ndjson"}, "Headway-Client-Source": {u.source}}
	if len(u.refused) > 0 {
		header.Set("Headway-Client-Rejected", counted(u.refused))
	}
	if u.dropped > 0 {
		header.Set("Headway-Client-Content-Dropped", strconv.FormatInt(u.dropped, 10))
	}
	hash := sha256.New()
	fmt.Fprint(hash, u.source, header.Get("Headway-Client-Rejected"), u.dropped, "\n")
	hash.Write(u.buf.Bytes())
	header.Set("Idempotency-Key", hex.EncodeToString(hash.Sum(nil)[:16]))
	reply, err := u.client.Post(ctx, "records", url.Values{"source": {"headway"}}, bytes.NewReader(u.buf.Bytes()), header)
	if err != nil {
		return fmt.Errorf("uploading rows %d to %d: %w", u.result.Accepted+1, u.result.Accepted+int64(u.rows), err)
	}
	defer reply.Body.Close()
	var a answer
	if err := json.NewDecoder(reply.Body).Decode(&a); err != nil {
		return fmt.Errorf("reading the server's answer to an upload: %w", err)
	}
	u.result.Accepted += a.Accepted
	u.result.Rejected += a.Rejected
	u.result.Flagged += a.Flagged
	for k, n := range a.Reasons {
		u.result.Reasons[k] += n
	}
	for k, n := range a.Flags {
		u.result.Flags[k] += n
	}
	u.buf.Reset()
	u.rows, u.dropped = 0, 0
	clear(u.refused)
	return nil
}

// counted writes reasons as reason=n, sorted.
func counted(reasons map[string]int64) string {
	var parts []string
	for _, reason := range slices.Sorted(maps.Keys(reasons)) {
		parts = append(parts, fmt.Sprintf("%s=%d", reason, reasons[reason]))
	}
	return strings.Join(parts, ",")
}

// Result returns the counts so far.
func (u *Uploader) Result() Result { return u.result }
