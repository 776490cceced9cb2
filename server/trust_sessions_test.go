package server

import (
	"strings"
	"testing"

	"github.com/cdphub/cdphub/internal/wsconn"
)

func TestF12R29ForeignSessionsDoNotExist(t *testing.T) {
	s := start(t, nil)
	host, a, b := s.host(t), s.client(t), s.client(t)
	tail := `,"sessionId":"` + a.attach() + `"}`
	id := strings.TrimSuffix(strings.TrimPrefix(tail, `,"sessionId":"`), `"}`)
	for _, tt := range []struct{ send, want string }{
		{`{"id":1,"method":"Runtime.evaluate"` + tail, `{"id":1,"error":{"code":-32001,"message":"Session with given id not found."}}`},
		{`{"id":2,"method":"Target.detachFromTarget","params":{"sessionId":"` + id + `"}}`, `{"id":2,"error":{"code":-32602,"message":"No session with given id"}}`},
		{`{"id":3,"result":{}` + tail, `{"id":3,"error":{"code":-32600,`},
	} {
		b.send(tt.send)
		if got := b.next(); !strings.HasPrefix(got, tt.want) {
			t.Errorf("%s: got %s, want %s", tt.send, got, tt.want)
		}
	}
	a.send(`{"id":4,"method":"Page.enable"` + tail)
	if got := host.next(); !strings.Contains(got, "Page.enable") {
		t.Errorf("the Host saw %s before the owner's own command", got)
	}
}

func TestR30SessionsAreNotRevived(t *testing.T) {
	s := start(t, nil)
	host, a, b := s.host(t), s.client(t), s.client(t)
	const gone = `"error":{"code":-32001,"message":"Session with given id not found."}`
	replay := func(what string, c *far, id string) {
		t.Helper()
		c.send(`{"id":7,"method":"Page.enable","sessionId":"` + id + `"}`)
		if got := c.until(`"id":7`); !strings.Contains(got, gone) {
			t.Errorf("%s: got %s, want -32001", what, got)
		}
	}
	ofA, ofB := a.attach(), b.attach()
	a.Conn.Close(wsconn.ReasonNormal)
	s.await(t, `"clients":1`)
	replay("after its Client has left", b, ofA)
	host.send(`{"kind":"targetDestroyed","targetId":"T1"}`)
	b.until("Target.detachedFromTarget")
	replay("after its Target has ended", b, ofB)
	host.send(`{"kind":"targetCreated","target":{"targetId":"T1","title":"One","url":"http://app/1"}}`)
	s.await(t, `"targetId":"T1"`)
	replay("after a Target of that id has come back", b, ofB)
	s.stop()
	again := start(t, nil)
	again.host(t)
	replay("after the hub was started anew", again.client(t), ofB)
}
