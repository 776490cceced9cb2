package server

import (
	"cmp"
	"encoding/json"
	"maps"
	"net"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"

	"github.com/cdphub/cdphub/internal/browsertest"
	"github.com/cdphub/cdphub/internal/held/heldtest"
	"github.com/cdphub/cdphub/internal/hubtest"
)

// started is a running server on ports of its own.
type started struct {
	*Server
	stop func() // drains, and returns when it has

	asked *Server // that passes everything on to it; nil: nobody
}

// addr is where the server is asked.
func (s started) addr(hosts bool) string {
	if s.asked != nil {
		return s.asked.addr(hosts)
	}
	return s.Server.addr(hosts)
}

func start(t *testing.T, change func(*Options)) started {
	t.Helper()
	return startLogged(t, zap.New(&uniqueKeys{t: t}), change)
}

// uniqueKeys is a log whose lines must not have a key twice: JSON keeps one of the values only.
type uniqueKeys struct {
	t    *testing.T
	with []zapcore.Field
}

func (c *uniqueKeys) Enabled(l zapcore.Level) bool {
	return l >= zapcore.InfoLevel && c.t.Context().Err() == nil
}
func (c *uniqueKeys) Sync() error { return nil }

func (c *uniqueKeys) With(more []zapcore.Field) zapcore.Core {
	return &uniqueKeys{c.t, slices.Concat(c.with, more)}
}

func (c *uniqueKeys) Check(e zapcore.Entry, to *zapcore.CheckedEntry) *zapcore.CheckedEntry {
	if !c.Enabled(e.Level) {
		return to
	}
	return to.AddCore(e, c)
}

func (c *uniqueKeys) Write(e zapcore.Entry, fields []zapcore.Field) error {
	seen := map[string]bool{}
	for _, f := range slices.Concat(c.with, fields) {
		if f.Type != zapcore.SkipType && seen[f.Key] {
			c.t.Errorf("the line %q of the log %q has the key %q twice", e.Message, e.LoggerName, f.Key)
		}
		seen[f.Key] = true
	}
	return nil
}

func startLogged(t *testing.T, log *zap.Logger, change func(*Options)) started {
	t.Helper()
	f := testOptions()
	if change != nil {
		change(&f)
	}
	if f.Browsers != nil && f.Browsers.Run == nil { // Chromium, and no fake browser
		browsertest.SkipShort(t)
	}
	if os.Getenv(throughEnv) != "" && f.Cluster == nil && !f.NoListeners {
		f.Log = log
		s, err := startThrough(t, f)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	s, err := makeServer(f, log)
	if err != nil {
		t.Fatal(err)
	}
	return startServer(t, s)
}

// testOptions are those of a server on free ports of loopback.
func testOptions() Options {
	return Options{
		ClientAddr: "127.0.0.1:0", HostAddr: "localhost:0", // another text, so another listener
		Drain: 5 * time.Second,
	}
}

// shortDrain is for tests whose Clients stay until they are closed.
func shortDrain(o *Options) { o.Drain = time.Millisecond }

func makeServer(o Options, log *zap.Logger) (*Server, error) {
	o.Log = log
	return New(o)
}

// startServer runs a server that has been made.
func startServer(t *testing.T, s *Server) started {
	t.Helper()
	t.Cleanup(func() {
		for _, name := range s.sandboxes.Names() {
			s.sandboxes.End(name)
		}
		heldtest.WaitsForNothing(t, "the server", s.left)
	})
	return started{Server: s, stop: hubtest.Run(t, s.Run)}
}

// ownHostPages are the servers with a Host page of their own in a browser that a test has opened.
var ownHostPages sync.Map

// left is what a server holds after its end, but for what may stay: hubs, and a Host page that may
// come back, last for half a minute, timelines longer, and a recording stays. An own Host page
// has a token for as long as the process runs.
func (s *Server) left() map[string]int {
	all := s.Held()
	stay := []string{"hosts", "emulated hosts", "dialogs"}
	if _, own := ownHostPages.Load(s); own || s.app != nil {
		stay = append(stay, "issued tokens")
	}
	for _, what := range stay {
		delete(all, what)
	}
	maps.DeleteFunc(all, func(what string, _ int) bool {
		r, _, _ := strings.Cut(what, ": ")
		return what == "timelines" || slices.Contains([]string{"hubs", "timelines", "timeline_bytes", "recordings"}, r)
	})
	return all
}

func (s started) client(t *testing.T) *far {
	t.Helper()
	return dial(t, "ws://"+s.addr(false)+"/devtools/browser", nil)
}

func (s started) host(t *testing.T) *far {
	t.Helper()
	h := dial(t, "ws://"+s.addr(true)+"/icdp/host", nil)
	h.send(ready)
	s.await(t, `"hostConnected":true`)
	return h
}

// await polls the status until it contains want.
func (s started) await(t *testing.T, want string) {
	t.Helper()
	for end := time.Now().Add(within); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		if _, body := s.get(t, s.addr(false), "/icdp/status", nil); strings.Contains(body, want) {
			return
		}
	}
	t.Fatalf("the status never had %s", want)
}

