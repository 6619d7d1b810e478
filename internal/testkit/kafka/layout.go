package kafka

import (
	_ "embed"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

//go:embed log4j2.properties
var log4j []byte

// layout names the files of one broker.
type layout struct {
	data, properties, log4j, log string
}

func newLayout(dir string) layout {
	return layout{
		data:       filepath.Join(dir, "data"),
		properties: filepath.Join(dir, "server.properties"),
		log4j:      filepath.Join(dir, "log4j2.properties"),
		log:        filepath.Join(dir, "broker.log"),
	}
}

func (l layout) write(addr, controller string, listeners map[string]string, o Options) error {
	if err := os.WriteFile(l.log4j, log4j, 0o600); err != nil {
		return err
	}
	return os.WriteFile(l.properties, []byte(render(l.settings(addr, controller, listeners, o))), 0o600)
}

// settings returns server.properties of a single KRaft node. The replication
// factors are 1 because there is one node; groups form without a delay and a
// killed broker is known to be gone after 2 s instead of 9 (a restart waits for
// that), so that tests needn't wait.
func (l layout) settings(addr, controller string, listeners map[string]string, o Options) map[string]string {
	p := map[string]string{
		"process.roles":                            "broker,controller",
		"node.id":                                  "1",
		"controller.quorum.voters":                 "1@" + controller,
		"controller.listener.names":                "CONTROLLER",
		"listeners":                                "PLAINTEXT://" + addr + ",CONTROLLER://" + controller,
		"advertised.listeners":                     "PLAINTEXT://" + addr,
		"listener.security.protocol.map":           "PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT",
		"log.dirs":                                 filepath.ToSlash(l.data),
		"offsets.topic.replication.factor":         "1",
		"offsets.topic.num.partitions":             "4",
		"transaction.state.log.replication.factor": "1",
		"transaction.state.log.min.isr":            "1",
		"transaction.state.log.num.partitions":     "4",
		"group.initial.rebalance.delay.ms":         "0",
		"broker.session.timeout.ms":                "2000",
		"broker.heartbeat.interval.ms":             "500",
	}
	for _, name := range slices.Sorted(maps.Keys(listeners)) {
		at := "," + name + "://" + listeners[name]
		p["listeners"] += at
		p["advertised.listeners"] += at
		p["listener.security.protocol.map"] += "," + name + ":" + o.Listeners[name]
	}
	maps.Copy(p, o.Properties)
	return p
}

// render writes properties in key order, so that two runs are alike.
func render(p map[string]string) string {
	var b strings.Builder
	for _, k := range slices.Sorted(maps.Keys(p)) {
		fmt.Fprintf(&b, "%s=%s\n", k, p[k])
	}
	return b.String()
}

// tail returns the last n lines of a file, or why it can't be read.
func tail(path string, n int) string {
	raw, err := os.ReadFile(path)
	if err != nil {
		return err.Error()
	}
	lines := strings.Split(strings.TrimRight(string(raw), "\n"), "\n")
	return strings.Join(lines[max(0, len(lines)-n):], "\n")
}
