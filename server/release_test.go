package server

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/zap"

	"github.com/cdphub/cdphub/server/internal/front"
)

// TestR94RefusedRequestsLeaveNoHub asks for what there is not, where hubs are
// named, and for WebSockets that cannot be: no hub is used any longer then, and
// none outlives it.
func TestR94RefusedRequestsLeaveNoHub(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := Options{ClientAddr: "127.0.0.1:0", HostAddr: "127.0.0.1:0"}
		s, err := makeServer(f, zap.NewNop())
		if err != nil {
			t.Fatal(err)
		}
		defer s.closeListeners()
		s.poller.Close() // no WebSocket comes about, and a goroutine in epoll_wait would keep the bubble waiting
		handler := s.handler(front.Audience{Clients: true, Hosts: true, Exposed: true})
		plain := http.Header{}
		socket := http.Header{
			"Connection": {"Upgrade"}, "Upgrade": {"websocket"}, "Sec-Websocket-Version": {"13"}, "Sec-Websocket-Key": {"dGhlIHNhbXBsZSBub25jZQ=="},
		}
		for i, path := range []string{
			"/devtools/page/nope", "/devtools/browser", "/devtools/nope", "/icdp/host", "/icdp/nope", "/cdp", "/json/version", "/json/list",
			"/json/nope", "/dialog", "/eval/nope.js", "/ndjson", "/ws", "/mcp", "/hooks", "/hooks/invoke", "/nope",
		} {
			for j, header := range []http.Header{plain, socket} {
				r := httptest.NewRequest(http.MethodGet, fmt.Sprintf("http://127.0.0.1:9222/hub/h%d-%d%s", i, j, path), nil)
				r.Header, r.RemoteAddr = header, "127.0.0.1:1"
				handler.ServeHTTP(httptest.NewRecorder(), r)
			}
		}
		time.Sleep(time.Minute) // longer than a hub outlives its last user
		synctest.Wait()
		if n := s.hubs.Len(); n > 0 {
			t.Errorf("%d hubs are left", n)
		}
	})
}
