package api

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"headway/query"
	"headway/schema"
)

// UploadCounts are what uploads of one source brought since the process
// began. Rejects of uploads are no rows of the store: its own count them.
type UploadCounts struct {
	Source         string           `json:"source"`
	Accepted       int64            `json:"accepted"`
	Rejected       map[string]int64 `json:"rejected" doc:"By reason, those that clients refused themselves included."`
	ContentDropped int64            `json:"content_dropped" doc:"Keys that carried content or identity."`
	Since          string           `json:"since" format:"date-time" doc:"Start of the count."`
}

// ledger counts uploads by source, in memory.
type ledger struct {
	since time.Time
	mu    sync.Mutex
	by    map[string]*UploadCounts
}

func newLedger(now time.Time) *ledger { return &ledger{since: now, by: map[string]*UploadCounts{}} }

func (l *ledger) add(source string, accepted int64, rejected map[string]int64, content int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	c := l.by[source]
	if c == nil {
		c = &UploadCounts{Source: source, Rejected: map[string]int64{}, Since: stamp(l.since)}
		l.by[source] = c
	}
	c.Accepted, c.ContentDropped = c.Accepted+accepted, c.ContentDropped+content
	for reason, n := range rejected {
		c.Rejected[reason] += n
	}
}

// counts returns copies, sorted by source.
func (l *ledger) counts() []UploadCounts {
	l.mu.Lock()
	defer l.mu.Unlock()
	out := []UploadCounts{}
	for _, c := range l.by {
		same := *c
		same.Rejected = map[string]int64{}
		for reason, n := range c.Rejected {
			same.Rejected[reason] = n
		}
		out = append(out, same)
	}
	slices.SortFunc(out, func(a, b UploadCounts) int { return strings.Compare(a.Source, b.Source) })
	return out
}

// sayUploads words what the counts can't tell.
func (l *ledger) sayUploads(uploads []UploadCounts) string {
	var rejected, content int64
	for _, u := range uploads {
		rejected, content = rejected+total(u.Rejected), content+u.ContentDropped
	}
	return fmt.Sprintf("uploads counts what this process took since %s, whatever the window and filters: %d rejected, %d content keys dropped; other processes and earlier runs are not in it",
		stamp(l.since), rejected, content)
}

// Headers with which a client that decodes files itself reports what it
// refused and dropped, so that it is not lost.
const (
	clientSourceHeader   = "Headway-Client-Source"
	clientRejectedHeader = "Headway-Client-Rejected"
	clientContentHeader  = "Headway-Client-Content-Dropped"
)

// clientReport is what those headers say.
type clientReport struct {
	given    bool
	source   string
	rejected map[string]int64
	content  int64
}

// readReport reads the headers of an upload to source.
func (s *Server) readReport(h interface{ Get(string) string }, source string) (clientReport, []ProblemItem) {
	r := clientReport{source: source}
	var errs []ProblemItem
	if name := h.Get(clientSourceHeader); name != "" {
		if _, ok := s.Sources.Lookup(name); !ok {
			errs = append(errs, ProblemItem{Location: "header." + clientSourceHeader, Message: "unknown source " + strconv.Quote(clip(name)), Nearest: s.Sources.Names()})
		}
		r.source = name
	}
	if text := h.Get(clientRejectedHeader); text != "" {
		r.given = true
		var bad *ProblemItem
		if r.rejected, bad = readReasons(text); bad != nil {
			errs = append(errs, *bad)
		}
	}
	if text := h.Get(clientContentHeader); text != "" {
		n, ok := readCount(text)
		if !ok {
			errs = append(errs, ProblemItem{Location: "header." + clientContentHeader, Message: "give a whole number of at most 9 digits", Nearest: []string{}})
		}
		r.given, r.content = true, n
	}
	return r, errs
}

// readReasons reads "reason=count, reason=count".
func readReasons(text string) (map[string]int64, *ProblemItem) {
	bad := func(message string, nearest []string) *ProblemItem {
		return &ProblemItem{Location: "header." + clientRejectedHeader, Message: message, Nearest: list(nearest)}
	}
	known := reasonNames()
	out := map[string]int64{}
	for part := range strings.SplitSeq(text, ",") {
		reason, count, _ := strings.Cut(strings.TrimSpace(part), "=")
		n, ok := readCount(count)
		switch {
		case !ok:
			return nil, bad("give reason=count with commas, each count a whole number of at most 9 digits", nil)
		case !slices.Contains(known, reason):
			return nil, bad("unknown reason "+strconv.Quote(clip(reason)), query.Nearest(reason, known))
		case out[reason] > 0:
			return nil, bad(reason+" is given twice", nil)
		}
		out[reason] = n
	}
	return out, nil
}

func readCount(text string) (int64, bool) {
	for _, c := range []byte(text) {
		if c < '0' || c > '9' {
			return 0, false
		}
	}
	n, err := strconv.ParseInt(text, 10, 64)
	return n, err == nil && len(text) <= 9
}

func reasonNames() []string {
	var out []string
	for _, r := range schema.Reasons() {
		out = append(out, string(r))
	}
	return out
}
