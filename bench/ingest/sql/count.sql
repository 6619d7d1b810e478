-- what: rows of the active parts; 0 while there is no such table
SELECT ifNull(sum(total_rows), 0) FROM system.tables WHERE concat(database, '.', name) = '{{table}}'
