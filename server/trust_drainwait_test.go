package server

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/cdphub/cdphub/internal/cluster"
	"github.com/cdphub/cdphub/internal/hubtest"
	"github.com/cdphub/cdphub/internal/named"
	"github.com/cdphub/cdphub/internal/wsconn"
	"github.com/cdphub/cdphub/server/internal/handover"
)

// drainOperator asks for the drain of a node at the listener for operators of another.
func (n node) drainOperator(t *testing.T, query string) hubtest.Answer {
	t.Helper()
	return hubtest.Raw(t, n.AdminAddr(), hubtest.Request("POST "+handover.DrainPath+"?"+query+" HTTP/1.1", "Host: localhost", "Content-Length: 0"))
}

// waits is what the other nodes know of what a node waits for.
func (n node) waits(of string) cluster.Waits {
	for _, other := range n.dir.Nodes() {
		if other.Name == of && other.Waits != nil {
			return *other.Waits
		}
	}
	return cluster.Waits{}
}

// handshake asks for a WebSocket, and returns the status.
func (n node) handshake(t *testing.T, path string) (status int, body string) {
	t.Helper()
	got := hubtest.Raw(t, n.addr(false), hubtest.Handshake(path))
	return got.Status, got.Body
}

func withAdminSocket(t *testing.T) func(*Options) {
	return func(o *Options) { o.AdminAddr = hubtest.AdminSocket(t) }
}

// a node that is drained and waits takes no new hub and no new connection to a hub of
// another, gives its quiet hubs back, serves the hubs in use, and ends with the last session.
func TestR322DrainWaits(t *testing.T) {
	nodes := startNodes(t, new(cluster.Memory), "ab", withAdminSocket(t))
	a, b := nodes[0], nodes[1]
	used := dial(t, "ws://"+b.addr(true)+"/hub/used/icdp/host", nil)
	used.send(ready)
	quiet := dial(t, "ws://"+b.addr(true)+"/hub/quiet/icdp/host", nil)
	quiet.send(ready)
	dial(t, "ws://"+a.addr(true)+"/hub/of-a/icdp/host", nil).send(ready)
	await(t, "the Hosts are there", func() bool { return b.hubs.Stats().Hosts == 2 && a.hubs.Stats().Hosts == 1 })
	const path = "/devtools/browser"
	client := dial(t, "ws://"+b.addr(false)+"/hub/used"+path, nil)
	work := dial(t, "ws://"+b.addr(false)+"/hub/used"+path+"?session=work", nil)
	through := dial(t, "ws://"+b.addr(false)+"/hub/of-a"+path, nil)
	await(t, "the Clients are there", func() bool { return b.hubs.Stats().Clients == 2 && a.hubs.Stats().Clients == 1 })

	if got := a.drainOperator(t, "node=b&wait=1h"); got.Status != http.StatusNoContent {
		t.Fatalf("%d %s", got.Status, got.Body)
	}
	await(t, "all nodes know what it waits for", func() bool {
		w := a.waits("b")
		return w.Clients == 2 && w.Forwarded == 1 && w.Browsers == 0 && time.Until(w.Until) > 50*time.Minute
	})
	if r := quiet.reason(); r != wsconn.ReasonShutdown {
		t.Errorf("the Host of a hub without a session was closed with %v, want 1001: it finds another node", r)
	}
	await(t, "another node may have the quiet hub", func() bool {
		_, err := a.dir.Owner(t.Context(), "quiet")
		return err != nil
	})
	for hub, want := range map[string]int{"new": 503, "of-a": 503, "used": 101} {
		status, body := b.handshake(t, "/hub/"+hub+path)
		if status != want || want == 503 && !strings.Contains(body, "another node") {
			t.Errorf("a new Client of hub %s at the node: %d %s, want %d", hub, status, body, want)
		}
	}
	if status, _ := a.handshake(t, "/hub/new"+path); status != 101 {
		t.Errorf("a new hub at the other node: %d", status)
	}
	if _, err := b.dir.Owner(t.Context(), "new"); err != nil {
		t.Error("the other node has not claimed the new hub")
	}
	if status, body := b.get(t, b.AdminAddr(), "/readyz", nil); status != 503 || !strings.Contains(body, "drained") {
		t.Errorf("/readyz: %d %s", status, body)
	}
	if _, text := a.get(t, a.AdminAddr(), "/metrics", nil); !strings.Contains(text, `cdphub_cluster_node_waits{node="b",what="clients"}`) {
		t.Error("the metrics of the other node do not say what it waits for")
	}
	for _, c := range []*far{client, through} {
		c.Conn.Close(wsconn.ReasonNormal)
	}
	await(t, "only the named session is left", func() bool { w := a.waits("b"); return w.Clients == 1 && w.Forwarded == 0 })
	drives(t, work, used)
	work.Conn.Close(wsconn.ReasonNormal)
	await(t, "the session has lost its connection", func() bool {
		_, text := b.get(t, b.AdminAddr(), "/hubs", nil)
		return strings.Contains(text, `"awaySince"`)
	})
	if a.waits("b").Clients != 1 {
		t.Errorf("a named session without a connection does not count: %+v", a.waits("b"))
	}
	for _, i := range b.named.List(func(named.Owner) bool { return true }) {
		b.named.EndID(i.ID)
	}
	await(t, "the node has left", func() bool { return len(a.dir.Nodes()) == 1 })
}