// get asks one address for a path exactly as it stands, with these headers.
func (s started) get(t *testing.T, addr, path string, header http.Header) (int, string) {
	t.Helper()
	return hubtest.Get(t, addr, path, header)
}

func TestDiscovery(t *testing.T) {
	s := start(t, nil)
	s.host(t)
	addr := s.addr(false)
	endpoint := `"webSocketDebuggerUrl":"ws://` + addr + `/devtools/browser"`
	for _, tc := range []struct {
		path   string
		status int
		want   string
	}{
		{"/json/version", 200, endpoint},
		{"/json/version/", 200, `"Protocol-Version":"1.3"`},
		{"/json", 200, `"description":"icdp iframe target","devtoolsFrontendUrl":"","id":"T1","title":"One","type":"page","url":"http://app/1",` + endpoint},
		{"/json/list/", 200, `"id":"T1"`},
		{"/icdp/status", 200, `{"hostConnected":true,"targets":[{"targetId":"T1","title":"One","url":"http://app/1"}],"clients":0}`},
		{"/health", 200, "ok"},
		{"/hub/other/json/version", 200, `"webSocketDebuggerUrl":"ws://` + addr + `/hub/other/devtools/browser"`},
		{"/hub/other/json/list", 200, `[]`},
		{"//json/version", 404, ""},
		{"//", 404, ""},
		{"/JSON/VERSION", 404, ""},
		{"/hub/Other/json/version", 404, ""},
		{"/hub/../json/version", 404, ""},
		{"/nothing", 404, ""},
		{"/icdp/host", 404, ""}, // the other listener's
	} {
		status, body := s.get(t, addr, tc.path, nil)
		if status != tc.status || !strings.Contains(body, tc.want) {
			t.Errorf("GET %s: %d %s, want %d with %s", tc.path, status, body, tc.status, tc.want)
		}
	}
	if status, _ := s.get(t, s.addr(true), "/json/version", nil); status != 404 {
		t.Errorf("the listener for Hosts answers /json/version with %d, want 404", status)
	}
}

