-- what: ranges of offsets that can never be read; a range may stand here twice and counts once
-- slots: table, cluster and engine differ on a cluster
CREATE TABLE IF NOT EXISTS /*<table>*/ losses /*</table>*/ /*<cluster>*/ /*</cluster>*/
(
    topic     LowCardinality(String),
    epoch     UInt32,
    partition Int32,
    first     Int64,
    last      Int64,
    cause     LowCardinality(String),
    at        DateTime64(3, 'UTC')
)
ENGINE = /*<engine>*/ MergeTree /*</engine>*/
ORDER BY (topic, epoch, partition, first, last)
SETTINGS non_replicated_deduplication_window = 10000
