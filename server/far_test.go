package server

import (
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/cdphub/cdphub/internal/hubtest"
	"github.com/cdphub/cdphub/internal/wsconn"
)

const (
	within = hubtest.Within
	ready  = hubtest.Ready
)

// far is the far end of a WebSocket to the server.
type far struct {
	*hubtest.Peer
	t *testing.T
}

func dial(t *testing.T, url string, header http.Header) *far {
	t.Helper()
	return &far{hubtest.Dial(t, url, header), t}
}

// dialTo is dial with a function for each message.
func dialTo(t *testing.T, url string, header http.Header, handle func([]byte)) *far {
	t.Helper()
	return &far{hubtest.DialTo(t, url, header, handle), t}
}

func (p *far) send(m string)            { p.Send(m) }
func (p *far) next() string             { p.T.Helper(); return p.Next() }
func (p *far) wants(m string)           { p.T.Helper(); p.Wants(m) }
func (p *far) until(want string) string { p.T.Helper(); return p.Until(want) }
func (p *far) reason() wsconn.Reason    { p.T.Helper(); return p.Reason() }

func bearer(token string) http.Header { return hubtest.Bearer(token) }

// said is what a listener says to a request.
type said struct {
	status int
	header http.Header
	body   string
}

// raw sends bytes as they stand and reads one answer.
func raw(t *testing.T, addr, request string) said {
	t.Helper()
	a := hubtest.Raw(t, addr, request)
	return said{a.Status, a.Header, a.Body}
}

func asking(first string, lines ...string) string   { return hubtest.Request(first, lines...) }
func handshake(path string, lines ...string) string { return hubtest.Handshake(path, lines...) }

func await(t *testing.T, what string, holds func() bool) {
	t.Helper()
	hubtest.Eventually(t, what, holds)
}

// endsAfter sends bytes and wants the server to end the connection.
func endsAfter(t *testing.T, what, addr, sent string) {
	t.Helper()
	nc, err := net.Dial("tcp", addr)
	if err != nil {
		t.Error(err)
		return
	}
	defer nc.Close()
	nc.SetDeadline(time.Now().Add(within))
	io.WriteString(nc, sent)
	if _, err := io.ReadAll(nc); err != nil && !strings.Contains(err.Error(), "reset") {
		t.Errorf("%s: %v", what, err)
	}
}
