// Package e2e holds the tests that run the headway binary as a user does:
// producer, Kafka protocol, ingestion, ClickHouse, HTTP and browser.
package e2e
