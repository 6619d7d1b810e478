-- question: how many rows are stored, and when was the newest record made?
-- tables: requests
-- cost: the parts' own counts and bounds, no rows
SELECT count() AS n, max(created_at) AS newest
FROM requests
