package bap

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cdphub/cdphub/actions"
	"github.com/cdphub/cdphub/internal/held/heldtest"
	"github.com/cdphub/cdphub/internal/wsconn"
	"github.com/cdphub/cdphub/relay/quota"
)

// TestSessions loses connections, and takes their sessions over.
func TestSessions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hub, srv := &fakeHub{}, New(Options{})
		c := hub.caller()
		begin := func(c actions.Caller) *peer {
			p := connect(t, srv, c)
			p.initialized("s")
			return p
		}
		launch := func(p *peer, want string) {
			t.Helper()
			p.send(`{"id":1,"method":"browser/launch"}`)
			p.wants(want)
			synctest.Wait()
		}
		lose := func(p *peer) {
			p.conn.Close(wsconn.ReasonNormal)
			<-p.why
			synctest.Wait()
		}
		first := begin(c)
		launch(first, `"browserId":"browser-1"`)
		lose(first)
		if hub.there() != 1 {
			t.Fatalf("a dormant session has %d connections", hub.there())
		}
		time.Sleep(299 * time.Second)
		second := begin(c)
		launch(second, `"browserId":"browser-1"`)
		third := begin(c)
		if why := <-second.why; why.Code != 4001 || why.Text != "Session replaced by newer connection" {
			t.Errorf("the older connection ended with %v", why)
		}
		synctest.Wait()
		launch(third, `"browserId":"browser-1"`)
		for name, change := range map[string]func(*actions.Caller){
			"another token": func(c *actions.Caller) { c.ID = "other" },
			"another scope": func(c *actions.Caller) { c.Scope = "standard" },
			"another hub":   func(c *actions.Caller) { c.Hub = "other" },
		} {
			other := c
			change(&other)
			p := begin(other)
			launch(p, `"browserId":"browser-1"`) // its own
			p.send(`{"id":2,"method":"shutdown"}`)
			p.wants(`"result":{}`)
			if hub.there() != 1 {
				t.Errorf("%s has the same session", name)
			}
		}
		lose(third)
		time.Sleep(299 * time.Second) // the time before the second connection does not count
		if hub.there() != 1 {
			t.Error("a session ends before its time")
		}
		time.Sleep(2 * time.Second)
		if hub.there() != 0 || len(srv.sessions) != 0 {
			t.Errorf("a session is still there after its time: %d connections", hub.there())
		}
		heldtest.WantsNothing(t, "the ledger", srv.quotas.Held())
	})
}

// TestSessionEndsWithServer ends the context of a server with a dormant session.
func TestSessionEndsWithServer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hub, srv := &fakeHub{}, New(Options{})
		near, far := wsconn.Pipe(hasty, hasty)
		ctx, end := context.WithCancel(context.Background())
		go srv.serve(ctx, near, hub.caller())
		p := &peer{t, far, make(chan string, 10), make(chan wsconn.Reason, 1)}
		go func() { p.why <- far.Serve(context.Background(), func(m []byte) { p.got <- string(m) }) }()
		p.initialized("s")
		p.send(`{"id":1,"method":"browser/launch"}`)
		p.wants("browser-1")
		far.Close(wsconn.ReasonNormal)
		<-p.why
		synctest.Wait()
		end()
		synctest.Wait()
		if hub.there() != 0 {
			t.Error("the session has outlived its server")
		}
	})
}

func TestTooManySessions(t *testing.T) {
	srv := New(Options{Sessions: 1})
	connect(t, srv, (&fakeHub{}).caller()).initialized("a")
	p := connect(t, srv, (&fakeHub{}).caller())
	p.send(fmt.Sprintf(initializing, `,"sessionId":"b"`))
	p.wants(`"code":-32000`, `"retryable":true`)
	p.initialized("")
}

// TestR247BAPSessions has a token begin all sessions that it may.
func TestR247BAPSessions(t *testing.T) {
	srv := New(Options{})
	c := (&fakeHub{}).caller()
	c.Quotas = quota.New(quota.Options{Bearers: func(string) int { return 3 }, Totals: map[quota.Resource]int64{quota.BAPSessions: 3}})
	c.ID, c.Payer.ID = "one", "one"
	connect(t, srv, c).initialized("a")
	connect(t, srv, c).initialized("b")
	p := connect(t, srv, c)
	p.send(`{"id":1,"method":"initialize","params":{"protocolVersion":"0.8.0","sessionId":"c"}}`)
	p.wants(`"code":-32000`, `"retryable":true`)
	c.ID, c.Payer.ID = "another", "another"
	connect(t, srv, c).initialized("b")
}
