package server

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/cdphub/cdphub/internal/hubtest"
	"github.com/cdphub/cdphub/internal/link"
	"github.com/cdphub/cdphub/internal/wsconn"
)

// linkTo makes a link to a path of a server, such as /link.
func (s started) linkTo(t *testing.T, path string, header http.Header) (*link.Pipe, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	p, err := link.Dialer{URL: "ws://" + s.addr(false) + path, Header: header}.Dial(ctx)
	if err == nil {
		t.Cleanup(func() { p.Close() })
	}
	return p, err
}

func (s started) mustLink(t *testing.T, path string, header http.Header) *link.Pipe {
	t.Helper()
	p, err := s.linkTo(t, path, header)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// askWithin sends one request over a link, and returns the answer.
func askWithin(t *testing.T, p net.Conn, first string, lines ...string) hubtest.Answer {
	t.Helper()
	p.SetDeadline(time.Now().Add(within))
	if _, err := io.WriteString(p, asking(first, lines...)); err != nil {
		t.Fatal(err)
	}
	resp, err := http.ReadResponse(bufio.NewReader(p), nil)
	if err != nil {
		t.Fatalf("%s: %v", first, err)
	}
	defer resp.Body.Close()
	a := hubtest.Answer{Status: resp.StatusCode, Header: resp.Header}
	if resp.StatusCode != http.StatusSwitchingProtocols {
		body, err := io.ReadAll(resp.Body)
		if err != nil {
			t.Fatal(err)
		}
		a.Body = string(body)
	}
	return a
}

// forwarded is an address that leads into a server by links, one for each
// connection, as cdphub connect has it.
func (s started) forwarded(t *testing.T, header http.Header) (addr string) {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { ln.Close() })
	go func() {
		for {
			nc, err := ln.Accept()
			if err != nil {
				return
			}
			go func() {
				defer nc.Close()
				p, err := link.Dialer{URL: "ws://" + s.addr(false) + "/link", Header: header}.Dial(context.Background())
				if err != nil {
					return
				}
				defer p.Close()
				go func() {
					io.Copy(p, nc)
					p.CloseWrite()
				}()
				io.Copy(nc, p)
			}()
		}
	}()
	return ln.Addr().String()
}

// TestLinkCarriesEverything asks for discovery, drives a page, and speaks with action
// APIs by links.
func TestLinkCarriesEverything(t *testing.T) {
	s := start(t, withTokens)
	s.paired(t, hostToken)
	addr := s.forwarded(t, bearer(clientToken))
	status, body := s.get(t, addr, "/json/version", nil)
	if want := `"webSocketDebuggerUrl":"ws://` + addr + `/devtools/browser"`; status != 200 || !strings.Contains(strings.ReplaceAll(body, `": "`, `":"`), want) {
		t.Errorf("%d %s, want %s", status, body, want)
	}
	c := dial(t, "ws://"+addr+"/devtools/browser", nil)
	c.send(`{"id":1,"method":"Target.getTargets"}`)
	c.until(`"id":1`)
	c.send(`{"id":2,"method":"Target.attachToTarget","params":{"targetId":"T1","flatten":true}}`)
	c.until(`"id":2`)
	actions := dial(t, "ws://"+addr+"/ndjson", nil)
	actions.send(listSessions)
	actions.until(`"success":true`)
	header := http.Header{"Accept": {"application/json, text/event-stream"}, "Content-Type": {"application/json"}}
	if status, text := hubtest.MustPostJSON(t, "http://"+addr+"/mcp", header, []byte(initialize)); status != http.StatusOK || !strings.Contains(text, "protocolVersion") {
		t.Errorf("MCP: %d %s", status, text)
	}
	c.Conn.Close(wsconn.ReasonNormal)
	if why := c.Reason(); why != wsconn.ReasonNormal {
		t.Errorf("the Client ended with %v", why)
	}
}

// TestLinksEndWithTheHub wants what a Client is told at the end to come through.
func TestLinksEndWithTheHub(t *testing.T) {
	s := start(t, shortDrain)
	addr := s.forwarded(t, nil)
	c := dial(t, "ws://"+addr+"/devtools/browser", nil)
	c.send(`{"id":1,"method":"Browser.getVersion"}`)
	c.until(`"id":1`)
	s.stop()
	if why := c.Reason(); why != wsconn.ReasonShutdown {
		t.Errorf("the Client ended with %v", why)
	}
	if n := s.links.table.Len(); n > 0 {
		t.Errorf("%d links are left", n)
	}
}

// TestLinksMayBeSilentBeforeARequest has a request come later than over a connection of
// its own: a network that fails without a sign keeps it.
func TestLinksMayBeSilentBeforeARequest(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	p := s.mustLink(t, "/link", nil)
	time.Sleep(6 * time.Second) // 5 s is the limit for others
	if _, err := io.WriteString(p, "GET /json/version HTTP/1.1\r\nHost: localhost\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	res, err := http.ReadResponse(bufio.NewReader(p), nil)
	if err != nil {
		t.Fatal(err)
	}
	res.Body.Close()
	if res.StatusCode != http.StatusOK {
		t.Errorf("the answer is %s", res.Status)
	}
}
