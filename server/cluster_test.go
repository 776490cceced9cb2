package server

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/zap"

	"github.com/cdphub/cdphub/internal/cluster"
	"github.com/cdphub/cdphub/internal/hubtest"
	"github.com/cdphub/cdphub/internal/wsconn"
)

// node is one of several servers of a cluster in this process.
type node struct {
	started
	dir *cluster.MemoryNode
	o   *Cluster
}

// clusterKeys are what all nodes of a test share.
func clusterKeys(t *testing.T) Cluster {
	t.Helper()
	certFile, keyFile := hubtest.WriteCertificate(t, t.TempDir(), 1)
	pair, err := tls.LoadX509KeyPair(certFile, keyFile)
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(certFile)
	if err != nil {
		t.Fatal(err)
	}
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(text)
	return Cluster{Certificate: pair, CA: pool, Key: bytes.Repeat([]byte("k"), 32)}
}

func startNodes(t *testing.T, all *cluster.Memory, names string, change func(*Options)) []node {
	t.Helper()
	return startNodesLogged(t, zap.New(&uniqueKeys{t: t}), all, names, change)
}

func startNodesLogged(t *testing.T, log *zap.Logger, all *cluster.Memory, names string, change func(*Options)) []node {
	t.Helper()
	keys := clusterKeys(t)
	var nodes []node
	for _, name := range strings.Split(names, "") {
		c := keys
		var err error
		if c.Listener, err = net.Listen("tcp", "127.0.0.1:0"); err != nil {
			t.Fatal(err)
		}
		dir := all.Join(cluster.Node{ID: "id-" + name, Name: name, Peer: c.Listener.Addr().String()})
		c.Directory = dir
		s := startLogged(t, log, func(o *Options) {
			shortDrain(o)
			o.Cluster = &c
			if change != nil {
				change(o)
			}
		})
		nodes = append(nodes, node{s, dir, &c})
	}
	return nodes
}

// hostOf connects a Host without waiting until it is there.
func (n node) hostOf(t *testing.T, message string) *far {
	t.Helper()
	h := dial(t, "ws://"+n.addr(true)+"/icdp/host", nil)
	h.send(message)
	return h
}

// drives wants a command of the Client to reach the Host.
func drives(t *testing.T, client, host *far) {
	t.Helper()
	id := client.attach()
	client.send(`{"id":7,"method":"Page.enable","sessionId":"` + id + `"}`)
	host.until(id + `","targetId":"T1","id":`)
}

// S-01: the Host is at one node, and Clients at all of them.
func TestS01ClientsOfEachNode(t *testing.T) {
	nodes := startNodes(t, new(cluster.Memory), "abc", nil)
	host := nodes[0].host(t)
	for _, n := range nodes {
		n.await(t, `"targetId":"T1"`)
		drives(t, n.client(t), host)
		_, body := n.get(t, n.addr(false), "/json/version", nil)
		if want := "ws://" + n.addr(false) + "/devtools/browser"; !strings.Contains(body, want) {
			t.Errorf("/json/version says %s, want %s: the node that was asked", body, want)
		}
		dial(t, "ws://"+n.addr(false)+"/devtools/page/T1", nil).Conn.Close(wsconn.ReasonNormal)
	}
	nodes[0].await(t, `"clients":3`)
	script := raw(t, nodes[1].addr(true), asking("GET /eval/none.js HTTP/1.1", "Host: localhost"))
	if got := script.header.Values("Cross-Origin-Resource-Policy"); len(got) != 1 || got[0] != "cross-origin" {
		t.Errorf("a script for frames: %d with %q, want cross-origin alone", script.status, got)
	}
	if o, err := nodes[1].dir.Owner(t.Context(), ""); err != nil || o.Node.Name != "a" {
		t.Errorf("the owner is %v, %v; want a", o, err)
	}
}

