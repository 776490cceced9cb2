package server

import (
	"fmt"
	"net"
	"net/http"
	"strings"
	"testing"

	"github.com/cdphub/cdphub/internal/cluster"
	"github.com/cdphub/cdphub/internal/hubtest"
	"github.com/cdphub/cdphub/internal/wsconn"
)

// browsersOf has nodes run fake browsers: so many as max says of each, by its name.
func browsersOf(max map[string]int, all int) func(*Options) {
	return func(o *Options) {
		o.Cluster.MaxBrowsers = all
		if n := max[o.Cluster.Directory.Self().Name]; n > 0 {
			o.Browsers = &Browsers{Run: hubtest.RunFakeBrowser, Max: n}
		}
	}
}

// drivesHub connects a Client to a hub that has a browser.
func (n node) drivesHub(t *testing.T, hub string) *far {
	t.Helper()
	c := dial(t, "ws://"+n.addr(false)+"/hub/"+hub+"/devtools/browser", nil)
	c.send(`{"id":1,"method":"Target.setDiscoverTargets","params":{"discover":true}}`)
	c.until(`"id":1`)
	return c
}

// noBrowser is what a Client of a hub is answered that gets no browser; "" when it gets one.
func (n node) noBrowser(t *testing.T, hub string) string {
	t.Helper()
	a := raw(t, n.addr(false), asking("GET /hub/"+hub+"/json/version HTTP/1.1", "Host: localhost"))
	switch {
	case a.status == http.StatusOK:
		return ""
	case a.status != http.StatusServiceUnavailable || a.header.Get("Retry-After") == "":
		t.Errorf("hub %s: %d %s with Retry-After %q, want 503 with one", hub, a.status, a.body, a.header.Get("Retry-After"))
	}
	return a.body
}

// Browsers go to the nodes that may have them, the next always to the one with the most
// room, whichever node is asked.
func TestClusterPlacesBrowsers(t *testing.T) {
	nodes := startNodes(t, new(cluster.Memory), "abc", browsersOf(map[string]int{"b": 1, "c": 3}, 0))
	a := nodes[0]
	owners := map[string]int{}
	var clients []*far
	for i, at := range []int{0, 1, 2, 0} {
		hub := fmt.Sprint("h", i)
		clients = append(clients, nodes[at].drivesHub(t, hub))
		o, err := a.dir.Owner(t.Context(), hub)
		if err != nil {
			t.Fatal(err)
		}
		owners[o.Node.Name]++
	}
	if owners["b"] != 1 || owners["c"] != 3 {
		t.Errorf("browsers by node: %v, want 1 at b and 3 at c", owners)
	}
	for _, n := range nodes {
		if got := n.noBrowser(t, "one-more"); !strings.Contains(got, "All browsers are in use") || !strings.Contains(got, "--max-browsers") {
			t.Errorf("with all browsers taken, node %s answers %q", n.dir.Self().Name, got)
		}
	}
	clients[1].Conn.Close(wsconn.ReasonNormal)
	await(t, "the idle browser makes room", func() bool { return a.noBrowser(t, "one-more") == "" })
	for _, n := range nodes { // of a hub that has one
		if got := n.noBrowser(t, "h0"); got != "" {
			t.Errorf("the hub with a browser: %s", got)
		}
	}
}

// The limit of the cluster holds, whatever nodes may have, and an idle browser of one
// node makes room at another.
func TestClusterMaxBrowsers(t *testing.T) {
	nodes := startNodes(t, new(cluster.Memory), "ab", browsersOf(map[string]int{"a": 4, "b": 4}, 2))
	a, b := nodes[0], nodes[1]
	first, second := a.drivesHub(t, "h0"), b.drivesHub(t, "h1")
	for _, n := range nodes {
		if got := n.noBrowser(t, "h2"); !strings.Contains(got, "together") || !strings.Contains(got, "--cluster-max-browsers") {
			t.Errorf("with as many as the cluster may have, node %s answers %q", n.dir.Self().Name, got)
		}
	}
	if err := a.browsers.Health(); err != nil {
		t.Errorf("the node believes its browsers to be broken: %v", err)
	}
	first.Conn.Close(wsconn.ReasonNormal)
	second.Conn.Close(wsconn.ReasonNormal)
	var now []*far
	for i, n := range nodes { // the same two again at most, whoever has an idle one
		hub := fmt.Sprint("new", i)
		await(t, "an idle browser ends for "+hub, func() bool { return n.noBrowser(t, hub) == "" })
		now = append(now, n.drivesHub(t, hub))
	}
	if n := a.browsers.Numbers().Running + b.browsers.Numbers().Running; n != 2 {
		t.Errorf("%d browsers run, want 2", n)
	}
	for _, c := range now {
		c.Conn.Close(wsconn.ReasonNormal)
	}
}

