package harness

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// Hub is a running `cdphub serve` or `cdphub proxy`.
type Hub struct {
	ClientAddr, HostAddr string // host:port of the two listeners

	find  func() (string, error) // the path of the program
	args  []string               // the subcommand and its arguments, beside the addresses
	dir   string                 // where it runs; "" for the folder of the test
	root  string                 // its root: see freshRoot; "" for that of the test
	cmd   *exec.Cmd
	ended chan error // what the process ended with

	mu  sync.Mutex // guards log
	log bytes.Buffer
}

// StartHub runs `cdphub serve` with these further arguments on two free ports. It is told to end with the test,
// and must then do so in good order.
func StartHub(t testing.TB, args ...string) *Hub {
	t.Helper()
	return startHub(t, append([]string{"serve"}, args...))
}

// StartProxy runs `cdphub proxy` in front of the app at a URL, as StartHub does,
// and returns the Host page that it says to open.
func StartProxy(t testing.TB, app string, args ...string) (h *Hub, page string) {
	t.Helper()
	h = startHub(t, append([]string{"proxy", app, "--app-addr", "localhost:0"}, args...)) // cookies need the Host page's name
	Eventually(t, Started, func() error {
		for line := range strings.Lines(h.Log()) {
			if page = strings.TrimSpace(line); strings.HasPrefix(page, "http://") {
				return nil
			}
		}
		return errors.New("cdphub proxy has not named its Host page")
	})
	return h, page
}

func startHub(t testing.TB, args []string) *Hub {
	t.Helper()
	h := &Hub{find: CDPHub, args: args, ClientAddr: "127.0.0.1:0", HostAddr: "localhost:0"} // the same twice would mean one listener
	h.endWith(t)
	h.start(t)
	return h
}

// endWith ends the hub with the test.
func (h *Hub) endWith(t testing.TB) {
	t.Cleanup(func() {
		if h.ended != nil {
			h.Stop(t)
		}
		if t.Failed() {
			t.Logf("cdphub said:\n%s", h.Log())
		}
	})
}

func (h *Hub) start(t testing.TB) {
	t.Helper()
	h.launch(t)
	h.await(t)
}

// launch runs the program.
func (h *Hub) launch(t testing.TB) {
	t.Helper()
	path, err := h.find()
	if err != nil {
		t.Fatal(err)
	}
	h.cmd = exec.Command(path, append(slices.Clip(h.args), "--client-addr", h.ClientAddr, "--host-addr", h.HostAddr)...)
	h.cmd.Dir, h.cmd.Stdout, h.cmd.Stderr = h.dir, h, h
	if h.root != "" {
		inRoot(h.cmd, h.root)
	}
	if err := h.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	h.ended = make(chan error, 1)
	go func() { h.ended <- h.cmd.Wait() }()
}

// await waits until the hub serves Clients.
func (h *Hub) await(t testing.TB) {
	t.Helper()
	Eventually(t, Started, func() error {
		for line := range strings.Lines(h.Log()) {
			h.listens([]byte(line))
		}
		res, err := http.Get("http://" + h.ClientAddr + "/health") // which starts no browser
		if err == nil {
			res.Body.Close()
		}
		return err
	})
}

// Resident is how much memory the process of the hub has, in bytes (proc(5), statm).
func (h *Hub) Resident(t testing.TB) int {
	t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", h.cmd.Process.Pid))
	if err != nil {
		t.Fatal(err)
	}
	var size, resident int
	if _, err := fmt.Sscan(string(text), &size, &resident); err != nil {
		t.Fatal(err)
	}
	return resident * os.Getpagesize()
}

// Port is where Clients connect.
func (h *Hub) Port(t testing.TB) string {
	t.Helper()
	_, port, err := net.SplitHostPort(h.ClientAddr)
	if err != nil {
		t.Fatal(err)
	}
	return port
}

// listens takes the ports from a line of the log:
// {"msg":"listening","addr":"127.0.0.1:40123","clients":true,"hosts":false}.
func (h *Hub) listens(line []byte) {
	var l struct {
		Msg, Addr      string
		Clients, Hosts bool
	}
	if json.Unmarshal(line, &l) != nil || l.Msg != "listening" {
		return
	}
	if l.Clients {
		h.ClientAddr = l.Addr
	}
	if l.Hosts {
		h.HostAddr = l.Addr
	}
}

// Write takes the program's log.
func (h *Hub) Write(p []byte) (int, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.log.Write(p)
}

// Log is what the hub has written so far.
func (h *Hub) Log() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.log.String()
}

// Stop sends SIGTERM, upon which the program must end by itself, with success.
func (h *Hub) Stop(t testing.TB) {
	t.Helper()
	_ = h.cmd.Process.Signal(syscall.SIGTERM)
	select {
	case err := <-h.ended:
		if err != nil {
			t.Errorf("cdphub ended with %v after SIGTERM", err)
		}
	case <-time.After(15 * time.Second):
		t.Error("cdphub did not end within 15 s of SIGTERM")
		_ = h.cmd.Process.Kill()
		<-h.ended //nolint:errcheck // it was killed
	}
	h.ended = nil
}

// Kill ends the hub without a word.
func (h *Hub) Kill() {
	_ = h.cmd.Process.Kill()
	<-h.ended //nolint:errcheck // it was killed
	h.ended = nil
}

// Restart ends the hub and runs it again on the same ports.
func (h *Hub) Restart(t testing.TB) {
	t.Helper()
	h.Stop(t)
	h.start(t)
}

// Status is the answer of /icdp/status.
type Status struct {
	HostConnected bool `json:"hostConnected"`
	Clients       int  `json:"clients"`
	Targets       []struct {
		TargetID string `json:"targetId"`
		Title    string `json:"title"`
		URL      string `json:"url"`
	} `json:"targets"`
}

// Status asks the hub.
func (h *Hub) Status() (Status, error) {
	var s Status
	res, err := http.Get("http://" + h.ClientAddr + "/icdp/status")
	if err != nil {
		return s, err
	}
	defer res.Body.Close()
	return s, json.NewDecoder(res.Body).Decode(&s)
}

// AwaitTitle waits until the hub has one Target, which has the title: by then its
// agent has paired.
func (h *Hub) AwaitTitle(t testing.TB, title string) {
	t.Helper()
	Eventually(t, Started, func() error {
		s, err := h.Status()
		if err == nil && (len(s.Targets) != 1 || s.Targets[0].Title != title) {
			err = fmt.Errorf("the hub's state is %+v, want one target, %q", s, title)
		}
		return err
	})
}

// AwaitTarget waits until the Target with the id is the hub's only one and has the
// title, which the page's agent tells: by then it has paired.
func (h *Hub) AwaitTarget(t testing.TB, id, title string) {
	t.Helper()
	Eventually(t, Started, func() error {
		s, err := h.Status()
		if err != nil {
			return err
		}
		if len(s.Targets) != 1 || s.Targets[0].TargetID != id || s.Targets[0].Title != title {
			return fmt.Errorf("the hub's state is %+v, want the one target %s, %q", s, id, title)
		}
		return nil
	})
}

// Get returns status and body of a path on the Client side.
func (h *Hub) Get(t testing.TB, method, path string) (int, string) {
	t.Helper()
	req, err := http.NewRequest(method, "http://"+h.ClientAddr+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	var body bytes.Buffer
	if _, err := body.ReadFrom(res.Body); err != nil {
		t.Fatal(err)
	}
	return res.StatusCode, strings.TrimSpace(body.String())
}
