package server

import (
	"encoding/json"
	"net"
	"net/http"
	"strings"
	"testing"

	"github.com/cdphub/cdphub/internal/cluster"
	"github.com/cdphub/cdphub/internal/hubtest"
	"github.com/cdphub/cdphub/internal/link"
	"github.com/cdphub/cdphub/server/internal/front"
	"github.com/cdphub/cdphub/server/internal/sandboxes"
)

// twoWithSandbox are two nodes, and a sandbox that was made through the first.
func twoWithSandbox(t *testing.T) (nodes []node, name, token string) {
	t.Helper()
	nodes = startNodes(t, new(cluster.Memory), "ab", func(o *Options) {
		o.Tokens = Tokens{Client: hubtest.ClientToken, Host: hubtest.HostToken}
		o.Browsers = &Browsers{Run: hubtest.RunFakeBrowser, Hubs: []string{"sandbox-*"}}
	})
	status, body := hubtest.MustPostJSON(t, "http://"+nodes[0].addr(false)+sandboxes.Path, bearer(hubtest.ClientToken), []byte("{}"))
	if status != http.StatusCreated {
		t.Fatalf("%d %s", status, body)
	}
	return nodes, field(body, "sandboxID"), field(body, "accessToken")
}

// A sandbox is at one node, and its token is good at all of them.
func TestClusterSandboxes(t *testing.T) {
	nodes, name, token := twoWithSandbox(t)
	for _, n := range nodes {
		for given, want := range map[string]int{token: 200, hubtest.ClientToken: 200, hubtest.WrongToken: 401, "": 401} {
			header := http.Header{}
			if given != "" {
				header = bearer(given)
			}
			if status, body := n.get(t, n.addr(false), "/hub/"+name+"/json/version", header); status != want {
				t.Errorf("at %s with the token %q: %d %s, want %d", n.o.Directory.Self().Name, given, status, body, want)
			}
		}
	}
}

