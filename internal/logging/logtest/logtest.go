// Package logtest reads logs in tests:
//
//	var b logtest.Buffer
//	log := logtest.Open(t, &b)
//	b.Await(t, "listening")
package logtest

import (
	"bytes"
	"encoding/json"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cdphub/cdphub/internal/logging"
)

// Buffer is a log that can be read while it is written.
type Buffer struct {
	mu sync.Mutex // guards b
	b  bytes.Buffer
}

// Write implements io.Writer.
func (b *Buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

// Sync implements zapcore.WriteSyncer.
func (b *Buffer) Sync() error { return nil }

// String is what was written so far.
func (b *Buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}

// patience is how long Await waits, on a machine that has much else to do.
const patience = 2 * time.Minute

// Await waits for a text in the log.
func (b *Buffer) Await(t *testing.T, want string) {
	t.Helper()
	for end := time.Now().Add(patience); !strings.Contains(b.String(), want); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("the log lacks %q:\n%s", want, b)
		}
	}
}

// Line is what tests read of a line.
type Line struct {
	Level, Logger, Msg, Error, Why, Side, Addr string

	TS                    time.Time
	LeftOut, Status, Code int
}

// Read reads a log of JSON lines.
func Read(t *testing.T, text string) (lines []Line) {
	t.Helper()
	for dec := json.NewDecoder(strings.NewReader(text)); ; {
		var l Line
		if err := dec.Decode(&l); err == io.EOF {
			return lines
		} else if err != nil {
			t.Fatalf("the log is not JSON: %v\n%s", err, text)
		}
		lines = append(lines, l)
	}
}

// Open makes a log at debug level. A line that has a field twice fails the test: what is
// read of it would depend on the reader.
func Open(t *testing.T, w io.Writer) *logging.Log {
	t.Helper()
	l, err := logging.Open(&checked{w, t}, logging.Options{Level: "debug"})
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// checked is a log whose lines are looked at as they are written.
type checked struct {
	to io.Writer
	t  *testing.T
}

// Write implements io.Writer for whole lines.
func (c *checked) Write(p []byte) (int, error) {
	for line := range bytes.Lines(p) {
		if key := Twice(line); key != "" {
			c.t.Errorf("a line of the log has %q twice: %s", key, line)
		}
	}
	return c.to.Write(p)
}

// Twice finds a name that a JSON object has more than once; "" for none. It does not look
// into objects in it.
func Twice(object []byte) string {
	dec := json.NewDecoder(bytes.NewReader(object))
	if open, err := dec.Token(); err != nil || open != json.Delim('{') {
		return ""
	}
	seen := map[string]bool{}
	for dec.More() {
		name, err := dec.Token()
		key, is := name.(string)
		if err != nil || !is || seen[key] {
			return key
		}
		seen[key] = true
		var value json.RawMessage
		if dec.Decode(&value) != nil {
			return ""
		}
	}
	return ""
}
