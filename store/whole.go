package store

import (
	"github.com/ClickHouse/ch-go"
	"github.com/ClickHouse/clickhouse-go/v2"
)

// wholeAnswers are settings of every statement that keep those of an account,
// made for other programs, from making an answer something else than it says:
// cut short without an error, or that of an earlier time. A check that missed
// rows would have them inserted twice. Questions have limits of their own.
var wholeAnswers = [][2]string{
	{"read_overflow_mode", "throw"},
	{"read_overflow_mode_leaf", "throw"},
	{"timeout_overflow_mode", "throw"},
	{"timeout_overflow_mode_leaf", "throw"},
	{"result_overflow_mode", "throw"},
	{"group_by_overflow_mode", "throw"},
	{"distinct_overflow_mode", "throw"},
	{"sort_overflow_mode", "throw"},
	{"set_overflow_mode", "throw"},
	{"join_overflow_mode", "throw"},
	{"transfer_overflow_mode", "throw"},
	{"max_rows_to_read", "0"},
	{"max_result_rows", "0"},
	{"limit", "0"},
	{"offset", "0"},
	{"use_query_cache", "0"},
}

// wholeSettings are wholeAnswers for clickhouse-go.
func wholeSettings() clickhouse.Settings {
	out := clickhouse.Settings{}
	for _, s := range wholeAnswers {
		out[s[0]] = s[1]
	}
	return out
}

// plainSettings are settings for ch-go, with wholeAnswers before them.
func plainSettings(more ...[2]string) []ch.Setting {
	out := make([]ch.Setting, 0, len(wholeAnswers)+len(more))
	for _, list := range [][][2]string{wholeAnswers, more} {
		for _, s := range list {
			out = append(out, ch.Setting{Key: s[0], Value: s[1]})
		}
	}
	return out
}
