-- question: all attempts of one request
-- tables: requests
-- cost: the granules that the bloom filter on request_id lets through
-- slots: columns
-- columns: where times are equal the primary comes first, then by number: the others were sent because of it
SELECT
    /*<columns>*/ created_at, model /*</columns>*/
FROM requests
WHERE request_id = {id:String}
ORDER BY created_at, role != 'primary', attempt, role, topic, epoch, partition, offset
LIMIT 1000