func TestWhoMayConnect(t *testing.T) {
	s := start(t, func(f *Options) {
		f.ClientOrigins = []string{"https://friend.example"}
		f.AllowedHosts = []string{"hub.example"}
	})
	upgrade := func(more http.Header) http.Header {
		h := http.Header{
			"Connection": {"Upgrade"}, "Upgrade": {"websocket"},
			"Sec-Websocket-Version": {"13"}, "Sec-Websocket-Key": {"dGhlIHNhbXBsZSBub25jZQ=="},
		}
		for k, v := range more {
			h[k] = v
		}
		return h
	}
	for _, tc := range []struct {
		name, path string
		hosts      bool
		header     http.Header
		status     int
	}{
		{"rebound name", "/json/version", false, http.Header{"Host": {"evil.example"}}, 403},
		{"rebound name, unknown path", "/nothing", false, http.Header{"Host": {"evil.example"}}, 403},
		{"IP in a name", "/json/version", false, http.Header{"Host": {"127.0.0.1.nip.io"}}, 403},
		{"allowed name", "/json/version", false, http.Header{"Host": {"hub.example:9222"}}, 200},
		{"localhost", "/json/version", false, http.Header{"Host": {"LOCALHOST:1"}}, 200},
		{"name on the host side", "/icdp/host", true, upgrade(http.Header{"Host": {"evil.example"}}), 403},
		{"page as client", "/devtools/browser", false, upgrade(http.Header{"Origin": {"https://evil.example"}}), 403},
		{"own page as client", "/devtools/browser", false, upgrade(http.Header{"Origin": {"http://" + s.addr(false)}, "User-Agent": {"Mozilla/5.0"}}), 403},
		{"program that names what it dials", "/devtools/browser", false, upgrade(http.Header{"Origin": {"http://" + s.addr(false)}}), 101},
		{"sandboxed page as client", "/devtools/browser", false, upgrade(http.Header{"Origin": {"null"}}), 403},
		{"page on the internet as host", "/icdp/host", true, upgrade(http.Header{"Origin": {"https://evil.example"}}), 403},
		{"sandboxed page as host", "/icdp/host", true, upgrade(http.Header{"Origin": {"null"}}), 403},
		{"page fetching the list", "/json/list", false, http.Header{"Origin": {"https://evil.example"}}, 403},
		{"image of another site", "/json/list", false, http.Header{"Sec-Fetch-Site": {"cross-site"}}, 403},
	} {
		addr := s.addr(tc.hosts)
		if status, body := s.get(t, addr, tc.path, tc.header); status != tc.status {
			t.Errorf("%s: %d %s, want %d", tc.name, status, body, tc.status)
		}
	}
	dial(t, "ws://"+s.addr(false)+"/devtools/browser", http.Header{"Origin": {"https://friend.example"}})
	dial(t, "ws://"+s.addr(true)+"/icdp/host", http.Header{"Origin": {"http://localhost:3000"}})
}

func TestBundles(t *testing.T) {
	s := start(t, nil)
	addr := s.addr(true)
	for _, path := range []string{"/agent.js", "/agent.mjs", "/host.js", "/host.mjs", "/shell", "/hub/mine/agent.js"} {
		resp, err := http.Get("http://" + addr + path)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.StatusCode != 200 || resp.Header.Get("Access-Control-Allow-Origin") != "*" ||
			resp.Header.Get("Cross-Origin-Resource-Policy") != "cross-origin" {
			t.Errorf("%s: %s %v", path, resp.Status, resp.Header)
		}
	}
	b := bundles()["/host.js"]
	if status, body := s.get(t, addr, "/host."+b.hash+".js", nil); status != 200 || body != string(b.body) {
		t.Errorf("the immutable name answers %d", status)
	}
	if status, _ := s.get(t, addr, "/shell", http.Header{"Sec-Fetch-Site": {"cross-site"}}); status != 403 {
		t.Errorf("/shell for a link of another site: %d, want 403", status)
	}
	if status, _ := s.get(t, addr, "/host.js", http.Header{"If-None-Match": {`"` + b.hash + `"`}}); status != 304 {
		t.Errorf("If-None-Match: %d, want 304", status)
	}
}

// TestRoundTrip sends a command through both sockets and back, on a named hub
// and on one address for all.
func TestRoundTrip(t *testing.T) {
	s := start(t, func(f *Options) { f.HostAddr = f.ClientAddr })
	base := "ws://" + s.addr(false) + "/hub/mine"
	host := dial(t, base+"/icdp/host", nil)
	client := dial(t, base+"/devtools/browser/any-id", nil)
	client.send(`{"id":1,"method":"Target.setAutoAttach","params":{"autoAttach":true,"flatten":true}}`)
	client.until(`"id":1`)
	host.send(ready)
	var ev struct {
		Params struct{ SessionID string }
	}
	if err := json.Unmarshal([]byte(client.until("Target.attachedToTarget")), &ev); err != nil {
		t.Fatal(err)
	}
	id := ev.Params.SessionID
	client.send(`{"id":2,"method":"Runtime.evaluate","params":{"n":1e400},"sessionId":"` + id + `"}`)
	want := `{"kind":"command","sessionId":"` + id + `","targetId":"T1","id":1,"method":"Runtime.evaluate","params":{"n":1e400}}`
	if got := host.until(`"command"`); got != want {
		t.Errorf("the Host got %s, want %s", got, want)
	}
	host.send(`{"kind":"response","sessionId":"` + id + `","id":1,"result":{"big":12345678901234567890123}}`)
	if got, want := client.next(), `{"id":2,"result":{"big":12345678901234567890123},"sessionId":"`+id+`"}`; got != want {
		t.Errorf("the Client got %s, want %s", got, want)
	}
}

