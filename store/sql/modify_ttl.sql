-- what: changes how long a table keeps its rows; parts are dropped by the next merges
ALTER TABLE /*<table>*/ requests /*</table>*/ /*<cluster>*/ /*</cluster>*/
MODIFY TTL toDateTime(/*<column>*/ created_at /*</column>*/) + toIntervalDay(/*<days>*/ 90 /*</days>*/)
SETTINGS materialize_ttl_after_modify = 0
