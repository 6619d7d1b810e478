package store

import (
	"fmt"
	"slices"
	"strings"

	"headway/query"
	"headway/schema"
)

// filter writes the conditions of a question as SQL: identifiers from the
// field registry, values as parameters.
func (s *Store) filter(where []query.Condition, p *params) (string, error) {
	parts := make([]string, 0, len(where))
	for i, c := range where {
		f, err := s.dimension(c.Dimension)
		if err != nil {
			return "", err
		}
		parts = append(parts, condition(f, c, fmt.Sprintf("f%d", i), p))
	}
	if len(parts) == 0 {
		return "1", nil
	}
	return strings.Join(parts, " AND "), nil
}

// dimension finds a dimension by its name; its column is safe to write.
func (s *Store) dimension(name string) (schema.Field, error) {
	f, ok := s.reg.Lookup(name)
	if !ok || f.Kind != schema.KindDimension {
		return f, query.Errors{{Param: "where", Message: fmt.Sprintf("%q is no dimension", name), Nearest: query.Nearest(name, s.reg.Names(schema.KindDimension))}}
	}
	return f, nil
}

func condition(f schema.Field, c query.Condition, param string, p *params) string {
	values := slices.Clone(c.Values)
	var text string
	if f.Value == schema.ValueStrings {
		missing := slices.Contains(values, query.Missing)
		values = slices.DeleteFunc(values, func(v string) bool { return v == query.Missing })
		text = fmt.Sprintf("hasAny(%s, {%s:Array(String)})", f.Column, param)
		if missing {
			text = fmt.Sprintf("(%s OR empty(%s))", text, f.Column)
		}
	} else {
		for i, v := range values {
			if v == query.Missing {
				values[i] = ""
			}
		}
		text = fmt.Sprintf("%s IN {%s:Array(String)}", asText(f), param)
	}
	p.list(param, values)
	if c.Op == query.OpNotIn {
		return "NOT (" + text + ")"
	}
	return text
}

// asText is a dimension as text, ” where it was not recorded.
func asText(f schema.Field) string {
	if f.Value == schema.ValueString {
		return f.Column
	}
	return "ifNull(toString(" + f.Column + "), '')"
}

// key is the expression of a group: the texts of its dimensions.
func (s *Store) key(by []string) (string, error) {
	parts := make([]string, len(by))
	for i, name := range by {
		f, err := s.dimension(name)
		if err != nil {
			return "", err
		}
		if f.Value == schema.ValueStrings {
			return "", query.Errors{{Param: "by", Message: name + " is a list: a row would fall into several groups"}}
		}
		parts[i] = "toString(" + asText(f) + ")"
	}
	if len(parts) == 0 {
		return "emptyArrayString()", nil
	}
	return "[" + strings.Join(parts, ", ") + "]", nil
}

// keyMap names the values of a group.
func keyMap(by, values []string) map[string]string {
	out := make(map[string]string, len(by))
	for i, name := range by {
		if i < len(values) {
			out[name] = values[i]
		}
	}
	return out
}
