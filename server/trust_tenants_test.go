package server

import (
	"fmt"
	"strings"
	"testing"

	"github.com/cdphub/cdphub/internal/hubtest"
	"github.com/cdphub/cdphub/internal/wsconn"
)

// tenant connects a Host with the Target of hub NAME, and a Client on it.
func (s started) tenant(t *testing.T, name, title string) (host, c *far, tail string) {
	t.Helper()
	host = dial(t, "ws://"+s.addr(true)+"/hub/"+name+"/icdp/host", bearer("host-token-of-hub-"+name))
	host.send(`{"kind":"ready","v":1,"targets":[{"targetId":"of-` + name + `","title":"` + title + `","url":"http://` + name + `.example/"}]}`)
	c = dial(t, "ws://"+s.addr(false)+"/hub/"+name+"/devtools/browser", bearer("client-token-of-hub-"+name))
	await(t, "the Target is there", func() bool {
		c.send(`{"id":1,"method":"Target.getTargets"}`)
		return strings.Contains(c.next(), "of-"+name)
	})
	return host, c, c.attachTo("of-" + name)
}

func TestR90R91TenantsAreApart(t *testing.T) {
	var file strings.Builder
	file.WriteString("tokens:\n")
	for _, hub := range []string{"a", "b"} {
		for _, role := range []string{"client", "host"} {
			fmt.Fprintf(&file, "  - {token: %s-token-of-hub-%s, role: %s, hub: %s", role, hub, role, hub)
			if role == "client" {
				file.WriteString(", scope: full")
			}
			file.WriteString("}\n")
		}
	}
	change, _ := withFile(t, file.String())
	s := start(t, func(f *Options) { change(f); f.Tokens.TrustedProxies = []string{"127.0.0.0/8"} })
	hostA, a, tailA := s.tenant(t, "a", "secret-title-of-a")
	_, b, _ := s.tenant(t, "b", "title-of-b")

	from := 0 // an address for each, so that nobody is locked out
	ask := func(hosts bool, path, token string) said {
		from++
		got := raw(t, s.addr(hosts), handshake(path, "Authorization: Bearer "+token, fmt.Sprintf("X-Forwarded-For: 10.1.%d.%d", from>>8, from&255)))
		got.header.Del("Date")
		return got
	}
	t.Run("R-90 tokens", func(t *testing.T) {
		for _, path := range []string{"/devtools/browser", "/devtools/page/of-b", "/devtools/page/of-a", "/json/list", "/json/version", "/icdp/status", "/json/close/of-b"} {
			got, none := ask(false, "/hub/b"+path, "client-token-of-hub-a"), ask(false, "/hub/nobody"+path, "client-token-of-hub-a")
			if got.status != 401 || fmt.Sprint(got) != fmt.Sprint(none) {
				t.Errorf("%s of another hub: %v, want what a hub gets that does not exist: %v", path, got, none)
			}
		}
		got, none := ask(true, "/hub/b/icdp/host", "host-token-of-hub-a"), ask(true, "/hub/nobody/icdp/host", "host-token-of-hub-a")
		if got.status != 401 || fmt.Sprint(got) != fmt.Sprint(none) {
			t.Errorf("as Host of another hub: %v, want %v", got, none)
		}
	})
	t.Run("R-90 names", func(t *testing.T) {
		open := start(t, nil)
		for _, name := range []string{"..", ".", "a/b", "%2e%2e", "%2E", "%61%2fb", strings.Repeat("a", 300), strings.Repeat("a", 64), "A", "a%00", "a_b", "é", "", "a b", "a%20"} {
			path := "/hub/" + strings.ReplaceAll(name, " ", "%20") + "/json/list"
			want := 401
			if strings.HasPrefix(name, "a/") || name == "%61%2fb" { // the path /b/json/list of hub a
				want = 404
			}
			if got := ask(false, path, "client-token-of-hub-a"); got.status != want {
				t.Errorf("%.80s with the token of a: %d, want %d", path, got.status, want)
			}
			if got := raw(t, open.addr(false), asking("GET "+path+" HTTP/1.1", "Host: localhost")); got.status != 404 {
				t.Errorf("%.80s without tokens: %d, want 404", path, got.status)
			}
		}
		if n := open.hubs.Len(); n != 0 { // and a has no path /b/json/list
			t.Errorf("%d hubs were made, want none", n)
		}
	})
	t.Run("R-90 ids", func(t *testing.T) {
		idA := strings.TrimSuffix(strings.TrimPrefix(tailA, `,"sessionId":"`), `"}`)
		for _, tt := range []struct{ in, want string }{
			{`"method":"Runtime.evaluate"` + tailA, `"code":-32001,"message":"Session with given id not found."`},
			{`"method":"Target.detachFromTarget","params":{"sessionId":"` + idA + `"}}`, `"code":-32602,"message":"No session with given id"`},
			{`"method":"Target.attachToTarget","params":{"targetId":"of-a"}}`, `"code":-32602,"message":"No target with given id found"`},
			{`"method":"Target.getTargetInfo","params":{"targetId":"of-a"}}`, `"code":-32602,"message":"No target with given id found"`},
			{`"method":"Target.closeTarget","params":{"targetId":"of-a"}}`, `"success":true`}, // which nobody does
		} {
			b.send(`{"id":2,` + tt.in)
			if got := b.next(); !strings.Contains(got, tt.want) {
				t.Errorf("%s on hub b: got %s, want %s", tt.in, got, tt.want)
			}
		}
		for _, path := range []string{"/devtools/page/of-a", "/json/close/of-a", "/json/activate/of-a"} {
			if got := ask(false, "/hub/b"+path, "client-token-of-hub-b"); got.status != 404 {
				t.Errorf("%s on hub b: %v, want 404", path, got)
			}
		}
		marked(t, a, hostA, tailA) // nothing else came to the Host of a
	})
	t.Run("R-91 what b is told", func(t *testing.T) {
		var told strings.Builder
		for _, path := range []string{"/json", "/json/list", "/json/version", "/icdp/status", "/health", "/nothing"} {
			got := raw(t, s.addr(false), "GET /hub/b"+path+" HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nAuthorization: Bearer client-token-of-hub-b\r\n\r\n")
			fmt.Fprintln(&told, got.header, got.body)
		}
		for i, method := range []string{"Target.getTargets", "Target.getTargetInfo", "Target.getBrowserContexts", "Browser.getVersion"} {
			b.send(fmt.Sprintf(`{"id":%d,"method":%q}`, i, method))
			told.WriteString(b.next())
		}
		text := told.String()
		for _, secret := range []string{"of-a", "secret-title", "a.example", "hub/a"} {
			if strings.Contains(text, secret) {
				t.Errorf("hub b is told %s: %s", secret, text)
			}
		}
		if !strings.Contains(text, `"clients":1`) || strings.Count(text, `"targetId":"of-b"`) != 2 {
			t.Errorf("of hub b itself it is told: %s", text)
		}
	})
}

