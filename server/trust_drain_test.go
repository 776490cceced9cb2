package server

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"

	"github.com/cdphub/cdphub/internal/cluster"
	"github.com/cdphub/cdphub/internal/hubtest"
	"github.com/cdphub/cdphub/internal/wsconn"
	"github.com/cdphub/cdphub/server/internal/handover"
	"github.com/cdphub/cdphub/server/internal/membership"
)

const everyScope = `tokens:
- {name: ops, token: OPS, role: client, hub: "*", scope: privileged}
- {name: all, token: ALL, role: client, hub: "*", scope: full}
- {name: one, token: ONE, role: client, hub: one, scope: privileged}
- {name: host, token: HOST, role: host, hub: "*"}
`

const opsToken = "token-of-who-operates-all"

// drainBy asks the dashboard's API of a node to drain one.
func (n node) drainBy(t *testing.T, token, which string, lines ...string) said {
	t.Helper()
	body := `{"node":"` + which + `"}`
	if token != "" {
		lines = append(lines, "Authorization: Bearer "+token)
	}
	lines = append([]string{"Host: " + n.addr(false), "Content-Type: application/json"}, lines...)
	return raw(t, n.addr(false), asking("POST "+"/ui/api/drain"+" HTTP/1.1", append(lines, "Content-Length: "+strconv.Itoa(len(body)))...)+body)
}

// any node drains any, for a token of every hub with scope privileged and for
// nobody else, and the audit log says who did.
func TestR213DrainNodes(t *testing.T) {
	tokens, _ := withFile(t, strings.NewReplacer("OPS", opsToken, "ALL", clientToken, "ONE", otherToken, "HOST", hostToken).Replace(everyScope))
	core, logs := observer.New(zap.InfoLevel)
	nodes := startNodesLogged(t, zap.New(core), new(cluster.Memory), "abc", tokens)
	a, b := nodes[0], nodes[1]
	for what, tt := range map[string]struct {
		token, node string
		lines       []string
		want        int
	}{
		"no token":                  {"", "b", nil, 401},
		"scope full":                {clientToken, "b", nil, 403},
		"one hub":                   {otherToken, "b", nil, 401},
		"a Host's token":            {hostToken, "b", nil, 401},
		"a page of another origin":  {opsToken, "b", []string{"Origin: http://evil.example"}, 403},
		"a node that there is not":  {opsToken, "none", nil, 404},
		"a body that is not a JSON": {opsToken, `"`, nil, 400},
	} {
		if got := a.drainBy(t, tt.token, tt.node, tt.lines...); got.status != tt.want {
			t.Errorf("%s: %d %s, want %d", what, got.status, got.body, tt.want)
		}
	}
	if n := len(a.dir.Nodes()); n != 3 || a.dir.Nodes()[1].Draining {
		t.Fatalf("a refused request has drained: %+v", a.dir.Nodes())
	}
	for token, want := range map[string]bool{opsToken: true, clientToken: false} {
		if _, body := a.get(t, a.addr(false), "/ui/api/state", bearer(token)); strings.Contains(body, `"drain":true`) != want {
			t.Errorf("the state says %s", body)
		}
	}
	host := dial(t, "ws://"+b.addr(true)+"/hub/of-b/icdp/host", bearer(hostToken))
	host.send(ready)
	await(t, "the Host is there", func() bool { return b.hubs.Stats().Hosts == 1 })
	if got := a.drainBy(t, opsToken, "b"); got.status != http.StatusNoContent {
		t.Fatalf("%d %s", got.status, got.body)
	}
	if why := host.reason(); why != wsconn.ReasonShutdown {
		t.Errorf("the Host of the drained node was closed with %v", why)
	}
	await(t, "the node has left", func() bool { return len(a.dir.Nodes()) == 2 })
	for _, want := range []map[string]any{
		{"by": "ops", "node": "b", "bearer": "ops"},
		{"by": "ops through node a"},
	} {
		await(t, "the audit log has it", func() bool { return audited(logs, want) })
	}
	if got := a.drainBy(t, opsToken, "a"); got.status != http.StatusNoContent {
		t.Errorf("the node that is asked: %d %s", got.status, got.body)
	}
	await(t, "the node has left", func() bool { return len(nodes[2].dir.Nodes()) == 1 })
	if got := nodes[2].drainBy(t, opsToken, "c"); got.status != http.StatusConflict || !strings.Contains(got.body, "last") {
		t.Errorf("the last node: %d %s", got.status, got.body)
	}
}

