-- question: all attempts of one request
-- tables: requests
-- cost: the granules that the bloom filter on request_id lets through
-- slots: columns
SELECT
    /*<columns>*/ created_at, model /*</columns>*/
FROM requests
WHERE request_id = {id:String}
ORDER BY created_at, attempt, role, offset
LIMIT 1000
