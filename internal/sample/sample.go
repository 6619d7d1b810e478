// Package sample holds the public data that a first start shows: first-token
// times of real providers, measured by thefastest.ai in April 2024 (MIT, see
// LICENSE-thefastest). It invents nothing and changes nothing.
package sample

import _ "embed"

// Source is the name of the adapter that reads TheFastest.
const Source = "thefastest"

// Notice says what the sample is; it stands wherever the sample is shown.
const Notice = "Sample data. Real: first-token times of public providers, measured by thefastest.ai from 15 to 25 April 2024 (MIT), all times moved by one constant to the last days (source thefastest). Invented: eight days and a small live stream of a synthetic fleet (gateways demo-…)."

// TheFastest is the published CSV: time_utc, region, model, cmd, ttr_s,
// ttft_s, tps, num_tokens, total_time_s.
//
//go:embed thefastest_ttft.csv
var TheFastest []byte
