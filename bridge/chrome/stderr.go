package chrome

import (
	"bytes"
	"strings"
	"sync"

	"go.uber.org/zap"
)

const (
	lastLines = 6   // of what a browser said, for the error
	maxLine   = 512 // bytes of one of them; the rest is cut
)

// words are the last ones of a browser: its standard error, line by line.
type words struct {
	log *zap.Logger // static

	mu    sync.Mutex // guards everything below
	line  []byte     // the unfinished one
	lines []string   // the last ones
}

// Write implements io.Writer.
func (w *words) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	size := len(p)
	for {
		piece, rest, ended := bytes.Cut(p, []byte("\n"))
		w.line = append(w.line, piece[:min(len(piece), maxLine-len(w.line))]...)
		if !ended {
			return size, nil
		}
		w.endLocked()
		p = rest
	}
}

// endLocked ends the line.
func (w *words) endLocked() {
	line := strings.ToValidUTF8(strings.TrimSpace(string(w.line)), "")
	w.line = w.line[:0]
	if line == "" {
		return
	}
	w.log.Debug("the browser says", zap.String("line", line))
	w.lines = append(w.lines, line)
	if len(w.lines) > lastLines {
		w.lines = append(w.lines[:0], w.lines[1:]...)
	}
}

// last are the last words, one line each, with what they mean for the user.
func (w *words) last() (said []string, advice string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.endLocked()
	for _, line := range w.lines {
		for _, k := range known {
			if strings.Contains(line, k.words) {
				advice = k.advice
			}
		}
	}
	return w.lines, advice
}

// known are words of Chromium 156 that the user can do something about.
var known = []struct{ words, advice string }{
	{"Running as root without --no-sandbox", "its sandbox does not run as root: run this program as another user, or give --browser-no-sandbox"},
	{"No usable sandbox", "the system keeps its sandbox from working: allow unprivileged user namespaces, or give --browser-no-sandbox"},
	{"Missing X server", "there is no display for its windows: run it headless"},
	{"error while loading shared libraries", "it is not fully installed: install it with the system's package manager (Debian: apt-get install chromium)"},
	{"profile appears to be in use", profileInUse},
	{"existing browser session", profileInUse},
}

const profileInUse = "another browser uses this profile: end that one, give another profile, or connect to it with --browser-url"
