// Package ingest moves Kafka records to a sink in batches: none lost, none
// doubled, none silently dropped. It decodes and judges through schema and
// classify, speaks no SQL, and holds no record that Kafka does not also hold.
package ingest
