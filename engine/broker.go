package engine

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"regexp"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"
)

// BrokerOptions says how StartBroker runs the embedded broker. The zero value
// is a broker in memory on a free port of 127.0.0.1 without topics.
type BrokerOptions struct {
	// DataDir keeps records, topics and committed group offsets. Empty means
	// in memory.
	DataDir string

	// Host and Port are where to listen, and what clients are told to connect
	// to; so the host must be a concrete address. Empty and 0 mean 127.0.0.1
	// and a free port.
	Host string
	Port int

	// Topics are created unless they exist. Clients can create more with a
	// CreateTopics request; none comes into being by being named, because
	// kfake forgets such a topic in a crash.
	Topics []Topic

	// Logger gets one line for start and stop, and the broker's own warnings;
	// nil means slog.Default.
	Logger *slog.Logger
}

// Topic is a topic to create.
type Topic struct {
	Name       string
	Partitions int
	// Retention is how long records are kept; 0 means 7 days. Segments are
	// dropped whole, so records may live longer.
	Retention time.Duration
}

// Broker is an embedded broker that speaks the Kafka protocol: franz-go's
// kfake, which is made for tests and laptops, in this process. With a data
// directory every produced batch and every committed offset is written and
// synced before it is acknowledged, so both survive a crash and a restart; a
// torn end of a log is cut off at the next start.
//
// Its limits, from its source: there is one node without replicas, and all
// requests share one goroutine. A failing disk sync is not reported to the
// producer, and directories are not synced, so a power loss can take a file
// that was only just created. A consumer whose connection breaks while it waits
// for a rebalance is not expelled: its partitions rest until another member
// joins or leaves. Use Apache Kafka where records matter.
type Broker struct {
	cluster  *kfake.Cluster
	listener net.Listener
	lock     *os.File
	log      *slog.Logger
	close    sync.Once
	closeErr error
}

// defaultRetention is Kafka's own.
const defaultRetention = 7 * 24 * time.Hour

// StartBroker starts the broker and returns when it accepts connections. ctx
// limits the wait for a data directory that is still in use. Errors wrap
// ErrPortTaken or ErrDataDirInUse where one of these is the reason.
func StartBroker(ctx context.Context, options BrokerOptions) (*Broker, error) {
	o, err := options.withDefaults()
	if err != nil {
		return nil, err
	}
	b := &Broker{log: o.Logger}
	if o.DataDir != "" {
		if err := os.MkdirAll(o.DataDir, 0o700); err != nil {
			return nil, fmt.Errorf("make broker data directory: %w; choose a writable --data-dir", err)
		}
		if b.lock, err = acquireLock(ctx, o.DataDir); err != nil {
			return nil, err
		}
	}
	if err := b.open(o); err != nil {
		return nil, errors.Join(err, b.unlock())
	}
	b.log.Info("broker started", "addr", b.Addr(), "dir", o.DataDir)
	return b, nil
}

func (b *Broker) open(o BrokerOptions) error {
	listener, err := listen(o.Host, o.Port, "the Kafka protocol")
	if err != nil {
		return err
	}
	b.listener = listener
	settings := []kfake.Opt{
		kfake.NumBrokers(1),
		kfake.ClusterID("headway"),
		kfake.WithLogger(brokerLog{o.Logger}),
		// kfake asks for 127.0.0.1 whatever it is told; the listener decides.
		kfake.ListenFn(func(string, string) (net.Listener, error) { return listener, nil }),
	}
	if o.DataDir != "" {
		settings = append(settings, kfake.DataDir(o.DataDir), kfake.SyncWrites())
	}
	if b.cluster, err = kfake.NewCluster(settings...); err != nil {
		return errors.Join(fmt.Errorf("open broker data in %s: %w; move the directory away to start empty", o.DataDir, err), listener.Close())
	}
	for _, t := range o.Topics {
		if err := b.ensure(t); err != nil {
			b.cluster.Close()
			return err
		}
	}
	return nil
}

// ensure creates a topic, or leaves one that exists as it is.
func (b *Broker) ensure(t Topic) error {
	if has := len(b.cluster.PartitionInfos(t.Name)); has > 0 {
		if has != t.Partitions {
			b.log.Warn("topic keeps the number of partitions it has", "topic", t.Name, "has", has, "asked", t.Partitions)
		}
		return nil
	}
	retention := fmt.Sprint(t.Retention.Milliseconds())
	if err := b.cluster.CreateTopic(t.Name, int32(t.Partitions), map[string]string{"retention.ms": retention}); err != nil {
		return fmt.Errorf("create topic %s with %d partitions: %w", t.Name, t.Partitions, err)
	}
	return nil
}

// Addr is the host and port to give clients as their bootstrap server.
func (b *Broker) Addr() string { return b.listener.Addr().String() }

// Close writes out what is left, ends all connections and frees the port. It
// may be called more than once.
func (b *Broker) Close() error {
	b.close.Do(func() {
		b.cluster.Close()
		b.closeErr = b.unlock()
		b.log.Info("broker stopped")
	})
	return b.closeErr
}

func (b *Broker) unlock() error {
	if b.lock == nil {
		return nil
	}
	return b.lock.Close()
}

// topicName is Kafka's own rule, which kfake does not apply.
var topicName = regexp.MustCompile(`^[A-Za-z0-9._-]{1,249}$`)

func (o BrokerOptions) withDefaults() (BrokerOptions, error) {
	if o.Host == "" {
		o.Host = loopback
	}
	if ip := net.ParseIP(o.Host); o.Host != "localhost" && (ip == nil || ip.IsUnspecified()) {
		return o, fmt.Errorf("broker host %q: give one concrete IP address, such as 127.0.0.1, because clients are sent to it", o.Host)
	}
	if o.Port < 0 || o.Port > 65535 {
		return o, fmt.Errorf("broker port %d: give 1 to 65535, or 0 for a free one", o.Port)
	}
	o.Topics = append([]Topic(nil), o.Topics...)
	for i, t := range o.Topics {
		if !topicName.MatchString(t.Name) || t.Name == "." || t.Name == ".." {
			return o, fmt.Errorf("topic name %q: use 1 to 249 letters, digits, '.', '_' or '-'", t.Name)
		}
		if t.Partitions < 1 || t.Retention < 0 {
			return o, fmt.Errorf("topic %s with %d partitions and retention %s: give at least 1 partition and no negative time", t.Name, t.Partitions, t.Retention)
		}
		if t.Retention == 0 {
			o.Topics[i].Retention = defaultRetention
		}
	}
	if o.Logger == nil {
		o.Logger = slog.Default()
	}
	return o, nil
}

// brokerLog passes the broker's warnings on; its chatter about requests stays
// out, for it may name keys.
type brokerLog struct{ log *slog.Logger }

func (l brokerLog) Logf(level kfake.LogLevel, format string, args ...any) {
	if level == kfake.LogLevelError || level == kfake.LogLevelWarn {
		l.log.Warn(fmt.Sprintf(format, args...), "from", "kfake")
	}
}
