package server

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/cdphub/cdphub/internal/link"
)

// lasting are the requests that last and are not in shareRoutes.
var lasting = []shareRoute{{"GET", "/ui/api/events", "", 200, 0}, {"WS", "/link", "", 101, 0}, {"WS", "/icdp/host", "", 101, 0}}

// TestR297RevokedTokensEndWhatLasts asks for every path with a token, and then revokes it:
// each connection comes to its end. TestR230EveryPathIsInTheWalk wants new paths in the table.
func TestR297RevokedTokensEndWhatLasts(t *testing.T) {
	const stays = "token-that-stays-here"
	operator := "tokens:\n  - {token: " + stays + ", role: client, hub: \"*\", scope: full}\n"
	change, rewrite := withFile(t, operator+"  - {token: "+clientToken+", role: client, hub: \"*\", scope: full}\n  - {token: "+hostToken+", role: host}\n")
	s := start(t, func(o *Options) { change(o); shortDrain(o); o.Timeline.On = true })
	host := dial(t, "ws://"+s.addr(true)+"/icdp/host", bearer(hostToken))
	host.send(`{"kind":"ready","v":1,"targets":[{"targetId":"T1"}]}`)
	s.knows(t, "T1")
	open := map[string]net.Conn{}
	for _, r := range append(lasting, shareRoutes...) {
		if strings.HasPrefix(r.path, "/json/close") {
			continue // the target is needed
		}
		token, addr := clientToken, s.addr(false)
		if r.path == "/icdp/host" {
			token, addr = hostToken, s.addr(true)
		}
		path, auth := strings.ReplaceAll(r.path, "ID", "T1"), "Authorization: Bearer "+token
		request := handshake(path, auth)
		if path == "/link" {
			request = handshake(path, auth, "Sec-WebSocket-Protocol: "+link.Protocol, "Cdphub-Link-Key: "+strings.Repeat("k", 26), "Cdphub-Link-Epoch: 1", "Cdphub-Link-Received: 0")
		}
		if r.method != "WS" {
			request = asking(r.method+" "+path+" HTTP/1.1", "Host: localhost", auth, "Connection: close", "Content-Type: application/json", fmt.Sprint("Content-Length: ", len(r.body))) + r.body
		}
		nc, err := net.Dial("tcp", addr)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { nc.Close() })
		io.WriteString(nc, request)
		resp, err := http.ReadResponse(bufio.NewReader(nc), nil)
		if err != nil {
			t.Fatal(path, err)
		}
		if r.method == "WS" && resp.StatusCode != http.StatusSwitchingProtocols {
			t.Errorf("%s: %d", path, resp.StatusCode)
		}
		open[r.method+" "+path] = nc
	}
	rewrite(operator)
	s.Reload()
	deadline := time.Now().Add(within)
	for path, nc := range open {
		nc.SetReadDeadline(deadline)
		if _, err := io.Copy(io.Discard, nc); err != nil && !strings.Contains(err.Error(), "reset") {
			t.Errorf("%s goes on after its token was revoked: %v", path, err)
		}
	}
}