// S-02: the Host comes again through another node: its hub stays where it is, and so
// does what runs there.
func TestS02HostThroughAnotherNode(t *testing.T) {
	nodes := startNodes(t, new(cluster.Memory), "abc", nil)
	old := nodes[0].hostOf(t, namedReady)
	nodes[2].await(t, `"targetId":"T1"`)
	client := nodes[2].client(t)
	id := client.attach()
	for i := range 100 {
		client.send(fmt.Sprintf(`{"id":%d,"method":"Page.enable","sessionId":"%s"}`, i+10, id))
	}
	for range 100 { // the next Host answers none of them
		old.until(`"Page.enable"`)
	}
	begun := time.Now()
	again := nodes[1].hostOf(t, namedReady)
	again.until(`{"kind":"attached","sessionId":"` + id)
	t.Logf("taken over after %v", time.Since(begun))
	answered := map[string]bool{}
	for len(answered) < 100 {
		m := client.until(`"id":`)
		_, rest, _ := strings.Cut(m, `"id":`)
		n, _, _ := strings.Cut(rest, ",")
		if answered[n] {
			t.Fatalf("answered twice: %s", m)
		}
		answered[n] = true
	}
	client.send(`{"id":500,"method":"Page.enable","sessionId":"` + id + `"}`)
	again.until(`"Page.enable"`)
	if why := old.reason(); why.Code != 1008 && why.Code != wsconn.ReasonReplaced.Code {
		t.Errorf("the old Host was closed with %v", why)
	}
}

// S-03: many Hosts want one hub at the same moment, at all nodes.
func TestS03ManyHostsAtOnce(t *testing.T) {
	nodes := startNodes(t, new(cluster.Memory), "abc", nil)
	var all sync.WaitGroup
	var refused atomic.Int32
	for i := range 24 {
		all.Go(func() {
			if a := raw(t, nodes[i%3].addr(true), handshake("/hub/x/icdp/host")); a.status == http.StatusServiceUnavailable {
				refused.Add(1)
			} else if a.status != http.StatusSwitchingProtocols {
				t.Errorf("a Host got %d %s", a.status, a.body)
			}
		})
	}
	all.Wait()
	owners := 0
	for _, n := range nodes {
		owners += n.dir.Self().Hubs
		if n.cluster.Status().Lost > 0 {
			t.Error("a hub was taken from a node that could be reached")
		}
	}
	if owners != 1 || refused.Load() > 0 {
		t.Errorf("%d nodes own the hub, %d Hosts were refused; want one, and none", owners, refused.Load())
	}
}

// A node that has ended without a word holds nobody up.
func TestS04OwnerIsDead(t *testing.T) {
	var all cluster.Memory
	nodes := startNodes(t, &all, "bc", nil)
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	dead := all.Join(cluster.Node{ID: "id-a", Name: "a", Peer: ln.Addr().String()})
	ln.Close()
	for _, hub := range []string{"", "x"} {
		if _, err := dead.Claim(t.Context(), hub, 0); err != nil {
			t.Fatal(err)
		}
	}
	host := nodes[0].host(t)
	drives(t, nodes[1].client(t), host)
	if status, body := nodes[1].get(t, nodes[1].addr(false), "/hub/x/json/version", nil); status != 200 {
		t.Errorf("a Client of a dead node's hub: %d %s", status, body)
	}
	if o, _ := nodes[0].dir.Owner(t.Context(), "x"); o.Node.Name != "c" {
		t.Errorf("the hub is %v's, want c's", o)
	}
}

// A node that has started again at the same address is another one: its hubs before are
// nobody's.
func TestS04OwnerStartedAgain(t *testing.T) {
	var all cluster.Memory
	nodes := startNodes(t, &all, "abc", nil)
	before := all.Join(cluster.Node{ID: "id-before", Name: "a", Peer: nodes[0].o.Directory.Self().Peer})
	for _, hub := range []string{"", "x"} {
		if _, err := before.Claim(t.Context(), hub, 0); err != nil {
			t.Fatal(err)
		}
	}
	host := nodes[1].host(t)
	drives(t, nodes[2].client(t), host)
	if status, body := nodes[2].get(t, nodes[2].addr(false), "/hub/x/json/version", nil); status != 200 {
		t.Errorf("a Client of a hub that the node had before: %d %s", status, body)
	}
}

