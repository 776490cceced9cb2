package main

import (
	"context"
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/cdphub/cdphub/internal/hubtest"
	"github.com/cdphub/cdphub/internal/wire"
	"github.com/cdphub/cdphub/internal/wsconn"
)

// dial connects to a splice and returns what it is sent.
func dial(t *testing.T, s *httptest.Server, path string) (*wsconn.Conn, <-chan string) {
	t.Helper()
	conn, err := wsconn.Dial(t.Context(), "ws"+strings.TrimPrefix(s.URL, "http")+path, nil, wsconn.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	got := make(chan string, 16)
	go conn.Serve(t.Context(), func(m []byte) { got <- string(m) })
	return conn, got
}

// expect fails unless exactly these messages come next.
func expect(t *testing.T, who string, got <-chan string, want ...string) {
	t.Helper()
	for _, w := range want {
		select {
		case m := <-got:
			if m != w {
				t.Errorf("%s got %q, want %q", who, m, w)
			}
		case <-time.After(hubtest.Within):
			t.Fatalf("%s got nothing, want %q", who, w)
		}
	}
}

func serve(t *testing.T) *httptest.Server {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	s := httptest.NewServer(newSplice(ctx).handler())
	t.Cleanup(func() { cancel(); s.Close() })
	return s
}

func TestInTurn(t *testing.T) {
	s := serve(t)
	host, toHost := dial(t, s, "/host")
	var got [3]<-chan string
	for i := range got {
		client, messages := dial(t, s, fmt.Sprintf("/client?place=%d&of=3", i))
		got[i] = messages
		client.Deliver(wire.Frame{Body: []byte("here")})
		expect(t, "the Host", toHost, "here")
	}
	for _, m := range []string{"a", "b", "c", "d"} {
		host.Deliver(wire.Frame{Body: []byte(m)})
	}
	expect(t, "Client 0", got[0], "a", "d")
	expect(t, "Client 1", got[1], "b")
	expect(t, "Client 2", got[2], "c")
}

func TestForward(t *testing.T) {
	s := serve(t)
	host, toHost := dial(t, s, "/host?copies=3")
	client, toClient := dial(t, s, "/client")
	client.Deliver(wire.Frame{Body: []byte("not JSON")})
	expect(t, "the Host", toHost, "not JSON")
	host.Deliver(wire.Frame{Body: []byte("a")})
	host.Deliver(wire.Frame{Body: []byte("b")})
	expect(t, "the Client", toClient, "a", "a", "a", "b", "b", "b")
}

func TestAnswer(t *testing.T) {
	s := serve(t)
	_, toHost := dial(t, s, "/host")
	client, toClient := dial(t, s, "/client?answer=2,3&tell=2")
	for _, m := range []string{"1", "2", "3", "4"} {
		client.Deliver(wire.Frame{Body: []byte(m)})
	}
	expect(t, "the Client", toClient, "xx", "xxx", "xx", "xxx", "xx", "xxx", "xx", "xxx")
	expect(t, "the Host", toHost, "2", "4")
}

func TestBadAnswer(t *testing.T) {
	s := serve(t)
	_, err := wsconn.Dial(t.Context(), "ws"+strings.TrimPrefix(s.URL, "http")+"/client?answer=2,x", nil, wsconn.Limits{})
	if err == nil || !strings.Contains(err.Error(), "400") {
		t.Errorf("the handshake ended with %v, want status 400", err)
	}
}
