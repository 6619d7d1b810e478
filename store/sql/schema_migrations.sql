-- what: which migrations were applied, with the checksum of their files
-- slots: table, cluster and engine differ on a cluster
CREATE TABLE IF NOT EXISTS /*<table>*/ schema_migrations /*</table>*/ /*<cluster>*/ /*</cluster>*/
(
    version    UInt32,
    name       String,
    checksum   FixedString(64),
    applied_at DateTime64(3, 'UTC')
)
ENGINE = /*<engine>*/ MergeTree /*</engine>*/
ORDER BY version
