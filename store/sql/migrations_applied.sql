-- question: which migrations were applied?
-- tables: schema_migrations
-- cost: a handful of rows
SELECT version, any(name) AS name, any(checksum) AS checksum
FROM schema_migrations
GROUP BY version
ORDER BY version
