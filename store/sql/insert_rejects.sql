-- what: one block of rejects, sent in the native format
INSERT INTO /*<table>*/ rejects /*</table>*/ (topic, epoch, partition, offset, source, reason, bytes, received_at)
