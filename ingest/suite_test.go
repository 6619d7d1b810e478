package ingest

import "testing"

// TestSuite runs every scenario on one broker: kfake, or Apache Kafka with the
// build tag kafka.
func TestSuite(t *testing.T) {
	addr := startCluster(t)
	for _, s := range []struct {
		name       string
		partitions int32 // 0: the scenario creates the topic
		run        func(t *testing.T, l *lab)
	}{
		{"every record lands once", 4, everyRecordLandsOnce},
		{"transactions", 1, onlyCommittedTransactionsLand},
		{"poison", 1, poisonIsRejectedAndBlocksNothing},
		{"unreadable batch", 1, unreadableBatchBlocksNothing},
		{"sources by header", 1, headerNamesTheSource},
		{"duplicates", 1, duplicatesAreFlaggedAlsoAfterARestart},
		{"rare values", 1, rareValuesBecomeOther},
		{"slow sink", 2, slowSinkPausesReadingNotHeartbeats},
		{"busy sink", 1, batchesGrowWhileTheSinkIsBusy},
		{"frozen partition", 2, frozenPartitionStarvesNoOther},
		{"sink down", 1, sinkDownIsRetried},
		{"operator fault", 1, operatorFaultWaitsForMending},
		{"rows arrived but the answer did not", 1, lostAnswersDoubleNothing},
		{"bad rows named", 1, namedBadRowsAreRejected},
		{"bad row hidden", 1, hiddenBadRowIsFoundByHalving},
		{"fenced", 1, formerOwnersAreFenced},
		{"landing cut off", 1, unfinishedLandingIsTakenOver},
		{"landing cut off, arrival", 1, arrivalIsTakenOver},
		{"halving cut off", 1, halvingCutOff},
		{"stop lands what was read", 2, stopLandsWhatWasRead},
		{"members come and go", 6, membersComeAndGo},
		{"idle partitions", 3, idlePartitionsOverRestart},
		{"foreign group", 2, newGroupDoublesNothing},
		{"topic appears later", 0, topicAppearsLater},
		{"partitions added", 1, addedPartitionsAreRead},
		{"retention while stopped", 1, retentionWhileStopped},
		{"retention while running", 1, retentionWhileRunning},
		{"topic re-created while stopped", 2, topicRecreatedWhileStopped},
		{"longer topic re-created while stopped", 1, longerTopicRecreatedWhileStopped},
		{"topic re-created while running", 1, topicRecreatedWhileRunning},
		{"log reader and transactions", 1, logReaderSeesOnlyMessages},
		{"log reader and age", 1, logReaderKnowsExpired},
		{"log reader and retention", 1, logReaderPassesRetention},
		{"producer", 3, producerIsAcknowledged},
	} {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			s.run(t, newLab(t, addr, s.partitions))
		})
	}
}
