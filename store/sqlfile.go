package store

import (
	"embed"
	"fmt"
	"strings"
)

//go:embed sql/*.sql migrations/*.sql
var sqlFiles embed.FS

// sqlFile is one statement. Its parts that depend on the question are slots:
//
//	/*<name>*/ default /*</name>*/
//
// so that the file runs as it is in clickhouse-client, and says itself where
// text goes in. What goes in comes from the field registry, other files or
// this package, never from a question; a question's values travel as typed
// parameters.
type sqlFile struct {
	name string
	text string
}

// file returns one of the embedded statements by its name under sql/. The
// names are constants of this package, and a test reads every one.
func file(name string) sqlFile {
	b, err := sqlFiles.ReadFile("sql/" + name)
	if err != nil {
		panic("store: no embedded statement " + name)
	}
	return sqlFile{name: name, text: strings.TrimSpace(string(b))}
}

// render fills the slots; those that fill does not name keep their default.
func (f sqlFile) render(fill map[string]string) string {
	var out strings.Builder
	rest := f.text
	for {
		before, after, found := strings.Cut(rest, "/*<")
		out.WriteString(before)
		if !found {
			return out.String()
		}
		name, after, ok := strings.Cut(after, ">*/")
		body, after, closed := strings.Cut(after, "/*</"+name+">*/")
		if !ok || !closed {
			panic(fmt.Sprintf("store: slot %q of %s has no end", name, f.name))
		}
		if text, given := fill[name]; given {
			body = text
		}
		out.WriteString(strings.TrimSpace(body))
		rest = after
	}
}

// body is the statement without the comment lines of its header, for use
// inside another one.
func (f sqlFile) body() sqlFile {
	text := f.text
	for strings.HasPrefix(text, "--") {
		_, text, _ = strings.Cut(text, "\n")
	}
	return sqlFile{name: f.name, text: strings.TrimSpace(text)}
}
