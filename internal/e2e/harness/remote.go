package harness

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"
)

// Remote is a Playwright client in a Node process of its own, which runs scripts:
// see playwright/remote.mjs.
type Remote struct {
	cmd *exec.Cmd

	mu      sync.Mutex // guards everything below
	in      io.WriteCloser
	next    int
	waiting map[int]chan Outcome
}

// Outcome is what became of a script: the JSON of its value, or why it failed.
type Outcome struct {
	ID    int             `json:"id"`
	Value json.RawMessage `json:"value"`
	Error string          `json:"error"`
}

// StartRemote starts one whose scripts know an endpoint and a site, two URLs. It
// ends with the test at the latest.
func StartRemote(t testing.TB, endpoint, site string) *Remote {
	t.Helper()
	dir := filepath.Join(Repository(), "internal", "e2e", "playwright")
	NodeModules(t, dir)
	r := &Remote{cmd: exec.Command("node", "remote.mjs"), waiting: make(map[int]chan Outcome)}
	r.cmd.Dir = dir
	r.cmd.Env = append(os.Environ(), "ENDPOINT="+endpoint, "SITE="+site)
	r.cmd.Stderr = os.Stderr
	in, err := r.cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := r.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := r.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	r.in = in
	read := make(chan struct{})
	go func() {
		defer close(read)
		r.read(out)
	}()
	t.Cleanup(func() {
		r.Kill()
		<-read
		r.cmd.Wait() //nolint:errcheck // it was killed
	})
	return r
}

// read hands out the outcomes until the process ends.
func (r *Remote) read(out io.Reader) {
	lines := bufio.NewScanner(out)
	lines.Buffer(nil, 64<<20)
	for lines.Scan() {
		var o Outcome
		if json.Unmarshal(lines.Bytes(), &o) == nil {
			r.finish(o)
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for id, waits := range r.waiting {
		waits <- Outcome{ID: id, Error: "the client's process has ended"}
	}
	r.waiting = nil
}

func (r *Remote) finish(o Outcome) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if waits := r.waiting[o.ID]; waits != nil {
		delete(r.waiting, o.ID)
		waits <- o
	}
}

// Begin starts a script. What becomes of it will be in the channel.
func (r *Remote) Begin(t testing.TB, script string) <-chan Outcome {
	t.Helper()
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.waiting == nil {
		t.Fatal("the client's process has ended")
	}
	r.next++
	outcome := make(chan Outcome, 1)
	r.waiting[r.next] = outcome
	line, err := json.Marshal(map[string]any{"id": r.next, "script": script})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.in.Write(append(line, '\n')); err != nil {
		t.Fatal(err)
	}
	return outcome
}

// Run runs a script and returns the JSON of its value.
func (r *Remote) Run(t testing.TB, script string) string {
	t.Helper()
	value, err := r.Try(t, script, Started)
	if err != nil {
		t.Fatalf("%v, of the script\n%s", err, script)
	}
	return value
}

// Try is Run for a script that may fail; it must end within a limit.
func (r *Remote) Try(t testing.TB, script string, limit time.Duration) (value string, err error) {
	t.Helper()
	return Result(t, r.Begin(t, script), limit)
}

// Result waits for the outcome of a script, which must come within a limit.
func Result(t testing.TB, outcome <-chan Outcome, limit time.Duration) (value string, err error) {
	t.Helper()
	select {
	case o := <-outcome:
		if o.Error != "" {
			return "", errors.New(plain(o.Error))
		}
		return string(o.Value), nil
	case <-time.After(limit):
		t.Fatalf("a script has not ended within %v", limit)
		return "", nil
	}
}

// Kill ends the process without a word.
func (r *Remote) Kill() { r.cmd.Process.Kill() } //nolint:errcheck // it may have ended
