-- question: does this server know the setting deduplicate_insert?
-- tables: system.settings
-- cost: one look at the catalogue
SELECT count()
FROM system.settings
WHERE name = 'deduplicate_insert'
