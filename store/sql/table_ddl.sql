-- question: how was a table created?
-- tables: system.tables
-- cost: one look at the catalogue
SELECT create_table_query
FROM system.tables
WHERE database = currentDatabase() AND name = {table:String}
