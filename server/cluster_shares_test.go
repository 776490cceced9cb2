package server

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"go.uber.org/zap"

	"github.com/cdphub/cdphub/internal/auth"
	"github.com/cdphub/cdphub/internal/cluster"
	"github.com/cdphub/cdphub/internal/hubtest"
	"github.com/cdphub/cdphub/internal/wsconn"
	"github.com/cdphub/cdphub/server/internal/membership"
)

// sharingNodes have the tokens of several owners. All but a have browsers.
func sharingNodes(t *testing.T, log *zap.Logger, names string) []node {
	t.Helper()
	file, _ := hubtest.TokenFile(t, shareTokens)
	return startNodesLogged(t, log, new(cluster.Memory), names, func(o *Options) {
		o.Tokens.File = file
		withDevTools(t, o)
		if o.Cluster.Directory.Self().Name != "a" {
			o.Browsers = &Browsers{Run: hubtest.RunPageBrowser, Max: 20}
		}
	})
}

// TestR234SharesThroughEachNode asks nodes with and without browsers.
func TestR234SharesThroughEachNode(t *testing.T) {
	nodes := sharingNodes(t, zap.NewNop(), "ab")
	a, b := nodes[0], nodes[1]
	for token, hub := range map[string]string{annsToken: "_" + ownShare(annsToken), bobsToken: "_" + ownShare(bobsToken), teamToken: "_team", mateToken: "_team"} {
		for _, n := range nodes {
			for path, said := range n.lists(t, token, "") {
				// Node a knows nothing of hubs that it does not have.
				if n.dir.Self().Name == "a" && path == "/home.json" {
					continue
				}
				if !strings.Contains(said, "/of-"+hub) || strings.Count(said, "_token-") > strings.Count(said, hub) {
					t.Errorf("node %s, %s with %s: %s, want the page of %q", n.dir.Self().Name, path, token, said, hub)
				}
			}
		}
		if o, err := a.dir.Owner(t.Context(), hub); err != nil || o.Node.Name != "b" {
			t.Errorf("the hub %q is %v's, %v; want b's", hub, o.Node.Name, err)
		}
	}
	if _, err := a.dir.Owner(t.Context(), ""); err == nil {
		t.Error("the hub that the address names has an owner")
	}
	if got := b.hubsThere(); slices.Contains(got, "") || len(got) != 3 {
		t.Errorf("node b has the hubs %q", got)
	}
	if n := a.hubs.Len(); n != 0 {
		t.Errorf("node a has %d hubs", n)
	}
	if got := raw(t, a.addr(false), asking("GET /hub/_team/json/list HTTP/1.1", "Host: localhost", "Authorization: Bearer "+annsToken)); got.status != 401 {
		t.Errorf("the address of another share: %d", got.status)
	}
	if status, body := a.get(t, a.addr(false), "/hub/_team/json/list", bearer(rootsToken)); status != 200 || !strings.Contains(body, "/of-_team") {
		t.Errorf("root at the address of a share: %d %s", status, body)
	}
	_, path, _ := strings.Cut(a.ticketSocket(t, "of-_team", teamToken), "/")
	dial(t, "ws://"+a.addr(false)+"/"+path, nil).Conn.Close(wsconn.ReasonNormal)
}

// ticketSocket is the address of the socket of DevTools, as the front end is told it.
func (n node) ticketSocket(t *testing.T, target, token string) string {
	t.Helper()
	got := raw(t, n.addr(false), asking("GET /devtools/ui/?target="+target+" HTTP/1.1", "Host: "+n.addr(false), "Authorization: Bearer "+token))
	_, query, ok := strings.Cut(got.header.Get("Location"), "?ws=")
	if !ok {
		t.Fatalf("%d %v", got.status, got.header)
	}
	return strings.NewReplacer("%2F", "/", "%3A", ":", "%3F", "?", "%3D", "=").Replace(query)
}

