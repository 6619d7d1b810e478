-- question: which of the tables are there?
-- tables: system.tables
-- cost: one look at the catalogue
SELECT count()
FROM system.tables
WHERE database = currentDatabase() AND name IN ('requests', 'rejects', 'losses', 'schema_migrations')
