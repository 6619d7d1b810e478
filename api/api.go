// Package api serves the questions of package query over HTTP, with an
// OpenAPI document, and guards access to them. It stores nothing, writes no
// SQL and computes no statistic itself: store answers, hedge calculates.
package api
