-- question: which values of a dimension are the most frequent?
-- tables: requests
-- cost: one narrow column of the window's rows, and their flags
-- slots: value (of a row; lists give one for each element), filter (the question's conditions)
SELECT value, count() AS n
FROM
(
    SELECT toString(/*<value>*/ model /*</value>*/) AS value
    FROM requests
    WHERE created_at >= {from:DateTime64(3, 'UTC')} AND created_at < {to:DateTime64(3, 'UTC')}
      AND toStartOfHour(created_at) BETWEEN toStartOfHour({from:DateTime64(3, 'UTC')}) AND toStartOfHour({to:DateTime64(3, 'UTC')})
      AND (/*<filter>*/ 1 /*</filter>*/)
      AND NOT has(flags, 'duplicate')
)
WHERE startsWith(value, {prefix:String})
GROUP BY value
ORDER BY n DESC, value
LIMIT {limit:UInt32}
