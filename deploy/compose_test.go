package deploy

import (
	"context"
	"net"
	"slices"
	"strings"
	"testing"

	"github.com/compose-spec/compose-go/v2/cli"
	"github.com/compose-spec/compose-go/v2/types"

	"headway/internal/config"
)

const secret = "from-the-environment"

func TestComposeAsksForThePassword(t *testing.T) {
	if _, err := load(t); err == nil || !strings.Contains(err.Error(), "HEADWAY_CLICKHOUSE_PASSWORD") {
		t.Errorf("error %v, want one that names the variable", err)
	}
}

func TestComposeServices(t *testing.T) {
	p := project(t)
	want := []string{"clickhouse", "ingest", "kafka", "migrate", "serve"}
	if got := p.ServiceNames(); !slices.Equal(got, want) {
		t.Fatalf("services %q, want %q", got, want)
	}
	for _, s := range p.Services {
		t.Run(s.Name, func(t *testing.T) {
			for _, fault := range faults(s) {
				t.Error(fault)
			}
		})
	}
	for _, name := range []string{"ingest", "serve"} {
		if d := p.Services[name].DependsOn["migrate"]; d.Condition != types.ServiceConditionCompletedSuccessfully {
			t.Errorf("%s starts on condition %q of migrate", name, d.Condition)
		}
	}
	for _, name := range []string{"kafka", "clickhouse"} {
		if !slices.ContainsFunc(p.Services[name].Volumes, func(v types.ServiceVolumeConfig) bool { return v.Type == types.VolumeTypeVolume }) {
			t.Errorf("%s keeps its data in no volume", name)
		}
	}
}

// Every variable that the file sets for Headway is one that Headway reads.
func TestComposeSetsOnlyKnownVariables(t *testing.T) {
	known := map[string]bool{}
	for _, v := range config.Environment() {
		known[v[0]] = true
	}
	for _, s := range project(t).Services {
		for name := range s.Environment {
			if strings.HasPrefix(name, "HEADWAY_") && !known[name] {
				t.Errorf("%s sets %s, which nothing reads", s.Name, name)
			}
		}
	}
}

func TestFaultsAreFound(t *testing.T) {
	for _, tc := range []struct {
		name, want string
		spoil      func(*types.ServiceConfig)
	}{
		{"latest", "is not pinned", func(s *types.ServiceConfig) { s.Image = "apache/kafka:latest" }},
		{"no tag", "is not pinned", func(s *types.ServiceConfig) { s.Image = "apache/kafka" }},
		{"public port", "beyond loopback", func(s *types.ServiceConfig) { s.Ports[0].HostIP = "" }},
		{"public address", "beyond loopback", func(s *types.ServiceConfig) { s.Ports[0].HostIP = "0.0.0.0" }},
		{"root", "as root", func(s *types.ServiceConfig) { s.User = "0:0" }},
		{"user of the image", "as root", func(s *types.ServiceConfig) { s.User = "" }},
		{"writable", "writable", func(s *types.ServiceConfig) { s.ReadOnly = false }},
		{"privileged", "privileged", func(s *types.ServiceConfig) { s.Privileged = true }},
		{"capabilities", "capabilities", func(s *types.ServiceConfig) { s.CapDrop = nil }},
		{"no health check", "health check", func(s *types.ServiceConfig) { s.HealthCheck = nil }},
		{"no limits", "memory", func(s *types.ServiceConfig) { s.Deploy = nil }},
		{"inline secret", "written down", func(s *types.ServiceConfig) {
			v := "hunter2"
			s.Environment["CLICKHOUSE_PASSWORD"] = &v
		}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s := project(t).Services["clickhouse"]
			tc.spoil(&s)
			if got := strings.Join(faults(s), "; "); !strings.Contains(got, tc.want) {
				t.Errorf("faults %q, want one with %q", got, tc.want)
			}
		})
	}
}

// faults lists what a service lacks of the rules that all of them follow.
func faults(s types.ServiceConfig) []string {
	var out []string
	rule := func(ok bool, fault string) {
		if !ok {
			out = append(out, fault)
		}
	}
	_, tag, _ := strings.Cut(s.Image, ":")
	rule(tag != "" && tag != "latest", "the image "+s.Image+" is not pinned to a version")
	for _, p := range s.Ports {
		ip := net.ParseIP(p.HostIP)
		rule(ip != nil && ip.IsLoopback(), "port "+p.Published+" is reachable beyond loopback")
	}
	user, _, _ := strings.Cut(s.User, ":")
	rule(user != "" && user != "0" && user != "root", "it runs as root")
	rule(s.ReadOnly, "its file system is writable")
	rule(!s.Privileged, "it is privileged")
	rule(slices.Contains(s.CapDrop, "ALL"), "it keeps capabilities")
	rule(slices.Contains(s.SecurityOpt, "no-new-privileges:true"), "it can gain privileges")
	oneShot := s.Name == "migrate"
	rule(oneShot || s.HealthCheck != nil && len(s.HealthCheck.Test) > 1, "it has no health check")
	limited := s.Deploy != nil && s.Deploy.Resources.Limits != nil
	rule(limited && s.Deploy.Resources.Limits.MemoryBytes > 0, "its memory has no limit")
	rule(limited && s.Deploy.Resources.Limits.NanoCPUs > 0, "its processors have no limit")
	for name, value := range s.Environment {
		isSecret := strings.Contains(name, "PASSWORD") || strings.Contains(name, "TOKEN") || strings.Contains(name, "SECRET")
		rule(!isSecret || value != nil && *value == secret, name+" is written down in the file")
	}
	return out
}

func project(t *testing.T) *types.Project {
	t.Helper()
	p, err := load(t, "HEADWAY_CLICKHOUSE_PASSWORD="+secret)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// load reads docker-compose.yaml as docker compose does, with env alone.
func load(t *testing.T, env ...string) (*types.Project, error) {
	t.Helper()
	options, err := cli.NewProjectOptions([]string{"../docker-compose.yaml"}, cli.WithEnv(env))
	if err != nil {
		t.Fatal(err)
	}
	return options.LoadProject(context.Background())
}
