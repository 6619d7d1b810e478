-- what: the topic as a table, each record as it came
CREATE TABLE headway_peer.queue (record String)
ENGINE = Kafka
SETTINGS
    kafka_broker_list = '{{broker}}',
    kafka_topic_list = '{{topic}}',
    kafka_group_name = '{{group}}',
    kafka_format = 'RawBLOB',
    kafka_num_consumers = {{consumers}},
    kafka_thread_per_consumer = 1,
    kafka_max_block_size = {{block}},
    kafka_poll_max_batch_size = {{poll}},
    kafka_flush_interval_ms = {{flush}}
