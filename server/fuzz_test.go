package server

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"go.uber.org/zap"

	"github.com/cdphub/cdphub/internal/auth"
	"github.com/cdphub/cdphub/internal/browsers"
	"github.com/cdphub/cdphub/relay"
	"github.com/cdphub/cdphub/server/internal/front"
)

// hijackable is an answer whose connection can be taken over: its far end has
// gone already.
type hijackable struct{ *httptest.ResponseRecorder }

func (h hijackable) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	near, far := net.Pipe()
	go func() {
		bufio.NewReader(far).ReadString('\n') // HTTP/1.1 101
		far.Close()
	}()
	h.Code = http.StatusSwitchingProtocols
	return near, bufio.NewReadWriter(bufio.NewReader(near), bufio.NewWriter(near)), nil
}

// FuzzR58Routes sends the handlers of both listeners any request that net/http
// can read. None fails inside, and a refused name is never in an answer.
func FuzzR58Routes(f *testing.F) {
	const socket = "Connection: Upgrade\nUpgrade: websocket\nSec-WebSocket-Version: 13\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=="
	for _, seed := range [][4]string{
		{"GET", "/json/version", "localhost:9222", ""},
		{"GET", "//json/../version/", "evil.example", "Origin: https://evil.example"},
		{"PUT", "/json/new?http://a/?b&token=t", "x.localhost", "Sec-Fetch-Site: cross-site"},
		{"GET", "/hub/a/devtools/browser/id", "127.0.0.1", socket},
		{"GET", "/hub/%2e%2e/json/list?token=token-of-clients", "a.base.example:80", "Authorization: Bearer token-of-clients"},
		{"GET", "/devtools/page/T1", "[::1]:9222", socket + "\nSec-WebSocket-Protocol: a, bearer.token-of-clients"},
		{"GET", "/hub/a-b/icdp/host", "localhost", socket + "\nOrigin: http://localhost:3000\nX-Forwarded-For: 10.0.0.1, x"},
		{"POST", "/hub/x/dialog", "localhost", "Content-Type: text/plain\nContent-Length: 2"},
		{"get", "/json/close/T1", "localhost", ""},
		{"GET", "/eval/K.js", "LOCALHOST.", "If-None-Match: *"},
	} {
		f.Add(seed[0], seed[1], seed[2], seed[3], false)
		f.Add(seed[0], seed[1], seed[2], seed[3], true)
	}
	var open, guarded *Server
	for _, s := range []**Server{&open, &guarded} {
		flags := Options{NoListeners: true, BaseDomain: "base.example"}
		if s == &guarded {
			withTokens(&flags)
			flags.Tokens.TrustedProxies = []string{"127.0.0.1"}
		}
		made, err := makeServer(flags, zap.NewNop())
		if err != nil {
			f.Fatal(err)
		}
		f.Cleanup(made.Close)
		*s = made
	}
	f.Fuzz(func(t *testing.T, method, path, host, headers string, withTokens bool) {
		text := fmt.Sprintf("%s %s HTTP/1.1\r\nHost: %s\r\n%s\r\n\r\n", method, path, host, strings.ReplaceAll(headers, "\n", "\r\n"))
		s := open
		if withTokens {
			s = guarded
		}
		for _, exposed := range []bool{false, true} {
			req, err := http.ReadRequest(bufio.NewReader(io.LimitReader(strings.NewReader(text), 16<<10)))
			if err != nil || req.ProtoMajor != 1 || req.ProtoMinor != 1 {
				return
			}
			if s.hubs.Len() > 100 { // else there are too many in the end, which is a 503
				s.hubs = relay.NewHubs(relay.Options{})
				s.browsers = browsers.None(s.hubs)
			}
			req.RemoteAddr = "127.0.0.1:5"
			w := hijackable{httptest.NewRecorder()}
			s.handler(front.Audience{Clients: true, Hosts: true, Exposed: exposed}).ServeHTTP(w, req)
			if w.Code >= 500 && !strings.Contains(req.URL.Path, "/json/new") { // which wants a Host
				t.Fatalf("%q is answered with %d %s", text, w.Code, w.Body)
			}
			if s.rules.AllowHost(req.Host) {
				continue
			}
			const refusal = auth.ForeignHost
			if got := w.Body.String(); w.Code != http.StatusForbidden || got != refusal || len(req.Host) > 3 && strings.Contains(fmt.Sprint(w.Header()), req.Host) {
				t.Fatalf("%q with a refused Host is answered with %d %v %s", text, w.Code, w.Header(), got)
			}
		}
	})
}
