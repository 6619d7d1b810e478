// Package ops holds what every mode of the binary needs to be operated: logs,
// a metrics registry, signals and component states. It knows no domain.
package ops

import (
	"fmt"
	"io"
	"log/slog"
	"runtime"
	"runtime/debug"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
)

// NewLogger returns a structured logger that writes to w. Level is one of
// debug, info, warn, error; format is text or json.
func NewLogger(w io.Writer, level, format string) (*slog.Logger, error) {
	var l slog.Level
	if err := l.UnmarshalText([]byte(level)); err != nil {
		return nil, fmt.Errorf("log level %q: use debug, info, warn or error", level)
	}
	opts := &slog.HandlerOptions{Level: l}
	switch format {
	case "text":
		return slog.New(slog.NewTextHandler(w, opts)), nil
	case "json":
		return slog.New(slog.NewJSONHandler(w, opts)), nil
	}
	return nil, fmt.Errorf("log format %q: use text or json", format)
}

// NewRegistry returns a metrics registry of its own that carries the build,
// process and runtime metrics.
func NewRegistry() *prometheus.Registry {
	r := prometheus.NewRegistry()
	build := prometheus.NewGaugeVec(prometheus.GaugeOpts{
		Name: "headway_build_info", Help: "Always 1; labels tell version and Go version.",
	}, []string{"version", "go_version"})
	build.WithLabelValues(Version(), runtime.Version()).Set(1)
	r.MustRegister(build, collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return r
}

// Version returns the module version the binary was built from, or the
// revision of its source, or "devel" where neither was recorded.
func Version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "devel"
	}
	if v := info.Main.Version; v != "" && v != "(devel)" {
		return v
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" && len(s.Value) >= 12 {
			return s.Value[:12]
		}
	}
	return "devel"
}
