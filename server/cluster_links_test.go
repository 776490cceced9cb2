package server

import (
	"context"
	"net"
	"net/http"
	"sync/atomic"
	"testing"

	"github.com/cdphub/cdphub/internal/cluster"
	"github.com/cdphub/cdphub/internal/hubtest"
	"github.com/cdphub/cdphub/internal/link"
)

// roaming is a way to one node after the other.
type roaming struct {
	to   atomic.Pointer[string]
	last atomic.Pointer[net.Conn]
}

// link makes a link to whichever node it leads to.
func (w *roaming) link(t *testing.T, header http.Header) *link.Pipe {
	t.Helper()
	var dialer net.Dialer
	p, err := link.Dialer{URL: "ws://hub.test/link", Header: header, Transport: &http.Transport{
		DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
			nc, err := dialer.DialContext(ctx, network, *w.to.Load())
			if err == nil {
				w.last.Store(&nc)
			}
			return nc, err
		},
	}}.Dial(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Close() })
	return p
}

// move cuts the connection; the next is to another node.
func (w *roaming) move(n node) {
	addr := n.addr(false)
	w.to.Store(&addr)
	(*w.last.Load()).Close()
}

// A link comes back at other nodes, which pass it on, and ends with its own.
func TestClusterLinkComesBackElsewhere(t *testing.T) {
	t.Parallel()
	nodes := startNodes(t, new(cluster.Memory), "abc", func(o *Options) {
		o.Tokens = Tokens{Client: hubtest.ClientToken, Host: hubtest.HostToken}
		o.AllowedHosts = []string{"hub.test"}
	})
	var way roaming
	addr := nodes[0].addr(false)
	way.to.Store(&addr)
	p := way.link(t, bearer(hubtest.ClientToken))
	for _, n := range []node{nodes[0], nodes[1], nodes[2], nodes[0]} {
		way.move(n)
		if a := askWithin(t, p, "GET /json/version HTTP/1.1", "Host: localhost"); a.Status != 200 {
			t.Errorf("over the link: %d %s", a.Status, a.Body)
		}
	}
	if n := nodes[0].links.table.Len(); n != 1 {
		t.Errorf("the node where the link began has %d links", n)
	}
	way.move(nodes[1])
	nodes[0].stop()
	if _, err := p.Read(make([]byte, 1)); err == nil {
		t.Error("the link has not ended with its node")
	}
}

// Whoever knows a link's key, and which node has it, has no more than before: its token is
// asked for at each node, and the link belongs to another token.
func TestClusterLinkOfAnotherToken(t *testing.T) {
	t.Parallel()
	nodes := startNodes(t, new(cluster.Memory), "ab", func(o *Options) {
		o.Tokens = Tokens{Client: hubtest.ClientToken, Host: hubtest.HostToken}
	})
	headers := func(epoch, node string) []string {
		return []string{
			"Sec-WebSocket-Protocol: " + link.Protocol, "Cdphub-Link-Key: kkkkkkkkkkkkkkkkkkkkkkkkkk",
			"Cdphub-Link-Epoch: " + epoch, "Cdphub-Link-Received: 0", "Cdphub-Link-Node: " + node,
		}
	}
	for _, c := range []struct {
		token, epoch, node string
		at, want           int
	}{
		{hubtest.ClientToken, "1", "id-a", 0, 101},
		{"", "2", "id-a", 1, 401},
		{hubtest.HostToken, "2", "id-a", 1, 401},
		{hubtest.ClientToken, "2", "id-none", 1, 410},
		{hubtest.ClientToken, "2", "id-b", 1, 410},
		{hubtest.ClientToken, "2", "", 1, 410},
		{hubtest.ClientToken, "2", "id-a", 1, 101},
		{hubtest.ClientToken, "2", "id-a", 1, 409},
	} {
		lines := headers(c.epoch, c.node)
		if c.token != "" {
			lines = append(lines, "Authorization: Bearer "+c.token)
		}
		if a := raw(t, nodes[c.at].addr(false), handshake("/link", lines...)); a.status != c.want {
			t.Errorf("%+v: %d %s", c, a.status, a.body)
		}
	}
}
