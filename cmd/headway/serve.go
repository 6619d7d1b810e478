package main

import (
	"context"
	"errors"
	"sync"

	"github.com/spf13/cobra"

	"headway/ingest"
)

func newServe(env *environment) *cobra.Command {
	var listen string
	var withIngest bool
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Serve API and dashboard over an existing ClickHouse",
		Long: `Answers the API and the dashboard from the ClickHouse server of the
configuration. Any number of these may run; they keep no state. With --ingest
the same process also reads Kafka. Prints "listening URL"
at once and "ready URL" when ClickHouse can be used.`,
		Example: `  HEADWAY_CLICKHOUSE_PASSWORD=... headway serve --config headway.yaml
  headway serve --ingest --listen 127.0.0.1:8080`,
		Args: noArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			n, err := newNode(env)
			if err != nil {
				return err
			}
			if listen != "" {
				n.cfg.Listen = listen
			}
			return n.close(runServe(c.Context(), n, withIngest))
		},
	}
	cmd.Flags().StringVar(&listen, "listen", "", "HTTP address, host:port; port 0 picks a free one (default from the configuration: 127.0.0.1:8080)")
	cmd.Flags().BoolVar(&withIngest, "ingest", false, "also read Kafka in this process")
	return cmd
}

func runServe(ctx context.Context, n *node, withIngest bool) error {
	if err := n.openStore(); err != nil {
		return err
	}
	l, err := n.listen(n.cfg.Listen)
	if err != nil {
		return err
	}
	n.parts.Push("listener", func() error { _ = l.Close(); return nil }) // the HTTP server closes it first
	producer, err := n.newProducer()
	if err != nil {
		return err
	}
	srv, err := n.newAPI(producer, "")
	if err != nil {
		return err
	}
	return n.together(ctx, withIngest, func(ctx context.Context) error {
		go n.announce(ctx, l.Addr(), func() bool {
			return n.health.Ready("clickhouse") && (!withIngest || n.health.Ready("ingest"))
		})
		return n.serve(ctx, l, srv.HTTPServer())
	})
}

// newProducer returns what puts uploads on the topic.
func (n *node) newProducer() (*ingest.Producer, error) {
	if n.cfg.Kafka.UploadTopic == "" {
		return nil, usagef("kafka.upload_topic is empty: name the topic that uploads are put on")
	}
	p, err := ingest.NewProducer(n.cfg.Kafka.Brokers, n.cfg.Kafka.UploadTopic)
	if err != nil {
		return nil, err
	}
	n.parts.Push("producer", p.Close)
	return p, nil
}

// together runs HTTP, readiness and, where asked, ingestion until ctx ends or
// one of them fails; then it stops the others.
func (n *node) together(ctx context.Context, withIngest bool, serve func(context.Context) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var wg sync.WaitGroup
	var mu sync.Mutex
	var errs []error
	start := func(f func(context.Context) error) {
		wg.Add(1)
		go func() {
			defer wg.Done()
			defer cancel()
			if err := f(ctx); err != nil {
				mu.Lock()
				defer mu.Unlock()
				errs = append(errs, err)
			}
		}()
	}
	start(func(ctx context.Context) error { n.watch(ctx, "clickhouse", n.store.Ping); return nil })
	if withIngest {
		in, err := n.newIngester()
		if err != nil {
			return err
		}
		start(in.Run)
		start(func(ctx context.Context) error { n.watch(ctx, "ingest", in.Ready); return nil })
	}
	start(serve)
	wg.Wait()
	return errors.Join(errs...)
}