// Sandboxes are made, listed, read and deleted through whichever node, those of a node
// without browsers included.
func TestClusterSandboxesThroughAnyNode(t *testing.T) {
	all := new(cluster.Memory)
	nodes := startNodes(t, all, "abc", func(o *Options) {
		o.Tokens = Tokens{Client: hubtest.ClientToken, Host: hubtest.HostToken}
		if name := o.Cluster.Directory.Self().Name; name != "a" {
			o.Browsers = &Browsers{Run: hubtest.RunFakeBrowser, Hubs: []string{"sandbox-*"}}
		}
	})
	made := map[string]node{}
	for range 2 {
		for _, n := range nodes {
			got, record := n.sandbox(t, "POST "+sandboxes.Path+"?x=1")
			if got.status != http.StatusCreated || !strings.HasPrefix(record.WSEndpoint, "ws://"+n.addr(false)+"/hub/sandbox-") || record.AccessToken == "" {
				t.Fatalf("through %s: %d %s", n.dir.Self().Name, got.status, got.body)
			}
			made[record.SandboxID] = n
		}
	}
	for _, n := range nodes[1:] {
		if n.browsers.Numbers().Running == 0 {
			t.Errorf("node %s has none of %d sandboxes", n.dir.Self().Name, len(made))
		}
	}
	for _, n := range nodes {
		list := n.listSandboxes(t)
		if len(list.Sandboxes) != len(made) || len(list.Missing) > 0 {
			t.Errorf("node %s lists %+v", n.dir.Self().Name, list)
		}
		for i, record := range list.Sandboxes {
			if !strings.HasPrefix(record.WSEndpoint, "ws://"+n.addr(false)+"/") || record.AccessToken != "" || i > 0 && record.CreatedAt.Before(list.Sandboxes[i-1].CreatedAt) {
				t.Errorf("node %s lists %+v", n.dir.Self().Name, record)
			}
		}
	}
	for name := range made {
		for _, n := range nodes {
			if got, record := n.sandbox(t, "GET "+sandboxes.Path+"/"+name); got.status != 200 || record.SandboxID != name {
				t.Errorf("%s at %s: %d %s", name, n.dir.Self().Name, got.status, got.body)
			}
		}
		if got, _ := nodes[0].sandbox(t, "DELETE "+sandboxes.Path+"/"+name); got.status != http.StatusNoContent {
			t.Errorf("DELETE: %d %s", got.status, got.body)
		}
		for _, n := range nodes {
			if got, _ := n.sandbox(t, "GET "+sandboxes.Path+"/"+name); got.status != http.StatusNotFound {
				t.Errorf("after its end, at %s: %d %s", n.dir.Self().Name, got.status, got.body)
			}
		}
	}
	if got, _ := nodes[0].sandbox(t, "DELETE "+sandboxes.Path+"/"+front.SandboxPrefix+strings.Repeat("b", front.SandboxRandom)); got.status != http.StatusNotFound {
		t.Errorf("one that there never was: %d %s", got.status, got.body)
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ln.Close()
	all.Join(cluster.Node{ID: "id-dead", Name: "dead", Peer: ln.Addr().String()}).Tell(&cluster.Browsers{})
	if list := nodes[0].listSandboxes(t); len(list.Missing) != 1 || list.Missing[0] != "dead" {
		t.Errorf("with a node that does not answer: %+v", list)
	}
}

type sandboxList struct {
	Sandboxes []sandboxes.Record
	Missing   []string
}

func (n node) listSandboxes(t *testing.T) (list sandboxList) {
	t.Helper()
	got, _ := n.sandbox(t, "GET "+sandboxes.Path)
	if err := json.Unmarshal([]byte(got.body), &list); err != nil || got.status != 200 {
		t.Fatalf("%d %s: %v", got.status, got.body, err)
	}
	return list
}

// The token of another owner lists and sees none of them, through whichever node.
func TestR211SandboxesOfAnotherToken(t *testing.T) {
	tokens, _ := withFile(t, strings.NewReplacer("ALL", clientToken, "OTHER", otherToken).Replace(`tokens:
- {name: all, token: ALL, role: client, hub: "*", scope: full}
- {name: other, token: OTHER, role: client, hub: "*", scope: full}
`))
	nodes := startNodes(t, new(cluster.Memory), "ab", func(o *Options) {
		tokens(o)
		o.Browsers = &Browsers{Run: hubtest.RunFakeBrowser, Hubs: []string{"sandbox-*"}}
	})
	if got, _ := nodes[0].sandbox(t, "POST "+sandboxes.Path); got.status != http.StatusCreated {
		t.Fatalf("%d %s", got.status, got.body)
	}
	for _, n := range nodes {
		if status, body := n.get(t, n.addr(false), sandboxes.Path, bearer(otherToken)); status != 200 || strings.Contains(body, front.SandboxPrefix) {
			t.Errorf("another token lists at %s: %d %s", n.dir.Self().Name, status, body)
		}
		if list := n.listSandboxes(t); len(list.Sandboxes) != 1 {
			t.Errorf("the token lists at %s: %+v", n.dir.Self().Name, list)
		}
	}
}

// At the nodes that have not made a sandbox, its paths that no other node serves want a
// token of the cluster.
func TestClusterSandboxPathsOfTheNode(t *testing.T) {
	nodes, name, _ := twoWithSandbox(t)
	below := "/hub/" + name
	for _, path := range []string{"/link", "/home.json", "/none"} {
		a := raw(t, nodes[1].addr(false), handshake(below+path, "Sec-WebSocket-Protocol: "+link.Protocol,
			"Cdphub-Link-Key: kkkkkkkkkkkkkkkkkkkkkkkkkk", "Cdphub-Link-Epoch: 1", "Cdphub-Link-Received: 0"))
		if a.status != http.StatusUnauthorized {
			t.Errorf("%s without a token: %d %s", path, a.status, a.body)
		}
	}
}

// field is a text of a JSON object.
func field(object, name string) string {
	_, rest, _ := strings.Cut(object, `"`+name+`":"`)
	value, _, _ := strings.Cut(rest, `"`)
	return value
}
