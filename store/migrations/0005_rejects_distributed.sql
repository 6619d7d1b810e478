-- what: rejects over all shards; only on a cluster, where rejects_local holds one shard's rows
-- slots: table, cluster, name (of the cluster)
CREATE TABLE IF NOT EXISTS /*<table>*/ rejects_distributed /*</table>*/ /*<cluster>*/ /*</cluster>*/
AS rejects_local
ENGINE = Distributed(/*<name>*/ headway /*</name>*/, currentDatabase(), rejects_local, cityHash64(topic, partition))
