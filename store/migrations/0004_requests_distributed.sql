-- what: requests over all shards; only on a cluster, where requests_local holds one shard's rows
-- slots: table, cluster, name (of the cluster)
CREATE TABLE IF NOT EXISTS /*<table>*/ requests_distributed /*</table>*/ /*<cluster>*/ /*</cluster>*/
AS requests_local
ENGINE = Distributed(/*<name>*/ headway /*</name>*/, currentDatabase(), requests_local, cityHash64(topic, partition))
