package main

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"
)

// clockTick is the unit of processor time in /proc: 1/100 s on every Linux
// platform that Go has.
const clockTick = 10 * time.Millisecond

// usage is what processes have taken so far.
type usage struct {
	cpu  time.Duration // user and system
	peak int64         // bytes resident at the highest, added up over processes
}

// usageOf adds up the usage of processes. One that is gone is an error; one
// that has ended and was not waited for has no peak.
func usageOf(pids []int) (usage, error) {
	var u usage
	for _, pid := range pids {
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		if err != nil {
			return u, fmt.Errorf("reading what process %d took: %w; this benchmark needs Linux", pid, err)
		}
		cpu, err := parseStat(stat)
		if err != nil {
			return u, err
		}
		status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
		if err != nil {
			return u, fmt.Errorf("reading what process %d took: %w", pid, err)
		}
		peak, err := parsePeak(status)
		if err != nil {
			return u, err
		}
		u.cpu, u.peak = u.cpu+cpu, u.peak+peak
	}
	return u, nil
}

// parseStat returns user and system time of /proc/PID/stat. The program's
// name, in brackets, may hold blanks.
func parseStat(stat []byte) (time.Duration, error) {
	fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
	if len(fields) < 13 {
		return 0, fmt.Errorf("process statistics of %d fields: expected at least 13 after the name", len(fields))
	}
	var ticks int64
	for _, f := range fields[11:13] { // utime and stime are fields 14 and 15 of all
		n, err := strconv.ParseInt(f, 10, 64)
		if err != nil {
			return 0, fmt.Errorf("process statistics: %w", err)
		}
		ticks += n
	}
	return time.Duration(ticks) * clockTick, nil
}

// parsePeak returns VmHWM of /proc/PID/status in bytes; 0 for a process that
// has just ended.
func parsePeak(status []byte) (int64, error) {
	_, rest, found := strings.Cut(string(status), "VmHWM:")
	if !found {
		return 0, nil
	}
	line, _, _ := strings.Cut(rest, "\n")
	kib, err := strconv.ParseInt(strings.TrimSuffix(strings.TrimSpace(line), " kB"), 10, 64)
	if err != nil {
		return 0, fmt.Errorf("peak memory of a process: %w", err)
	}
	return kib << 10, nil
}

func (u usage) since(before usage) usage { return usage{cpu: u.cpu - before.cpu, peak: u.peak} }

// load is the machine's load of the last minute: above the number of cores it
// had other work, or is as busy as the peer can make it.
func load() string {
	raw, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return "unknown"
	}
	first, _, _ := strings.Cut(string(raw), " ")
	return first
}
