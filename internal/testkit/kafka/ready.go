package kafka

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

var errEnded = errors.New("the process ended before it was ready")

// awaitReady returns when the broker at addr answers and counts itself as
// alive, or an error when the process ends first or limit passes.
func awaitReady(addr string, ended <-chan struct{}, limit time.Duration) error {
	ctx, cancel := context.WithTimeoutCause(context.Background(), limit, fmt.Errorf("not ready within %s", limit))
	defer cancel()
	ctx, give := context.WithCancelCause(ctx)
	defer give(nil)
	go func() {
		select {
		case <-ended:
			give(errEnded)
		case <-ctx.Done():
		}
	}()
	client, err := kgo.NewClient(kgo.SeedBrokers(addr))
	if err != nil {
		return err
	}
	defer client.Close()
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for !alive(ctx, client) {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	return nil
}

// alive asks once: a broker lists itself only when the controller lets clients
// use it.
func alive(ctx context.Context, client *kgo.Client) bool {
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	request := kmsg.NewPtrMetadataRequest()
	answer, err := request.RequestWith(ctx, client)
	return err == nil && len(answer.Brokers) == 1
}
