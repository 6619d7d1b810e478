package query

// WaitMode says from which instant Waits measures.
type WaitMode int

// The modes of Waits.
const (
	// WaitMetric keeps the metric's own start and takes every attempt that
	// percentiles take, censored rows included: latency and distribution.
	WaitMetric WaitMode = iota
	// WaitDispatch measures first-token waits from the attempt's dispatch, as
	// a hedge timer does, and takes streaming primaries that missed the cache.
	WaitDispatch
)
