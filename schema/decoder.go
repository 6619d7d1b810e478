package schema

import (
	"errors"
	"fmt"
	"time"
)

// Defaults of Config.
const (
	DefaultMaxBytes  = 1 << 20
	DefaultMaxDepth  = 100
	DefaultRetention = 90 * 24 * time.Hour
	DefaultBaseStep  = time.Second
	// KeepForever as Retention expires nothing.
	KeepForever = time.Duration(-1)
)

// maxAhead is how far in the future a record's time may lie.
const maxAhead = 10 * time.Minute

// Config says how one source's messages are decoded.
type Config struct {
	Source    Source         // from Sources
	Zone      *time.Location // overrides Source.Zone where set
	MaxBytes  int            // size of a message; 0 means DefaultMaxBytes
	MaxDepth  int            // nesting of a message; 0 means DefaultMaxDepth
	Retention time.Duration  // age at which records are expired; 0 means DefaultRetention
	Content   ContentMode    // empty means ContentDrop
	NewID     func() string  // makes the id of a record without one
	// Partial accepts a record without model or time and of any age: for
	// judging one record that is not stored.
	Partial bool
	// BaseTime, where set, is the time of the first row without clock time;
	// each further Decode adds BaseStep (0 means DefaultBaseStep). Such rows
	// are flagged time_assigned.
	BaseTime time.Time
	BaseStep time.Duration
	// Shift is added to every recorded time; rows are then flagged
	// time_shifted.
	Shift time.Duration
}

// Decoder turns messages of one source into records. It reuses its buffers,
// so it serves one goroutine at a time; the records it fills share nothing
// with it that changes.
type Decoder struct {
	cfg        Config
	sources    *Sources
	scan       scanner // the message
	inner      scanner // JSON held in a string of the message
	innerBuf   []byte
	scratch    []byte
	strings    interner
	recordKeys follower
	timingKeys follower
	cells      []cell
	row        int // Decode calls so far

	// State of the message being read.
	stamp      time.Time
	stampWhy   Reason // why stamp is unusable
	suffixRole Role   // role that the request id's suffix names
	group      string
}

// NewDecoder returns a decoder, or an error that names the bad setting.
func NewDecoder(cfg Config) (*Decoder, error) {
	content, err := ParseContentMode(string(cfg.Content))
	switch {
	case err != nil:
		return nil, err
	case cfg.Source.read == nil:
		return nil, errors.New("decoder without a source: take one from Sources")
	case cfg.NewID == nil:
		return nil, errors.New("decoder without an id generator: set NewID")
	case cfg.MaxBytes < 0 || cfg.MaxDepth < 0 || cfg.BaseStep < 0:
		return nil, fmt.Errorf("decoder limits %d bytes, depth %d, step %s: use 0 for the default, or more", cfg.MaxBytes, cfg.MaxDepth, cfg.BaseStep)
	}
	cfg.Content = content
	setDefault(&cfg.MaxBytes, DefaultMaxBytes)
	setDefault(&cfg.MaxDepth, DefaultMaxDepth)
	setDefault(&cfg.Retention, DefaultRetention)
	setDefault(&cfg.BaseStep, DefaultBaseStep)
	if cfg.Zone == nil {
		cfg.Zone = cfg.Source.Zone
	}
	return &Decoder{
		cfg:        cfg,
		sources:    NewSources(),
		scan:       scanner{maxDepth: cfg.MaxDepth},
		inner:      scanner{maxDepth: cfg.MaxDepth},
		strings:    interner{last: make([]string, len(recordSet.list)), known: make(map[string]string)},
		recordKeys: follow(recordSet),
		timingKeys: follow(timingSet),
	}, nil
}

func setDefault[T comparable](v *T, def T) {
	var zero T
	if *v == zero {
		*v = def
	}
}

// Decode reads one message that arrived at arrival into rec, keeping only
// rec.Origin of what rec held. It returns the number of content keys that
// were dropped, also beside an error, and a *RejectError where the message
// can't be placed; rec is then unspecified. Of a key that occurs twice the
// last value counts. msg is not kept.
func (d *Decoder) Decode(msg []byte, arrival time.Time, rec *Record) (dropped int, err error) {
	row := d.row
	d.row++
	*rec = Record{Origin: rec.Origin, Source: d.cfg.Source.Name, StartPoint: d.cfg.Source.StartPoint,
		Precision: d.cfg.Source.Precision, Role: RolePrimary}
	d.stamp, d.stampWhy, d.suffixRole, d.group = time.Time{}, ReasonNoTime, "", ""
	if len(msg) > d.cfg.MaxBytes {
		return 0, reject(ReasonTooLarge)
	}
	d.scan.reset(msg, 0)
	d.inner.dropped = 0
	why := d.readMessage(rec)
	dropped = d.scan.dropped + d.inner.dropped
	switch {
	case why != "":
	case dropped > 0 && d.cfg.Content == ContentReject:
		why = ReasonContent
	case rec.Model == "" && !d.cfg.Partial:
		why = ReasonNoModel
	default:
		why = d.place(rec, arrival, row)
	}
	if why != "" {
		return dropped, reject(why)
	}
	d.identify(rec)
	validate(rec)
	rec.Derived = Derive(rec)
	return dropped, nil
}

// readMessage scans one whole message through the source's adapter.
func (d *Decoder) readMessage(rec *Record) Reason {
	s := &d.scan
	if s.peek() == 0 && s.pos == len(s.data) {
		return ReasonEmpty
	}
	if !s.value() {
		return s.bad
	}
	if s.tok.kind != '{' {
		if s.skip() && s.end() {
			return ReasonNotObject
		}
		return s.bad
	}
	d.cfg.Source.read(d, rec)
	if s.bad == "" {
		s.end()
	}
	return s.bad
}

// place decides the record's time.
func (d *Decoder) place(rec *Record, arrival time.Time, row int) Reason {
	arrival = arrival.UTC().Truncate(time.Millisecond)
	t := d.stamp
	switch {
	case d.stampWhy == "":
		if d.cfg.Shift != 0 {
			t = t.Add(d.cfg.Shift).Truncate(time.Millisecond)
			rec.AddFlag(FlagTimeShifted)
		}
	case d.stampWhy == ReasonNoTime && !d.cfg.BaseTime.IsZero():
		t = SpreadTime(d.cfg.BaseTime, row, d.cfg.BaseStep)
		rec.AddFlag(FlagTimeAssigned)
	case d.cfg.Partial:
		return ""
	default:
		return d.stampWhy
	}
	rec.CreatedAt = t
	if d.cfg.Partial {
		return ""
	}
	if d.cfg.Retention > 0 && t.Before(arrival.Add(-d.cfg.Retention)) {
		return ReasonExpired
	}
	if t.After(arrival.Add(maxAhead)) {
		rec.CreatedAt = arrival
		rec.AddFlag(FlagClockSkew)
	}
	return ""
}

// identify settles the id, and the role that its suffix names.
func (d *Decoder) identify(rec *Record) {
	if rec.RequestID == "" {
		rec.RequestID = d.cfg.NewID()
		rec.AddFlag(FlagIDMissing)
	}
	if d.suffixRole != "" && rec.Role != RoleRetry {
		rec.Role = d.suffixRole
	}
	if rec.Route == "" {
		rec.Route = d.group
	}
}