// of two nodes that are drained at the same time, each by itself or by the other,
// one stays.
func TestR213TwoDrainsAtOnce(t *testing.T) {
	for what, ask := range map[string]func(n, other node) int{
		"itself": func(n, _ node) int {
			path := handover.DrainPath + "?node=" + n.dir.Self().Name
			return raw(t, n.AdminAddr(), asking("POST "+path+" HTTP/1.1", "Host: localhost", "Content-Length: 0")).status
		},
		"the other": func(n, other node) int {
			status, _ := other.cluster.Ask(t.Context(), n.dir.Self(), handover.DrainPath)
			return status
		},
	} {
		t.Run(what, func(t *testing.T) {
			nodes := startNodes(t, new(cluster.Memory), "ab", func(o *Options) { o.AdminAddr = hubtest.AdminSocket(t) })
			var got [2]int
			var both sync.WaitGroup
			for i, n := range nodes {
				both.Go(func() { got[i] = ask(n, nodes[1-i]) })
			}
			both.Wait()
			if slices.Sort(got[:]); got != [2]int{http.StatusNoContent, http.StatusConflict} {
				t.Errorf("the answers are %v", got)
			}
		})
	}
}

// audited reports whether a line of the audit log has these fields.
func audited(logs *observer.ObservedLogs, fields map[string]any) bool {
	for _, line := range logs.FilterLoggerName("audit").All() {
		has := line.ContextMap()
		same := true
		for name, want := range fields {
			same = same && has[name] == want
		}
		if same {
			return true
		}
	}
	return false
}

// operators drain at their own listener, and a hub that is alone has nothing there.
func TestR213DrainByOperators(t *testing.T) {
	nodes := startNodes(t, new(cluster.Memory), "ab", func(o *Options) { o.AdminAddr = hubtest.AdminSocket(t) })
	ask := func(at, path string) (int, string) {
		got := raw(t, at, asking("POST "+path+" HTTP/1.1", "Host: localhost", "Content-Length: 0"))
		return got.status, got.body
	}
	if status, body := ask(nodes[0].AdminAddr(), handover.DrainPath+"?node=none"); status != 404 || !strings.Contains(body, "status") {
		t.Errorf("no node: %d %s", status, body)
	}
	if status, body := ask(nodes[0].AdminAddr(), handover.DrainPath+"?node=b"); status != 204 {
		t.Fatalf("%d %s", status, body)
	}
	await(t, "the node has left", func() bool { return len(nodes[0].dir.Nodes()) == 1 })
	alone := start(t, func(o *Options) { o.AdminAddr = hubtest.AdminSocket(t) })
	if status, _ := ask(alone.AdminAddr(), handover.DrainPath+"?node=a"); status != 404 && status != 405 {
		t.Errorf("a hub that is alone: %d", status)
	}
}

// what nodes ask each other is for nodes alone, whatever a request says that they
// pass on.
func TestR213PeerRequestsOfNodesAlone(t *testing.T) {
	nodes := startNodes(t, new(cluster.Memory), "ab", nil)
	a, b := nodes[0], nodes[1]
	for _, path := range []string{handover.DrainPath, membership.EvictPath} {
		for _, addr := range []string{a.addr(false), a.addr(true)} {
			if got := raw(t, addr, asking("POST "+path+" HTTP/1.1", "Host: localhost", "Content-Length: 0")); got.status != 404 {
				t.Errorf("%s at a listener for others: %d %s", path, got.status, got.body)
			}
		}
		for as, want := range map[bool]int{true: 404, false: 409} { // only POST is a peer request
			text, err := b.cluster.Signer.Sign(&membership.Assertion{Method: "GET", URI: path, Host: a.o.Listener.Addr().String(), Node: as}, "id-a")
			if err != nil {
				t.Fatal(err)
			}
			if status, body, err := a.asNode(t, &a.o.Certificate, path, text); status != want {
				t.Errorf("GET %s as a node (%v): %d %s %v, want %d", path, as, status, body, err, want)
			}
		}
	}
	if status, err := b.cluster.Ask(t.Context(), a.dir.Self(), membership.EvictPath); status != 409 || err == nil {
		t.Errorf("a peer request without an effect: %d %v", status, err)
	}
	if len(a.dir.Nodes()) != 2 {
		t.Error("a node has left")
	}
}
