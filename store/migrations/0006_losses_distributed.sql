-- what: losses over all shards; only on a cluster, where losses_local holds one shard's rows
-- slots: table, cluster, name (of the cluster)
CREATE TABLE IF NOT EXISTS /*<table>*/ losses_distributed /*</table>*/ /*<cluster>*/ /*</cluster>*/
AS losses_local
ENGINE = Distributed(/*<name>*/ headway /*</name>*/, currentDatabase(), losses_local, cityHash64(topic, partition))
