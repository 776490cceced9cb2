package logging

import (
	"slices"
	"strings"
	"sync"
	"time"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
)

// rate is how many lines of a kind may come within a time.
type rate struct {
	lines int
	per   time.Duration
}

var usualRate = rate{10, time.Second}

// rates are the rates of kinds that need another one than the usual.
var rates = map[kind]rate{
	{"http", AcceptFailed}:   {1, time.Minute},
	{"", TooManyConnections}: {1, time.Minute},
}

// kind is what lines have in common that are limited together: logger and message,
// without the fields.
type kind struct{ logger, message string }

// limitedCore leaves out lines of a kind beyond its rate. When the time of the rate
// is over, one more line says how many were left out, as "leftOut". That line counts
// among the next ones.
type limitedCore struct {
	zapcore.Core
	limit  *limiter        // shared by all that With has made
	fields []zapcore.Field // of every line: to write them now would take a kilobyte for as long as the logger lives
}

// limiter is what has been logged lately.
type limiter struct {
	to zapcore.Core // where it says what was left out

	mu      sync.Mutex // guards everything below
	lately  map[kind]*window
	dropped uint64 // lines left out in all
}

// window is one stretch of time for one kind.
type window struct {
	rate    rate
	lines   int
	leftOut int
	last    zapcore.Entry // of those left out
}

func newLimitedCore(to zapcore.Core) limitedCore {
	return limitedCore{to, &limiter{to: to, lately: make(map[kind]*window)}, nil}
}

// With implements zapcore.Core.
func (c limitedCore) With(f []zapcore.Field) zapcore.Core {
	return limitedCore{c.Core, c.limit, slices.Concat(c.fields, f)}
}

// auditLogger is the name of the logger whose lines say who has done what. The level of
// the log does not count for them: a high one must not hide who has done what.
const auditLogger = "audit"

// Enabled implements zapcore.Core. It is asked before the name of the logger is known, so
// that it lets through what could be a line of the audit log.
func (c limitedCore) Enabled(l zapcore.Level) bool {
	return l >= zapcore.InfoLevel || c.Core.Enabled(l)
}

// Check implements zapcore.Core.
func (c limitedCore) Check(e zapcore.Entry, to *zapcore.CheckedEntry) *zapcore.CheckedEntry {
	audit := e.LoggerName == auditLogger || strings.HasSuffix(e.LoggerName, "."+auditLogger)
	if !audit && !c.Core.Enabled(e.Level) || !c.limit.admit(e) {
		return to
	}
	return to.AddCore(e, c)
}

// Write implements zapcore.Core.
func (c limitedCore) Write(e zapcore.Entry, f []zapcore.Field) error {
	return c.Core.Write(e, slices.Concat(c.fields, f))
}

// Sync implements zapcore.Core: it first tells what was left out so far.
func (c limitedCore) Sync() error {
	c.limit.tell()
	return c.Core.Sync()
}

// admit reports whether a line may be written.
func (l *limiter) admit(e zapcore.Entry) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	k := kind{e.LoggerName, e.Message}
	w := l.lately[k]
	if w == nil {
		w = l.openLocked(k)
	}
	if w.lines == w.rate.lines {
		w.leftOut++
		w.last = e
		l.dropped++
		return false
	}
	w.lines++
	return true
}

// openLocked begins the next window of a kind. A timer ends it.
func (l *limiter) openLocked(k kind) *window {
	r, special := rates[k]
	if !special {
		r = usualRate
	}
	w := &window{rate: r}
	l.lately[k] = w
	time.AfterFunc(r.per, func() { l.end(k, w) })
	return w
}

// end ends a window, and says what was left out in it. That line begins the next
// window.
func (l *limiter) end(k kind, w *window) {
	l.mu.Lock()
	delete(l.lately, k)
	leftOut := w.leftOut
	if leftOut > 0 {
		l.openLocked(k).lines = 1
	}
	w.leftOut = 0
	l.mu.Unlock()
	if leftOut > 0 {
		l.say(w.last, leftOut)
	}
}

// tell says what was left out in all windows that have not ended.
func (l *limiter) tell() {
	l.mu.Lock()
	var last []zapcore.Entry
	var counts []int
	for _, w := range l.lately {
		if w.leftOut > 0 {
			last, counts = append(last, w.last), append(counts, w.leftOut)
			w.leftOut = 0
		}
	}
	l.mu.Unlock()
	for i, e := range last {
		l.say(e, counts[i])
	}
}

func (l *limiter) say(e zapcore.Entry, leftOut int) {
	e.Time = time.Now()
	l.to.Write(e, []zapcore.Field{zap.Int("leftOut", leftOut)}) //nolint:errcheck // there is nowhere to tell
}

// Dropped is the number of lines that were left out.
func (l *limiter) Dropped() uint64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.dropped
}
