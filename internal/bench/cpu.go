package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// cpuTime is the CPU time that a process has used, in user and kernel mode:
// what the scheduler has counted for its threads, in nanoseconds, or where
// the kernel does not tell that, the clock ticks of the process.
//
// A thread that has ended takes its count with it; the Go runtime keeps its
// threads.
func cpuTime(pid int) (time.Duration, error) {
	files, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/schedstat", pid))
	if err != nil {
		return 0, err
	}
	if len(files) == 0 {
		return cpuTicks(pid)
	}
	var sum time.Duration
	for _, name := range files {
		text, err := os.ReadFile(name)
		if os.IsNotExist(err) {
			continue
		} else if err != nil {
			return 0, err
		}
		ran, _, _ := strings.Cut(string(text), " ") // ns on a CPU, ns waiting for one, time slices
		ns, err := strconv.ParseInt(ran, 10, 64)
		if err != nil {
			return 0, fmt.Errorf("%s: %w", name, err)
		}
		sum += time.Duration(ns)
	}
	return sum, nil
}

// cpuTicks is user and system time of /proc/PID/stat, whose ticks are of
// 10 ms on every Linux that Go runs on.
func cpuTicks(pid int) (time.Duration, error) {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, err
	}
	// The second field is the name of the program in brackets. It may contain spaces
	// and brackets itself, so that the last bracket ends it.
	_, rest, _ := strings.Cut(string(stat[strings.LastIndexByte(string(stat), ')')+1:]), " ")
	fields := strings.Fields(rest) // from the third field on
	if len(fields) < 13 {
		return 0, fmt.Errorf("stat of %d: %q", pid, stat)
	}
	var ticks int64
	// These are utime and stime, fields 14 and 15 of proc(5).
	for _, f := range fields[11:13] {
		n, err := strconv.ParseInt(f, 10, 64)
		if err != nil {
			return 0, fmt.Errorf("stat of %d: %w", pid, err)
		}
		ticks += n
	}
	return time.Duration(ticks) * 10 * time.Millisecond, nil
}