// An idle browser of one node ends when another node needs its place.
func TestClusterEndsIdleBrowserElsewhere(t *testing.T) {
	t.Parallel()
	nodes := startNodes(t, new(cluster.Memory), "ab", browsersOf(map[string]int{"a": 4, "b": 4}, 1))
	a, b := nodes[0], nodes[1]
	for _, n := range nodes { // no placement: each has its hub already
		if _, _, err := n.cluster.Locate(t.Context(), "of-"+n.dir.Self().Name); err != nil {
			t.Fatal(err)
		}
	}
	a.drivesHub(t, "of-a").Conn.Close(wsconn.ReasonNormal)
	await(t, "b knows of the idle browser", func() bool {
		for _, n := range b.dir.Nodes() {
			if n.Name == "a" {
				return n.Browsers.Idle == 1
			}
		}
		return false
	})
	b.drivesHub(t, "of-b")
	await(t, "a has no browser", func() bool { return a.browsers.Numbers().Running == 0 })
}

// A node that cannot be reached gets no hubs as long as another one has room.
func TestClusterPlacesElsewhere(t *testing.T) {
	all := new(cluster.Memory)
	nodes := startNodes(t, all, "ab", browsersOf(map[string]int{"b": 4}, 0))
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ln.Close()
	nodes[1].drivesHub(t, "busy") // of two nodes with room, that with less load is asked
	dead := all.Join(cluster.Node{ID: "id-dead", Name: "dead", Peer: ln.Addr().String()})
	dead.Tell(&cluster.Browsers{Hubs: []string{"*"}, Max: 1000})
	if got := nodes[0].noBrowser(t, "x"); !strings.Contains(got, "try again") {
		t.Errorf("the first try: %q", got)
	}
	if got := nodes[0].noBrowser(t, "x"); got != "" {
		t.Errorf("the next try: %q", got)
	}
	if o, err := nodes[0].dir.Owner(t.Context(), "x"); err != nil || o.Node.Name != "b" {
		t.Errorf("the hub is %v's, %v; want b's", o.Node.Name, err)
	}
	drained := nodes[1].dir
	if err := drained.Drain(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	dead.Tell(&cluster.Browsers{Hubs: []string{"*"}, Broken: true, Max: 1})
	if n, elsewhere := nodes[0].cluster.Place("y"); !elsewhere || n.Name != "dead" {
		t.Errorf("with b about to end, a hub goes to %v %v", n.Name, elsewhere)
	}
}

// The browser of a hub ends at the node that has lost the hub.
func TestClusterBrowserEndsWithItsHub(t *testing.T) {
	all := new(cluster.Memory)
	n := startNodes(t, all, "a", browsersOf(map[string]int{"a": 4}, 0))[0]
	client := n.drivesHub(t, "x")
	o, err := n.dir.Owner(t.Context(), "x")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := all.Join(cluster.Node{ID: "other"}).Claim(t.Context(), "x", o.Epoch); err != nil {
		t.Fatal(err)
	}
	if why := client.reason(); why != wsconn.ReasonMoved {
		t.Errorf("the Client was closed with %v", why)
	}
	await(t, "the browser has ended", func() bool { return n.browsers.Numbers().Running == 0 })
}

// A Client that waits for a browser is told when its hub moves to another node.
func TestClusterHubMovesWhileAClientWaits(t *testing.T) {
	all := new(cluster.Memory)
	n := startNodes(t, all, "a", func(o *Options) {
		o.Browsers = &Browsers{Run: hubtest.RunFakeBrowser, Max: 1, Queue: within}
	})[0]
	n.drivesHub(t, "busy")
	answer := make(chan string, 1)
	go func() { answer <- n.noBrowser(t, "x") }()
	await(t, "it waits", func() bool { return n.browsers.Numbers().Queued == 1 })
	o, err := n.dir.Owner(t.Context(), "x")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := all.Join(cluster.Node{ID: "other"}).Claim(t.Context(), "x", o.Epoch); err != nil {
		t.Fatal(err)
	}
	if got := <-answer; !strings.Contains(got, "another node") {
		t.Errorf("it is answered %q", got)
	}
	await(t, "nobody waits", func() bool { return n.browsers.Numbers().Queued == 0 })
}
