package server

import (
	"bytes"
	"crypto/tls"
	"fmt"
	"io"
	"net/http"
	"net/http/httputil"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"

	"github.com/cdphub/cdphub/internal/auth"
	"github.com/cdphub/cdphub/internal/cluster"
	"github.com/cdphub/cdphub/internal/hubtest"
	"github.com/cdphub/cdphub/internal/wsconn"
	"github.com/cdphub/cdphub/server/internal/front"
	"github.com/cdphub/cdphub/server/internal/membership"
)

// asNode asks the listener for other nodes, with a certificate of the cluster.
func (n node) asNode(t *testing.T, pair *tls.Certificate, path, assertion string) (int, string, error) {
	t.Helper()
	config := &tls.Config{InsecureSkipVerify: true, MinVersion: tls.VersionTLS13}
	if pair != nil {
		config.Certificates = []tls.Certificate{*pair}
	}
	tr := &http.Transport{TLSClientConfig: config}
	defer tr.CloseIdleConnections()
	req, err := http.NewRequest(http.MethodGet, "https://"+n.o.Listener.Addr().String()+path, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	if assertion != "" {
		req.Header.Set(membership.AssertionHeader, assertion)
	}
	resp, err := tr.RoundTrip(req)
	if err != nil {
		return 0, "", err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	return resp.StatusCode, string(body), err
}

// the listener for other nodes serves nobody without a certificate of the
// cluster and its key, and no assertion twice.
func TestR210PeerDoor(t *testing.T) {
	nodes := startNodes(t, new(cluster.Memory), "ab", func(o *Options) {
		o.Tokens = Tokens{Client: hubtest.ClientToken, Host: hubtest.HostToken}
	})
	a, b := nodes[0], nodes[1]
	if status, _ := a.get(t, a.addr(false), "/json/version", bearer(hubtest.ClientToken)); status != 200 {
		t.Fatal(status)
	}
	o, err := b.dir.Owner(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	const path = "/json/version"
	sign := func(change func(*membership.Assertion), key string, audience string) string {
		s := membership.NewSigner("id-b", []byte(strings.Repeat(key, 32)))
		v := &membership.Assertion{
			Method: "GET", URI: path, Host: a.o.Listener.Addr().String(), Hub: "", Epoch: o.Epoch, Listener: "clients",
			Pass: &auth.Verdict{Grant: auth.Grant{Role: auth.RoleClient, Hub: auth.EveryHub, Scope: auth.ScopeFull}},
		}
		change(v)
		text, err := s.Sign(v, audience)
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	same := func(*membership.Assertion) {}
	good := sign(same, "k", "id-a")
	if status, body, err := a.asNode(t, &a.o.Certificate, path, good); status != 200 {
		t.Fatalf("a good assertion: %d %s %v", status, body, err)
	}
	stranger := clusterKeys(t).Certificate
	for what, pair := range map[string]*tls.Certificate{"no certificate": nil, "another authority": &stranger} {
		if status, body, err := a.asNode(t, pair, path, sign(same, "k", "id-a")); err == nil {
			t.Errorf("%s: %d %s, want no TLS", what, status, body)
		}
	}
	for what, tt := range map[string]struct {
		assertion string
		status    int
	}{
		"none":            {"", 403},
		"no JWT":          {"x", 403},
		"a replay":        {good, 403},
		"another key":     {sign(same, "x", "id-a"), 403},
		"another node":    {sign(same, "k", "id-b"), 403},
		"another path":    {sign(func(v *membership.Assertion) { v.URI = "/json/list" }, "k", "id-a"), 403},
		"another method":  {sign(func(v *membership.Assertion) { v.Method = "POST" }, "k", "id-a"), 403},
		"another address": {sign(func(v *membership.Assertion) { v.Host = "x" }, "k", "id-a"), 403},
		"another hub":     {sign(func(v *membership.Assertion) { v.Hub = "x" }, "k", "id-a"), 403},
		"an old epoch":    {sign(func(v *membership.Assertion) { v.Epoch-- }, "k", "id-a"), 409},
		"no pass":         {sign(func(v *membership.Assertion) { v.Pass = nil }, "k", "id-a"), 403},
		"old":             {signAt(t, time.Now().Add(-time.Minute)), 403},
		"unsigned":        {"eyJhbGciOiJub25lIn0.e30.", 403},
	} {
		if status, body, err := a.asNode(t, &a.o.Certificate, path, tt.assertion); status != tt.status {
			t.Errorf("%s: %d %s %v, want %d", what, status, body, err, tt.status)
		}
	}
	if n := a.dir.Self().Hubs; n != 1 {
		t.Errorf("the node has claimed %d hubs, want the one it had", n)
	}
}

func signAt(t *testing.T, at time.Time) string {
	t.Helper()
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: jose.HS256, Key: bytes.Repeat([]byte("k"), 32)}, nil)
	if err != nil {
		t.Fatal(err)
	}
	text, err := jwt.Signed(signer).Claims(jwt.Claims{Audience: jwt.Audience{"id-a"}, IssuedAt: jwt.NewNumericDate(at)}).Serialize()
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// a request that is forwarded has the rights of its token and no others, and
// the token stays at the node that was asked.
func TestR211TokensStayBehind(t *testing.T) {
	file, rewrite := hubtest.TokenFile(t, tokensOf("readonly"))
	nodes := startNodes(t, new(cluster.Memory), "ab", func(o *Options) {
		o.Tokens = Tokens{File: file}
		withDevTools(t, o)
	})
	a, b := nodes[0], nodes[1]
	seen := &recorder{to: b.cluster.Transport}
	b.cluster.Transport = seen
	host := dial(t, "ws://"+a.addr(true)+"/icdp/host", bearer(hubtest.HostToken))
	host.send(ready)
	await(t, "the Host is there", func() bool {
		_, body := b.get(t, b.addr(false), "/json/list", bearer(hubtest.ClientToken))
		return strings.Contains(body, `"T1"`)
	})

	status, body := b.get(t, b.addr(false), "/json/version?token="+hubtest.ClientToken, nil)
	if want := "ws://" + b.addr(false) + "/devtools/browser?token=" + hubtest.ClientToken; status != 200 || !strings.Contains(body, want) {
		t.Errorf("%d %s, want %s", status, body, want)
	}
	inProtocol := raw(t, b.addr(false), handshake("/devtools/browser", "Sec-WebSocket-Protocol: bearer."+hubtest.ClientToken))
	if got := inProtocol.header.Get("Sec-Websocket-Protocol"); inProtocol.status != 101 || got != "bearer."+hubtest.ClientToken {
		t.Errorf("a token as a subprotocol: %d %q", inProtocol.status, got)
	}
	for _, token := range []string{hubtest.WrongToken, hubtest.HostToken} {
		if status, _ := b.get(t, b.addr(false), "/json/version", bearer(token)); status != 401 {
			t.Errorf("%s: %d, want 401", token, status)
		}
	}
	client := dial(t, "ws://"+b.addr(false)+"/devtools/browser", bearer(hubtest.ClientToken))
	id := client.attach()
	client.send(`{"id":1,"method":"Input.dispatchMouseEvent","params":{"type":"mousePressed","x":1,"y":1},"sessionId":"` + id + `"}`)
	if m := client.until(`"id":1,`); !strings.Contains(m, "scope") {
		t.Errorf("a readonly token clicks through another node: %s", m)
	}
	if text := seen.String(); strings.Contains(text, hubtest.ClientToken) || !strings.Contains(text, membership.AssertionHeader) {
		t.Errorf("the owner has seen the token, or nothing:\n%s", text)
	}
	byTicket := dial(t, "ws://"+b.addr(false)+b.socket(t, "T1", "Authorization: Bearer "+hubtest.ClientToken), nil)
	rewrite(strings.ReplaceAll(tokensOf("readonly"), hubtest.ClientToken, "another-token-of-clients"))
	b.Reload()
	for _, c := range []*far{client, byTicket} {
		if why := c.reason(); why != wsconn.ReasonTokenRevoked {
			t.Errorf("after its token was revoked a connection ended with %v", why)
		}
	}
}

func tokensOf(scope string) string {
	return "tokens:\n- {name: c, token: " + hubtest.ClientToken + ", role: client, hub: \"*\", scope: " + scope + "}\n" +
		"- {name: h, token: " + hubtest.HostToken + ", role: host, hub: \"*\"}\n"
}

// recorder writes down what is forwarded.
type recorder struct {
	to http.RoundTripper

	mu   sync.Mutex // guards text
	text strings.Builder
}

func (r *recorder) RoundTrip(req *http.Request) (*http.Response, error) {
	text, err := httputil.DumpRequestOut(req, false)
	if err != nil {
		return nil, err
	}
	r.mu.Lock()
	r.text.Write(text)
	r.mu.Unlock()
	return r.to.RoundTrip(req)
}

func (r *recorder) String() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.text.String()
}

// a late login, a ticket and a guest's key are for the owner to check.
func TestR211KeysOfTheOwner(t *testing.T) {
	nodes := startNodes(t, new(cluster.Memory), "ab", func(o *Options) {
		o.Tokens = Tokens{Client: hubtest.ClientToken, Host: hubtest.HostToken}
		withDevTools(t, o)
	})
	a, b := nodes[0], nodes[1]
	host := dial(t, "ws://"+a.addr(true)+"/icdp/host", bearer(hubtest.HostToken))
	host.send(ready)
	await(t, "the Host is there", func() bool {
		_, body := b.get(t, b.addr(false), "/json/list", bearer(hubtest.ClientToken))
		return strings.Contains(body, `"T1"`)
	})
	for token, want := range map[string]string{hubtest.ClientToken: `"result"`, hubtest.WrongToken: "Authentication failed"} {
		late := dial(t, "ws://"+b.addr(false)+"/ws", nil)
		late.send(`{"jsonrpc":"2.0","id":1,"method":"connect","params":{"token":"` + token + `"}}`)
		if m := late.until(`"id":1`); !strings.Contains(m, want) {
			t.Errorf("a late login with %s: %s, want %s", token, m, want)
		}
		late.Conn.Close(wsconn.ReasonNormal)
	}
	path := b.socket(t, "T1", "Authorization: Bearer "+hubtest.ClientToken)
	for _, want := range []int{101, 403} { // once
		if got := raw(t, b.addr(false), handshake(path)); got.status != want {
			t.Errorf("a ticket: %d %s, want %d", got.status, got.body, want)
		}
	}
	if status, _ := b.get(t, b.addr(false), "/ui/api/state", bearer(front.GuestPrefix+"x")); status != 401 {
		t.Errorf("the key of a guest that there is not: %d, want 401", status)
	}
	for i := range 100 { // nobody claims hubs without a token
		b.get(t, b.addr(false), fmt.Sprintf("/hub/h%d/ui/api/state", i), bearer(front.GuestPrefix+"x"))
		b.get(t, b.addr(false), fmt.Sprintf("/hub/h%d/devtools/page/T?ticket=x", i), nil)
		b.get(t, b.addr(false), fmt.Sprintf("/hub/h%d/json", i), bearer(hubtest.WrongToken))
	}
	if n := a.dir.Self().Hubs + b.dir.Self().Hubs; n != 1 {
		t.Errorf("strangers have made the nodes claim %d hubs, want the one", n)
	}
}

// S-07: a Client that does not read is ended by the owner's rule, as without another node
// between them, and costs no other Client a message.
func TestS07SlowClientOfAnotherNode(t *testing.T) {
	nodes := startNodes(t, new(cluster.Memory), "ab", func(o *Options) { o.Limits.MaxClientQueue = 1 << 20 })
	a, b := nodes[0], nodes[1]
	host := a.host(t)
	b.await(t, `"targetId":"T1"`)
	slow, quick := b.reader(t, "T1"), b.reader(t, "T1")
	slow.stop()
	slowEnded := func() bool {
		for _, c := range a.access.Closes.Last() {
			if c.Code == wsconn.ReasonSlowConsumer.Code {
				return true
			}
		}
		return false
	}
	sent, large := 0, strings.Repeat("x", 64<<10) // the kernel holds many small ones
	for ; !slowEnded(); sent++ {
		if sent == 1<<12 {
			t.Fatal("the slow Client is not ended after 256 MiB")
		}
		host.send(numbered("T1", sent, large))
		await(t, "the other Client keeps up", func() bool { return quick.seen.Load() > int64(sent)-4 })
	}
	await(t, "the other Client has all", func() bool { return quick.seen.Load() == int64(sent) })
	if bad := quick.bad.Load(); bad != nil {
		t.Errorf("it got %s", *bad)
	}
	t.Logf("ended after %d MiB", sent*len(large)>>20)
}
