package schema

// Unit is the unit of a field as shown to people.
type Unit string

// The units. UnitNone is for dimensions and ids.
const (
	UnitNone         Unit = ""
	UnitMillis       Unit = "ms"
	UnitTokens       Unit = "tokens"
	UnitTokensPerSec Unit = "tokens/s"
	UnitCount        Unit = "count"
)

// Kind says what a field may be used for.
type Kind string

// The kinds of field.
const (
	KindDimension Kind = "dimension" // filter and group by
	KindMeasure   Kind = "measure"   // quantiles, distributions
	KindIdentity  Kind = "identity"  // look-up only, never aggregated or listed as a top value
	KindTime      Kind = "time"
)

// Value is a field's type in the record and in SQL.
type Value string

// The value types; optional ones are Nullable in SQL, strings use ” for
// "not recorded".
const (
	ValueString   Value = "string"
	ValueBool     Value = "bool"     // Nullable(Bool)
	ValueInt      Value = "int"      // Nullable integer
	ValueFloat    Value = "float"    // Nullable(Float64)
	ValueDuration Value = "duration" // Nullable(UInt64) microseconds in SQL, milliseconds outside
	ValueTime     Value = "time"     // DateTime64(3, 'UTC')
	ValueStrings  Value = "strings"  // Array(LowCardinality(String))
)

// Field describes one thing that a record says or that follows from it. The
// registry is the one place from which record, table, query dimensions, CSV
// headers and docs derive.
type Field struct {
	Name  string // name in JSON, URL and CSV
	Title string // name shown to people
	Kind  Kind
	Value Value
	Unit  Unit
	// Start and End are the instants a time is measured between, as t0..t7,
	// or "own" for stages with their own clock; empty for other fields.
	Start, End string
	// Column is the column of the requests table; empty when the field is
	// computed in SQL by Expr.
	Column string
	// Expr is the SQL expression over columns of the requests table, in
	// microseconds for durations; empty for stored columns.
	Expr string
	// HigherIsWorse says which side is slow; false for rates.
	HigherIsWorse bool
	// FirstToken marks measures whose unfinished attempts are censored as
	// hedge.md tells: they can be hedged on.
	FirstToken bool
	// Aliases are further names accepted in queries and records.
	Aliases []string
	Doc     string // one sentence, with what it can't tell
}
