package chrome

import (
	"bytes"
	"strings"
	"sync"

	"go.uber.org/zap"
)

// What is kept of the standard error, for one line of an error message.
const (
	tailLines = 6   // last lines that an error quotes
	maxLine   = 512 // bytes of a line; the rest is cut
)

// stderrTail keeps the last lines that a browser wrote to its standard error.
type stderrTail struct {
	log *zap.Logger // static

	mu    sync.Mutex `stays:"is of one process, and has a few lines"` // guards everything below
	line  []byte     // the unfinished line
	lines []string   // the last tailLines lines
}

// Write implements io.Writer. It takes all of p, always: exec.Cmd would end the copying
// otherwise.
func (w *stderrTail) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	size := len(p)
	for {
		piece, rest, ended := bytes.Cut(p, []byte("\n"))
		w.line = append(w.line, piece[:min(len(piece), maxLine-len(w.line))]...)
		if !ended {
			return size, nil
		}
		w.endLineLocked()
		p = rest
	}
}

// endLineLocked logs the finished line and keeps it.
func (w *stderrTail) endLineLocked() {
	line := strings.ToValidUTF8(strings.TrimSpace(string(w.line)), "")
	w.line = w.line[:0]
	if line == "" {
		return
	}
	w.log.Debug("the browser says", zap.String("line", line))
	w.lines = append(w.lines, line)
	if len(w.lines) > tailLines {
		w.lines = append(w.lines[:0], w.lines[1:]...)
	}
}

// tail returns the last lines, and advice for the user when one of them is a
// known failure.
func (w *stderrTail) tail() (said []string, advice string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.endLineLocked()
	for _, line := range w.lines {
		for _, k := range knownFailures {
			if strings.Contains(line, k.text) {
				advice = k.advice
			}
		}
	}
	return w.lines, advice
}

// knownFailures are messages of Chromium 156 about something that the user can
// change.
var knownFailures = []struct{ text, advice string }{
	{"Running as root without --no-sandbox", "its" + rootNeedsNoSandbox},
	{"No usable sandbox", "this system does not let its sandbox work: allow unprivileged user namespaces, or set {chrome.Options.NoSandbox}"},
	{"Missing X server", "there is no display for its windows: run it headless"},
	{"error while loading shared libraries", "it is not fully installed: install it with the system's package manager (Debian: apt-get install chromium)"},
	{"profile appears to be in use", profileInUse},
	{"existing browser session", profileInUse},
}

const rootNeedsNoSandbox = " sandbox does not run as root: run this program as another user, or set {chrome.Options.NoSandbox}"

const profileInUse = "another browser uses this profile: close that browser, use another profile, or connect to that browser with {chrome.Options.URL}"
