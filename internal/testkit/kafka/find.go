package kafka

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
)

// ErrNoJava and ErrNoJars say what a machine lacks for a real broker.
var (
	ErrNoJava = errors.New("no Java found: install a JRE 17 or newer (Debian, Ubuntu: apt-get install default-jre-headless) or set JAVA_HOME")
	ErrNoJars = errors.New("no Apache Kafka jars found: run scripts/kafka/fetch (needs Maven; Debian, Ubuntu: apt-get install maven)")
)

// findJava returns the java program of JAVA_HOME, or else of the PATH.
func findJava(getenv func(string) string) (string, error) {
	if home := getenv("JAVA_HOME"); home != "" {
		java := filepath.Join(home, "bin", "java")
		if _, err := os.Stat(java); err != nil {
			return "", fmt.Errorf("JAVA_HOME=%s has no bin/java; correct or unset it: %w", home, ErrNoJava)
		}
		return java, nil
	}
	java, err := exec.LookPath("java")
	if err != nil {
		return "", ErrNoJava
	}
	return java, nil
}

// findJars returns the folder that scripts/kafka/fetch fills, in the checkout
// that dir lies in.
func findJars(dir string) (string, error) {
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			lib := filepath.Join(dir, ".cache", "kafka", "lib")
			found, err := filepath.Glob(filepath.Join(lib, "kafka_*.jar"))
			if err != nil || len(found) == 0 {
				return "", fmt.Errorf("looking in %s: %w", lib, ErrNoJars)
			}
			return lib, nil
		}
		up := filepath.Dir(dir)
		if up == dir {
			return "", fmt.Errorf("no go.mod above the working directory: %w", ErrNoJars)
		}
		dir = up
	}
}

// freePorts returns n loopback ports that nobody listens on. They lie below
// the range that outgoing connections draw from, so that no client of a killed
// broker takes its port before the restart.
func freePorts(n int) ([]int, error) {
	var ports []int
	for try := 0; try < 200 && len(ports) < n; try++ {
		port := 20000 + rand.IntN(12000)
		l, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port))
		if err != nil {
			continue
		}
		defer l.Close() // held until all are found, so that they differ
		ports = append(ports, port)
	}
	if len(ports) < n {
		return nil, fmt.Errorf("looking for %d free ports between 20000 and 32000 on 127.0.0.1: 200 tries found %d; end what listens there", n, len(ports))
	}
	return ports, nil
}
