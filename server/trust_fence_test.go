package server

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/cdphub/cdphub/actions"
	"github.com/cdphub/cdphub/internal/cluster"
	"github.com/cdphub/cdphub/internal/fence"
)

// listening are the TCP ports at which this process listens, as the kernel knows them:
// sockets in state 0A of proc_pid_net(5) that are open files of this process.
func listening(t *testing.T) (ports []uint16) {
	t.Helper()
	own := map[string]bool{}
	files, err := filepath.Glob("/proc/self/fd/*")
	if err != nil || len(files) == 0 {
		t.Skip("this system does not list the sockets of a process")
	}
	for _, f := range files {
		name, _ := os.Readlink(f)
		own[name] = true
	}
	for _, table := range []string{"/proc/self/net/tcp", "/proc/self/net/tcp6"} {
		f, err := os.Open(table)
		if err != nil {
			continue
		}
		for lines := bufio.NewScanner(f); lines.Scan(); {
			fields := strings.Fields(lines.Text())
			if len(fields) < 10 || fields[3] != "0A" || !own["socket:["+fields[9]+"]"] {
				continue
			}
			_, hex, _ := strings.Cut(fields[1], ":")
			port, err := strconv.ParseUint(hex, 16, 16)
			if err != nil {
				t.Fatal(err)
			}
			ports = append(ports, uint16(port))
		}
		f.Close()
	}
	return ports
}

// TestR255EveryListenerIsKnown compares the ports that the kernel knows with those that no
// page of a browser may reach.
func TestR255EveryListenerIsKnown(t *testing.T) {
	before := listening(t)
	// What still listens when the node has ended belongs to another test of this process.
	var open []string
	t.Cleanup(func() {
		left := listening(t)
		for _, at := range open {
			_, port, _ := net.SplitHostPort(at)
			if n, _ := strconv.ParseUint(port, 10, 16); !slices.Contains(left, uint16(n)) {
				t.Errorf("pages may reach %s", at)
			}
		}
	})
	n := startNodes(t, new(cluster.Memory), "a", func(o *Options) {
		withOperators(o)
		o.Browsers = testBrowser()
		o.Browsers.Chrome.Isolate = true
		o.App = &App{URL: "http://127.0.0.1:1", Addr: "127.0.0.1:0"}
	})[0]
	_, release, err := n.Hub(t.Context(), "chromium") // its browser is started, and the proxy of its requests
	if err != nil {
		t.Fatal(err)
	}
	defer release()
	found, known := 0, n.fence.Ports() // before and after: the browser that is tried at the start ends meanwhile
	list := listening(t)
	known = append(known, n.fence.Ports()...)
	for _, port := range list {
		at := net.JoinHostPort("127.0.0.1", strconv.Itoa(int(port)))
		if slices.Contains(before, port) || at == n.app.Addr().String() /* which is there to be seen */ {
			continue
		}
		found++
		if !slices.Contains(known, port) || slices.Contains(n.fence.Ports(), port) && n.urls.Check("http://"+at+"/") == nil {
			open = append(open, at)
		}
	}
	if found < 5 { // Clients, Hosts, operators, nodes, requests of each browser that runs
		t.Errorf("%d listeners are there, want 5 at least", found)
	}
}

// sockets are paths at which a WebSocket begins, without a token. They are few: Chromium
// delays WebSockets to a host after some that have failed.
var sockets = []string{"/icdp/host", "/hub/x/icdp/host?standby", "/devtools/browser", "/ndjson", "/link"}

// TestR256NothingIsServedToOwnBrowsers has a page in the hub's browser, from another port of
// loopback, try every listener: with a WebSocket at each path, which no rule of addresses
// sees, and by going there. Without tokens, each of them would be served to a program.
func TestR256NothingIsServedToOwnBrowsers(t *testing.T) {
	t.Parallel()
	if !fence.Tells {
		t.Skip("this system does not tell who holds a connection")
	}
	for name, change := range map[string]func(*Options){
		"apart":  func(o *Options) { o.PageHost = true },
		"shared": func(o *Options) { o.ClientAddr, o.HostAddr, o.InsecureBind = ":0", ":0", true },
		// The operator has allowed the origin, for the browsers of people.
		"allowed": func(o *Options) { o.ClientOrigins = []string{""} },
	} {
		t.Run(name, func(t *testing.T) { nothingServed(t, change) })
	}
}

func nothingServed(t *testing.T, change func(*Options)) {
	app := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		io.WriteString(w, "<title>page</title>")
	}))
	t.Cleanup(app.Close)
	s := start(t, func(o *Options) {
		o.Browsers = testBrowser()
		change(o)
		if len(o.ClientOrigins) > 0 {
			o.ClientOrigins = []string{app.URL}
		}
	})
	b, err := actions.Open(t.Context(), s.Join("chromium"), actions.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	p, err := b.NewPage(t.Context(), app.URL, "")
	if err != nil {
		t.Fatal(err)
	}
	for i, host := range []string{"127.0.0.1", "0.0.0.0"} {
		_, port, _ := net.SplitHostPort(s.addr(i == 0))
		list, err := json.Marshal(sockets)
		if err != nil {
			t.Fatal(err)
		}
		got, err := p.Evaluate(t.Context(), fmt.Sprintf(`Promise.all(%s.map((path) => new Promise((done) => {
				const ws = new WebSocket("ws://%s:%s" + path);
				ws.onopen = () => { ws.send('{"kind":"ready","v":1,"targets":[{"targetId":"T1"}]}'); done(path); };
				ws.onerror = () => done("");
			}))).then((open) => open.join(""))`, list, host, port), actions.EvaluateOptions{})
		if err != nil || string(got.JSON) != `""` {
			t.Errorf("%s:%s serves WebSockets: %s %v", host, port, got.JSON, err)
		}
		for _, path := range []string{"/", "/json/list", "/json/version", "/icdp/status", "/health", "/shell", "/agent.js", "/home.json", "/ui/api/state"} {
			got, err := p.Evaluate(t.Context(), fmt.Sprintf(`fetch("http://%s:%s%s", { mode: "no-cors" }).then(() => "answers", () => "")`, host, port, path), actions.EvaluateOptions{})
			if err != nil || string(got.JSON) != `""` {
				t.Errorf("%s:%s%s: %s %v", host, port, path, got.JSON, err)
			}
			if _, err := p.Goto(t.Context(), "http://"+host+":"+port+path, actions.GotoOptions{}); err == nil {
				t.Errorf("%s:%s%s can be opened", host, port, path)
			}
		}
	}
	for _, hub := range []string{"", "x"} {
		h, release := s.hubs.Peek(hub)
		if n := h.Stats().Hosts; n != 0 {
			t.Errorf("a page is the Host of %q", hub)
		}
		release()
	}
}

// TestR256WithoutAFence has a system that does not tell who connects: no page may be a Host
// without a token at a server that starts browsers.
func TestR256WithoutAFence(t *testing.T) {
	change := func(o *Options) { o.Browsers = testBrowser() }
	s := start(t, change)
	s.fenceTells = false
	if got := raw(t, s.addr(true), handshake("/hub/x/icdp/host", "Origin: http://localhost:3000")); got.status != http.StatusForbidden || !strings.Contains(got.body, "--host-token") {
		t.Errorf("a page: %d %s", got.status, got.body)
	}
}
