-- question: which tables with which columns are there?
-- tables: system.columns
-- cost: one look at the catalogue
SELECT table, name
FROM system.columns
WHERE database = currentDatabase()