func TestDrain(t *testing.T) {
	s := start(t, nil)
	host, client := s.host(t), s.client(t)
	s.await(t, `"clients":1`)
	addr := s.addr(false)
	s.stop()
	for name, p := range map[string]*far{"client": client, "host": host} {
		if r := p.reason(); r.Code != 1001 || r.Text != "shutting down" {
			t.Errorf("%s closed with %v, want 1001 shutting down", name, r)
		}
	}
	if c, err := net.DialTimeout("tcp", addr, time.Second); err == nil {
		c.Close()
		t.Error("the listener still accepts")
	}
}

// TestDrainOrder holds a Client's connection open and wants the Hosts to wait
// for it; then it comes too late itself.
func TestDrainOrder(t *testing.T) {
	s := start(t, shortDrain)
	left := s.clients.Enter()
	go func() {
		defer left()
		<-s.clients.Context.Done()
		select {
		case <-s.hosts.Context.Done():
			t.Error("the Hosts were closed before the last Client had gone")
		case <-time.After(50 * time.Millisecond): // of the 10 s that Clients have to close
		}
	}()
	s.stop()
	late := s.hosts.Enter()
	if s.hosts.Context.Err() == nil {
		t.Error("a late connection was not given an ended context")
	}
	late() // which nobody waits for
}

func TestRefusesToListenForStrangers(t *testing.T) {
	for _, addr := range []string{"0.0.0.0:0", ":0", "[::]:0", "192.0.2.1:0", "nonsense"} {
		if s, err := makeServer(Options{ClientAddr: addr, HostAddr: "127.0.0.1:0"}, zap.NewNop()); err == nil {
			s.closeListeners()
			t.Errorf("%s: listens", addr)
		}
	}
}

// TestAddressesThatCannotBeListenedOn wants errors that name the option and say what to
// do with it.
func TestAddressesThatCannotBeListenedOn(t *testing.T) {
	taken := start(t, nil).addr(false)
	free := hubtest.FreeAddr(t)
	_, port, err := net.SplitHostPort(free)
	if err != nil {
		t.Fatal(err)
	}
	tokens := Tokens{Client: hubtest.ClientToken, Host: hubtest.HostToken}
	for says, o := range map[string]Options{
		"server.Options.ClientAddr " + taken + " is taken by another program":       {ClientAddr: taken},
		"server.Options.AdminAddr " + taken + " is taken by another program":        {AdminAddr: taken},
		"server.Options.AdminAddr " + free + " is the address of another option":    {ClientAddr: free, AdminAddr: free},
		"server.Options.HostAddr localhost:" + port + " is the address of another":  {ClientAddr: free, HostAddr: "localhost:" + port},
		`server.Options.ClientAddr "9222" is not an address: set a host and a port`: {ClientAddr: "9222"},
		`server.Options.HostAddr "127.0.0.1:99999" is not an address`:               {HostAddr: "127.0.0.1:99999"},
		`server.App.Addr "9224" is not an address`:                                  {App: &App{URL: "3000", Addr: "9224"}},
		"or set a token of role admin":                                              {AdminAddr: "0.0.0.0:0", InsecureBind: true},
		"the app: listen on 127.0.0.1, or set server.Options.InsecureBind":          {App: &App{URL: "3000", Addr: "0.0.0.0:0"}, Tokens: tokens},
		"http://" + free + "/ is one that cdphub itself listens on":                 {App: &App{URL: free, Addr: free}},
		"http://localhost:" + port + "/ is one that cdphub itself listens":          {ClientAddr: free, App: &App{URL: port, Addr: "127.0.0.1:0"}},
	} {
		o.ClientAddr, o.HostAddr = cmp.Or(o.ClientAddr, "127.0.0.1:0"), cmp.Or(o.HostAddr, "127.0.0.1:0")
		s, err := makeServer(o, zap.NewNop())
		if err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%v, want %s", err, says)
		}
		if s != nil {
			s.closeListeners()
		}
	}
}