// TestR234LoginAtAnotherNode shows the token after the handshake: to the node that has the
// browser, and to one that cannot pass the connection on any more.
func TestR234LoginAtAnotherNode(t *testing.T) {
	nodes := sharingNodes(t, zap.NewNop(), "ab")
	for i, want := range []string{"send the token with the handshake", `"permissions":["full"]`} {
		c := dial(t, "ws://"+nodes[i].addr(false)+"/ws", nil)
		c.send(`{"jsonrpc":"2.0","id":2,"method":"connect","params":{"auth":{"token":"` + annsToken + `"}}}`)
		if got := c.next(); !strings.Contains(got, want) {
			t.Errorf("node %s: %s, want %s", nodes[i].dir.Self().Name, got, want)
		}
	}
	if _, err := nodes[0].dir.Owner(t.Context(), ""); err == nil {
		t.Error("the handshakes have claimed the hub that the address names")
	}
	if n := nodes[0].hubs.Len(); n != 0 {
		t.Errorf("node a has %d hubs", n)
	}
	// A connection of a share ends when another node takes the hub.
	c := dial(t, "ws://"+nodes[1].addr(false)+"/ws", nil)
	c.send(`{"jsonrpc":"2.0","id":2,"method":"connect","params":{"auth":{"token":"` + annsToken + `"}}}`)
	c.next()
	hub := "_" + ownShare(annsToken)
	o, err := nodes[1].dir.Owner(t.Context(), hub)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := nodes[0].dir.Claim(t.Context(), hub, o.Epoch); err != nil {
		t.Fatal(err)
	}
	if why := c.reason(); why != wsconn.ReasonMoved {
		t.Errorf("the connection was closed with %v", why)
	}
}

// TestR234NodesThatDisagree has a node that knows nothing of shares pass requests on.
func TestR234NodesThatDisagree(t *testing.T) {
	nodes := sharingNodes(t, zap.NewNop(), "ab")
	a, b := nodes[0], nodes[1]
	team := auth.Verdict{Grant: auth.Grant{Role: auth.RoleClient, Scope: auth.ScopeFull, Share: "team"}, Bearer: auth.NewSecret(teamToken).Hash()}
	ann := auth.Verdict{Grant: auth.Grant{Role: auth.RoleClient, Scope: auth.ScopeFull}, Bearer: auth.NewSecret(annsToken).Hash()}
	for _, tt := range []struct {
		path, hub string
		pass      auth.Verdict
		status    int
	}{
		{"/json/list", "", ann, 503},
		{"/json/list", "_team", ann, 503},
		{"/json/list", "", team, 503},
		{"/json/list", "work_team", team, 403},
		{"/hub/work/json/list", "_team", team, 403},
		{"/json/list", "_team", team, 200},
		{"/hub/_team/json/list", "_team", team, 200},
	} {
		s := membership.NewSigner("id-a", a.o.Key)
		text, err := s.Sign(&membership.Assertion{
			Method: http.MethodGet, URI: tt.path, Host: b.o.Listener.Addr().String(), Hub: tt.hub, Listener: "clients", Claim: true, Pass: &tt.pass,
		}, "id-b")
		if err != nil {
			t.Fatal(err)
		}
		if status, body, err := b.asNode(t, &a.o.Certificate, tt.path, text); status != tt.status || status == 200 && !strings.Contains(body, "/of-_team") {
			t.Errorf("%s for the hub %q: %d %s %v, want %d", tt.path, tt.hub, status, body, err, tt.status)
		}
	}
	if got := b.browsers.Numbers().Started; got != 1 {
		t.Errorf("%d browsers were started, want that of the team", got)
	}
}

// TestR234SharesOutliveTheirNode drains the node of a share, whose named session ended
// with its browser: the next node says so to the share alone.
func TestR234SharesOutliveTheirNode(t *testing.T) {
	out, log := infoLog()
	nodes := sharingNodes(t, log, "bc")
	b, c := nodes[0], nodes[1]
	const socket = "/devtools/browser?session=work&resume=on"
	for _, n := range []node{b, c} { // whichever node has it
		dial(t, "ws://"+n.addr(false)+socket, bearer(teamToken)).next()
	}
	owner, err := b.dir.Owner(t.Context(), "_team")
	if err != nil {
		t.Fatal(err)
	}
	if owner.Node.Name == "c" {
		b, c = c, b
	}
	b.stop()
	if got := c.refusal(t, socket, teamToken); got.status != http.StatusGone || !strings.Contains(got.body, "browser has ended") {
		t.Errorf("the session of the share: %d %s, want 410", got.status, got.body)
	}
	if got := c.refusal(t, socket, mateToken); got.status != http.StatusSwitchingProtocols {
		t.Errorf("the same name for another token of the share: %d %s", got.status, got.body)
	}
	if text := out.String(); strings.Contains(text, "could not be handed over") {
		t.Error(text)
	}
}
