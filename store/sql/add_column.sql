-- what: makes a column anew that was taken away; rows that were there get its default
-- slots: table, cluster, and the column's definition as in its migration
ALTER TABLE /*<table>*/ requests /*</table>*/ /*<cluster>*/ /*</cluster>*/
ADD COLUMN IF NOT EXISTS /*<column>*/ stage LowCardinality(String) CODEC(ZSTD(1)) /*</column>*/