// TestR92NeighbourFloods has hub a at full speed, commands and events, while a
// Client of hub b sends one command at a time.
func TestR92NeighbourFloods(t *testing.T) {
	s := start(t, nil)
	s.echo(t, "/hub/b", "T1")
	b := s.clientOf(t, "/hub/b")
	tail := b.attachTo("T1")
	idle := make(chan struct{})
	close(idle)
	alone := b.trips(tail, 200, idle).p99()

	host := s.echo(t, "/hub/a", "T1", "T2")
	n := hubtest.Amount(15_000, 500_000)
	c, floodTail, all := s.flooder(t, "/hub/a", n)
	flooded := make(chan struct{})
	go func() {
		defer close(flooded)
		events := make(chan struct{})
		go func() {
			defer close(events)
			host.push(n, func(i int) string { return numbered("T2", i, "") })
		}()
		c.push(n, func(i int) string { return fmt.Sprintf(`{"id":%d,"method":"A.b","params":{}%s`, i, floodTail) })
		<-events
	}()
	beside := b.trips(tail, 100, flooded)
	all.wantsOne(t)
	t.Logf("p99 of hub b: %v alone, %v beside the flood: %.1f times", alone, beside.p99(), float64(beside.p99())/float64(alone))
}

// TestR92EachHubHasItsShare wants the connections of a Host, a Client and a named
// session to count for their hub.
func TestR92EachHubHasItsShare(t *testing.T) {
	s := start(t, nil)
	for name, path := range map[string]string{"host": "/icdp/host", "client": "/devtools/browser", "named": "/devtools/browser?session=s"} {
		dial(t, "ws://"+s.addr(name == "host")+"/hub/"+name+path, nil)
		hub, release, err := s.hubs.Acquire(name)
		if err != nil {
			t.Fatal(err)
		}
		defer release()
		hub.Control().Value(shareKey{}, func() any { t.Errorf("the connection of a %s has no share", name); return s.shares.Share() })
	}
}

// TestR93LargestQueueOfAllHubs has two hubs share the memory budget: the Client with the
// largest queue is closed, and that of the other hub, with a smaller one, misses nothing.
func TestR93LargestQueueOfAllHubs(t *testing.T) {
	out, log := infoLog()
	s := startLogged(t, log, func(f *Options) { f.Limits.MemoryBudget = 16 << 20 })
	hostA := dial(t, "ws://"+s.addr(true)+"/hub/c/icdp/host", nil)
	hostB := dial(t, "ws://"+s.addr(true)+"/hub/d/icdp/host", nil)
	hostA.send(readyWith("T1"))
	hostB.send(readyWith("T1"))
	s.awaitTarget(t, "/hub/c", "T1")
	s.awaitTarget(t, "/hub/d", "T1")
	a, b := s.readerOf(t, "/hub/c", "T1"), s.readerOf(t, "/hub/d", "T1")
	a.stop()
	resume := b.stop()
	const few = 1000 // 4 MiB: less than half of what there is
	for n := range few {
		hostB.send(numbered("T1", n, fill))
	}
	await(t, "they wait", func() bool { return s.hubs.Stats().Sent >= few })
	for n := 0; s.hubs.Stats().ClientClosed == 0; n++ {
		if n == 16_000 { // 64 MiB
			t.Fatal("the largest queue was not cut")
		}
		hostA.send(numbered("T1", n, fill))
		hostA.Conn.WaitBelow(1<<20, within)
	}
	out.Await(t, wsconn.ReasonMemory.Text)
	resume()
	b.wantsEvents(few)
	b.attachTo("T1") // it is connected still
}