// a node waits for its browsers, those without a Client too, until they end.
func TestR322DrainWaitsForBrowsers(t *testing.T) {
	nodes := startNodes(t, new(cluster.Memory), "ab", func(o *Options) {
		browsersOf(map[string]int{"a": 2, "b": 2}, 0)(o)
		withAdminSocket(t)(o)
	})
	a, b := nodes[0], nodes[1]
	client := b.drivesHub(t, "of-b") // where all else is equal, the node that is asked has it
	if got := b.drainOperator(t, "node=b&wait=1h"); got.Status != http.StatusNoContent {
		t.Fatalf("%d %s", got.Status, got.Body)
	}
	client.Conn.Close(wsconn.ReasonNormal)
	await(t, "the browser is left", func() bool { w := a.waits("b"); return w.Clients == 0 && w.Browsers == 1 })
	a.drivesHub(t, "new")
	if n := a.browsers.Numbers().Running; n != 1 {
		t.Errorf("the new hub has its browser at the node that is drained: the other has %d", n)
	}
	again := b.drivesHub(t, "of-b")
	again.Conn.Close(wsconn.ReasonNormal)
	await(t, "the browser has ended", func() bool { return b.browsers.Evict() })
	await(t, "the node has left", func() bool { return len(a.dir.Nodes()) == 1 })
}

// the time is the longest that a node waits, another drain replaces it, and the last node
// does not wait either.
func TestR322DrainWaitEnds(t *testing.T) {
	for name, queries := range map[string][]string{
		"by time":        {"node=b&wait=1ms"},
		"by a second":    {"node=b&wait=1h", "node=b"},
		"by a sooner":    {"node=b&wait=1h", "node=b&wait=1ms"},
		"without a wait": {"node=b"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			nodes := startNodes(t, new(cluster.Memory), "ab", withAdminSocket(t))
			a, b := nodes[0], nodes[1]
			b.host(t)
			client := b.client(t)
			await(t, "the Client is there", func() bool { return b.hubs.Stats().Clients == 1 })
			for i, query := range queries {
				if got := a.drainOperator(t, query); got.Status != http.StatusNoContent {
					t.Fatalf("%d %s", got.Status, got.Body)
				}
				if i < len(queries)-1 {
					await(t, "it waits", func() bool { return a.waits("b").Clients == 1 })
				}
			}
			if r := client.reason(); r != wsconn.ReasonShutdown {
				t.Errorf("the Client was closed with %v, want 1001", r)
			}
			await(t, "the node has left", func() bool { return len(a.dir.Nodes()) == 1 })
			if got := a.drainOperator(t, "node=a&wait=1h"); got.Status != http.StatusConflict {
				t.Errorf("the last node: %d %s", got.Status, got.Body)
			}
			for _, wrong := range []string{"30", "-1s", "soon"} {
				if got := a.drainOperator(t, "node=a&wait="+wrong); got.Status != http.StatusBadRequest {
					t.Errorf("wait=%s: %d %s", wrong, got.Status, got.Body)
				}
			}
		})
	}
}