// A node that answers nothing, but may be alive, loses a hub to a Host alone.
func TestS04OwnerIsSilent(t *testing.T) {
	t.Parallel()
	var all cluster.Memory
	nodes := startNodes(t, &all, "bc", nil)
	ln, err := net.Listen("tcp", "127.0.0.1:0") // connects, and says nothing
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	silent := all.Join(cluster.Node{ID: "id-a", Name: "a", Peer: ln.Addr().String()})
	claim, err := silent.Claim(t.Context(), "", 0)
	if err != nil {
		t.Fatal(err)
	}
	status, body := nodes[0].get(t, nodes[0].addr(false), "/json/version", nil)
	if status != 503 || !strings.Contains(body, "try again") {
		t.Errorf("a Client: %d %s; want 503 with what to do", status, body)
	}
	host := nodes[0].host(t)
	drives(t, nodes[1].client(t), host)
	select {
	case <-claim.Lost():
	default:
		t.Error("the silent node has not lost the hub")
	}
}

// S-05: the owner is cut off from the directory. What it serves goes on, nothing new
// comes to it, and when it is back, one owner is left.
func TestS05OwnerIsCutOff(t *testing.T) {
	nodes := startNodes(t, new(cluster.Memory), "abc", nil)
	a, b, c := nodes[0], nodes[1], nodes[2]
	host := a.host(t)
	client := b.client(t)
	id := client.attach()
	a.dir.Sever(true)
	client.send(`{"id":8,"method":"Page.enable","sessionId":"` + id + `"}`)
	host.until(`"Page.enable"`)
	for _, path := range []string{"/json/version", "/hub/new/json/version"} {
		if status, body := a.get(t, a.addr(false), path, nil); status != 503 || !strings.Contains(body, "directory") {
			t.Errorf("a new Client of %s at the node that is cut off: %d %s", path, status, body)
		}
	}
	newer := c.host(t)
	drives(t, c.client(t), newer)
	client.send(`{"id":9,"method":"Page.disable","sessionId":"` + id + `"}`) // still served, by the older Host
	host.until(`"Page.disable"`)
	a.dir.Sever(false)
	if why := client.reason(); why != wsconn.ReasonMoved {
		t.Errorf("the Client of the older owner was closed with %v, want %v", why, wsconn.ReasonMoved)
	}
	if why := host.reason(); why.Text != wsconn.ReasonReplaced.Text {
		t.Errorf("the older Host was closed with %v", why)
	}
	drives(t, a.client(t), newer)
	drives(t, b.client(t), newer)
}

// A node that dies takes the connections with it that it serves for others.
func TestS04LinksToDeadNodesAreCut(t *testing.T) {
	t.Parallel()
	nodes := startNodes(t, new(cluster.Memory), "ab", nil)
	nodes[0].host(t)
	client := nodes[1].client(t)
	nodes[0].dir.Close(t.Context()) // no node any more, with its connections still open
	if why := client.reason(); why.Code != wsconn.ReasonGone.Code {
		t.Errorf("closed with %v", why)
	}
	await(t, "no request is forwarded", func() bool { return nodes[1].cluster.Forwards.Len() == 0 })
}

// A node that ends gives its hubs to those that stay.
func TestClusterDrain(t *testing.T) {
	nodes := startNodes(t, new(cluster.Memory), "ab", nil)
	host := nodes[0].host(t)
	client := nodes[1].client(t)
	client.attach()
	nodes[0].stop()
	if why := host.reason(); why != wsconn.ReasonShutdown {
		t.Errorf("the Host was closed with %v, want %v", why, wsconn.ReasonShutdown)
	}
	if why := client.reason(); why != wsconn.ReasonShutdown {
		t.Errorf("the Client was closed with %v, want %v", why, wsconn.ReasonShutdown)
	}
	drives(t, nodes[1].client(t), nodes[1].host(t))
}

func TestClusterOptions(t *testing.T) {
	good := clusterKeys(t)
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	good.Directory, good.Listener = new(cluster.Memory).Join(cluster.Node{}), ln
	for want, spoil := range map[string]func(*Cluster){
		"directory":   func(c *Cluster) { c.Directory = nil },
		"listener":    func(c *Cluster) { c.Listener = nil },
		"certificate": func(c *Cluster) { c.Certificate = tls.Certificate{} },
		"authority":   func(c *Cluster) { c.CA = nil },
		"32":          func(c *Cluster) { c.Key = c.Key[1:] },
	} {
		c := good
		spoil(&c)
		o := testOptions()
		o.Cluster = &c
		if _, err := makeServer(o, zap.NewNop()); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
}
