// Package chaos holds the tests that break things while records come in: real
// ingesters, a real ClickHouse and a real broker are killed, frozen and cut off
// from each other at random moments, and afterwards every record is looked for.
// With the build tag kafka the broker is Apache Kafka. It has no code of its own.
package chaos
