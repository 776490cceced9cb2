package server

import (
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil"

	"github.com/cdphub/cdphub/internal/browsers"
	"github.com/cdphub/cdphub/internal/logging/logtest"
	"github.com/cdphub/cdphub/relay"
)

// TestR103PanicEndsOneConnection has the hub panic over a message of one
// Client, with another beside it.
func TestR103PanicEndsOneConnection(t *testing.T) {
	var out logtest.Buffer
	l := logtest.Open(t, &out)
	srv, err := makeServer(Options{ClientAddr: "127.0.0.1:0", HostAddr: "localhost:0", Drain: time.Millisecond}, l.Logger)
	if err != nil {
		t.Fatal(err)
	}
	srv.hubs = relay.NewHubs(relay.Options{Upload: func([]byte, func(int64) error) ([]byte, error) { panic("a fault") }})
	srv.browsers = browsers.None(srv.hubs)
	s := startServer(t, srv)
	host := dial(t, "ws://"+s.addr(true)+"/icdp/host", nil)
	host.send(strings.Replace(ready, `"v":1,`, `"v":1,"features":["uploads"],`, 1))
	s.await(t, `"hostConnected":true`)
	unlucky, other := s.client(t), s.client(t)
	session := other.attach()
	unlucky.send(`{"id":1,"method":"DOM.setFileInputFiles","params":{"files":["/x"]},"sessionId":"` + unlucky.attach() + `"}`)
	if r := unlucky.reason(); r.Code != 1011 {
		t.Errorf("the connection was closed with %v, want 1011", r)
	}
	s.await(t, `"clients":1`)
	other.send(`{"id":2,"method":"Page.enable","sessionId":"` + session + `"}`)
	host.until(`"Page.enable"`)
	s.client(t).attach()
	s.stop()
	text := out.String()
	faults := 0
	for _, line := range logtest.Read(t, text) {
		if line.Level == "error" {
			faults++
		}
	}
	if faults != 1 || !strings.Contains(text, `"panic":"a fault"`) || !strings.Contains(text, "relay.(*Client).upload") {
		t.Errorf("%d lines tell of faults, want one with the stack:\n%s", faults, text)
	}
	if got := testutil.ToFloat64(s.access.Panics); got != 1 {
		t.Errorf("%v panics are counted, want 1", got)
	}
}

// clumsy is an Observer with a fault, which otherwise wants nothing.
type clumsy struct{ relay.Observer }

func (clumsy) Wants(string) bool { return false }

func (clumsy) Detached(string) {}

func (clumsy) Ended(relay.Past) {}

func (clumsy) Web(targetID string, _ bool) {
	if targetID == "T2" {
		panic("a fault")
	}
}

// TestR103PanicOverAHost has the hub panic over a message of a Host, beside another.
func TestR103PanicOverAHost(t *testing.T) {
	var out logtest.Buffer
	l := logtest.Open(t, &out)
	srv, err := makeServer(Options{ClientAddr: "127.0.0.1:0", HostAddr: "localhost:0", Drain: time.Millisecond}, l.Logger)
	if err != nil {
		t.Fatal(err)
	}
	srv.hubs = relay.NewHubs(relay.Options{Observe: func(*relay.Hub) relay.Observer { return clumsy{} }})
	srv.browsers = browsers.None(srv.hubs)
	s := startServer(t, srv)
	unlucky := s.host(t)
	unlucky.send(`{"kind":"targetCreated","target":{"targetId":"T2"}}`)
	if r := unlucky.reason(); r.Code != 1011 {
		t.Errorf("the connection was closed with %v, want 1011", r)
	}
	s.host(t)
	s.client(t).attach()
	s.stop()
	if got := testutil.ToFloat64(s.access.Panics); got != 1 {
		t.Errorf("%v panics are counted, want 1", got)
	}
}
