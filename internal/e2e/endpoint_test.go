package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// appPage is the page that every endpoint shows at first.
const appPage = "/app.html"

// endpoint is a CDP endpoint with one Target, which shows the app.
type endpoint struct {
	site *site
	port string // of 127.0.0.1, where Clients connect

	// Through the hub only.
	hub     *hub
	browser *browser // with the Host page /host/1
}

// newEndpoint starts what -target names and waits until the app can be driven.
func newEndpoint(t *testing.T) *endpoint {
	t.Helper()
	s := newSite(t)
	if !throughHub() {
		b := startBrowser(t, s.app.URL+appPage, true)
		e := &endpoint{site: s, port: b.port(t), browser: b}
		s.expect(t, appPage, "document.title", `"Field book"`)
		return e
	}
	h := startHub(t)
	s.useHub("http://" + h.hostAddr)
	e := &endpoint{site: s, port: h.port(t), hub: h, browser: startBrowser(t, s.host.URL+"/host/1", false)}
	h.awaitTarget(t, "app-1", "Field book")
	return e
}

// hub is a running `cdphub serve`.
type hub struct {
	clientAddr, hostAddr string

	cmd   *exec.Cmd
	ended chan error // what the process ended with

	mu  sync.Mutex // guards log
	log bytes.Buffer
}

// startHub runs `cdphub serve` on two free ports. It is told to end with the test,
// and must then do so in good order.
func startHub(t *testing.T) *hub {
	t.Helper()
	h := &hub{clientAddr: "127.0.0.1:0", hostAddr: "localhost:0"} // the same twice would mean one listener
	h.start(t)
	t.Cleanup(func() {
		h.stop(t)
		if t.Failed() {
			t.Logf("cdphub said:\n%s", h.said())
		}
	})
	return h
}

func (h *hub) start(t *testing.T) {
	t.Helper()
	path, err := cdphub()
	if err != nil {
		t.Fatal(err)
	}
	h.cmd = exec.Command(path, "serve", "--client-addr", h.clientAddr, "--host-addr", h.hostAddr)
	h.cmd.Stdout, h.cmd.Stderr = h, h
	if err := h.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	h.ended = make(chan error, 1)
	go func() { h.ended <- h.cmd.Wait() }()
	eventually(t, 10*time.Second, func() error {
		for line := range strings.Lines(h.said()) {
			h.listens([]byte(line))
		}
		_, err := h.status()
		return err
	})
}

// port is where Clients connect.
func (h *hub) port(t *testing.T) string {
	t.Helper()
	_, port, err := net.SplitHostPort(h.clientAddr)
	if err != nil {
		t.Fatal(err)
	}
	return port
}

// listens takes the ports from a line of the log:
// {"msg":"listening","addr":"127.0.0.1:40123","clients":true,"hosts":false}.
func (h *hub) listens(line []byte) {
	var l struct {
		Msg, Addr      string
		Clients, Hosts bool
	}
	if json.Unmarshal(line, &l) != nil || l.Msg != "listening" {
		return
	}
	if l.Clients {
		h.clientAddr = l.Addr
	}
	if l.Hosts {
		h.hostAddr = l.Addr
	}
}

// Write takes the program's log.
func (h *hub) Write(p []byte) (int, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.log.Write(p)
}

// said returns the log so far.
func (h *hub) said() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.log.String()
}

// stop sends SIGTERM, upon which the program must end by itself, with success.
func (h *hub) stop(t *testing.T) {
	t.Helper()
	h.cmd.Process.Signal(syscall.SIGTERM)
	select {
	case err := <-h.ended:
		if err != nil {
			t.Errorf("cdphub serve ended with %v after SIGTERM", err)
		}
	case <-time.After(15 * time.Second):
		t.Error("cdphub serve did not end within 15 s of SIGTERM")
		h.cmd.Process.Kill()
		<-h.ended
	}
}

// restart ends the hub and runs it again on the same ports.
func (h *hub) restart(t *testing.T) {
	t.Helper()
	h.stop(t)
	h.start(t)
}

// status is the answer of /icdp/status.
type status struct {
	HostConnected bool `json:"hostConnected"`
	Clients       int  `json:"clients"`
	Targets       []struct {
		TargetID string `json:"targetId"`
		Title    string `json:"title"`
		URL      string `json:"url"`
	} `json:"targets"`
}

func (h *hub) status() (status, error) {
	var s status
	res, err := http.Get("http://" + h.clientAddr + "/icdp/status")
	if err != nil {
		return s, err
	}
	defer res.Body.Close()
	return s, json.NewDecoder(res.Body).Decode(&s)
}

// awaitTarget waits until the Target with the id is the hub's only one and has the
// title, which the page's agent tells: by then it has paired.
func (h *hub) awaitTarget(t *testing.T, id, title string) {
	t.Helper()
	eventually(t, 20*time.Second, func() error {
		s, err := h.status()
		if err != nil {
			return err
		}
		if len(s.Targets) != 1 || s.Targets[0].TargetID != id || s.Targets[0].Title != title {
			return fmt.Errorf("the hub's state is %+v, want the one target %s, %q", s, id, title)
		}
		return nil
	})
}

// get returns status and body of a path on the Client side.
func (h *hub) get(t *testing.T, method, path string) (int, string) {
	t.Helper()
	req, err := http.NewRequest(method, "http://"+h.clientAddr+path, nil)
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
