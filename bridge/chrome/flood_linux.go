package chrome

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// clockTick is the unit of times in /proc: USER_HZ, which is 100 per second (proc(5)).
const clockTick = time.Second / 100

// usage implements inspectable. All processes of a browser are in one group. The browser's own
// is not always the one that was started: Debian's chromium-headless-shell is a script that
// waits for it.
func (p *process) usage() usage {
	u := usage{renderers: make(map[int]processorTime)}
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return u // the browser ends in place of a page
	}
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		used, kind, is := p.processTime(pid)
		switch {
		case is && kind == "":
			u.receiving += receivingTime(pid)
		case is && kind == renderer:
			u.renderers[pid] = used
		}
	}
	return u
}

// processType finds the kind of a process. Arguments end with a zero byte (proc(5)); a renderer
// has written its own with spaces in between.
var processType = regexp.MustCompile(`[\x00 ]--type=([a-z-]+)`)

// renderer is what Chromium calls the processes of pages.
const renderer = "renderer"

// receivingTime is the processor time of a browser's IO thread, 0 if there is none. Its
// name is from Chromium 156.
func receivingTime(pid int) time.Duration {
	threads, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/stat", pid))
	if err != nil {
		return 0
	}
	for _, file := range threads {
		if s, ok := readStat(file); ok && s.name == "Chrome_IOThread" {
			return s.used.user + s.used.kernel
		}
	}
	return 0
}

// processTime is the processor time of a process, and its --type, "" for the browser's own, if
// the process is one of this browser.
func (p *process) processTime(pid int) (used processorTime, kind string, is bool) {
	dir := "/proc/" + strconv.Itoa(pid)
	s, ok := readStat(dir + "/stat")
	if !ok || s.group != p.cmd.Process.Pid {
		return used, "", false
	}
	command, err := os.ReadFile(dir + "/cmdline")
	if found := processType.FindSubmatch(command); found != nil {
		kind = string(found[1])
	}
	return s.used, kind, err == nil
}

// stat is what a file stat in /proc says of a process or thread.
type stat struct {
	name  string
	group int
	used  processorTime
}

// readStat reads such a file (proc(5)). The name is in brackets, and may have any bytes in
// it. Behind it are the state, the parent and the group; utime and stime are the fields 14
// and 15 of all.
func readStat(file string) (s stat, ok bool) {
	text, err := os.ReadFile(file)
	open, end := bytes.IndexByte(text, '('), bytes.LastIndexByte(text, ')')
	if err != nil || open < 0 || end < open {
		return s, false
	}
	fields := strings.Fields(string(text[end+1:]))
	if len(fields) < 13 {
		return s, false
	}
	var numbers [3]int
	for i, field := range []string{fields[2], fields[11], fields[12]} {
		if numbers[i], err = strconv.Atoi(field); err != nil {
			return s, false
		}
	}
	used := processorTime{time.Duration(numbers[1]) * clockTick, time.Duration(numbers[2]) * clockTick}
	return stat{string(text[open+1 : end]), numbers[0], used}, true
}

// endRenderer implements inspectable. The number may be another process's by now.
func (p *process) endRenderer(pid int) {
	if _, kind, is := p.processTime(pid); is && kind == renderer {
		syscall.Kill(pid, syscall.SIGKILL) //nolint:errcheck // it may have ended
	}
}
