package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"strings"
	"testing"
	"time"

	"github.com/cdphub/cdphub/internal/hubtest"
	"github.com/cdphub/cdphub/internal/wsconn"
	"github.com/cdphub/cdphub/server"
)

// TestR329DoctorGoesThePublicWay puts proxies with faults in front of the hub, and wants each fault to be found on the
// way through --public-url, with what to do.
func TestR329DoctorGoesThePublicWay(t *testing.T) {
	t.Setenv("PATH", t.TempDir()) // without a Chromium
	guarded := []string{"--client-token=a-token-of-clients", "--host-token=a-token-of-hosts--"}
	type fault func(hub string) http.Handler
	passing := func(change func(*httputil.ProxyRequest)) fault {
		return func(hub string) http.Handler {
			return &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
				r.Out.URL.Scheme, r.Out.URL.Host = "http", hub
				change(r)
			}}
		}
	}
	good := passing(func(*httputil.ProxyRequest) {})
	answer := func(h http.Handler) fault { return func(string) http.Handler { return h } }
	for _, tt := range []struct {
		name  string
		proxy fault
		path  string // of the public URL
		args  []string
		state state
		found string
		cure  string
	}{
		{"nothing is wrong", good, "", guarded, fine, "without data", ""},
		{"nothing is wrong below a path", func(hub string) http.Handler { return http.StripPrefix("/cdp", good(hub)) }, "/cdp/", guarded, fine, "without data", ""},
		{"no tokens", good, "", nil, warning, "no tokens", "--tokens"},
		{"tokens of a file", good, "", []string{"--tokens=TOKENS"}, fine, "without data", ""},
		{"the host is not passed on", passing(func(r *httputil.ProxyRequest) { r.Out.Host = "" }), "", guarded, failing, "in place of ws://", "$http_host"},
		{"another name is passed on", passing(func(r *httputil.ProxyRequest) { r.Out.Host = "backend" }), "", guarded, failing, "403", "$http_host"},
		{"the port is not passed on", passing(func(r *httputil.ProxyRequest) { r.Out.Host = "127.0.0.1" }), "", guarded, fine, "without data", ""},
		{"the path is not taken off", good, "/cdp", guarded, failing, "404", "take the path"},
		{"no Upgrade", passing(func(r *httputil.ProxyRequest) { r.Out.Header.Del("Upgrade"); r.Out.Header.Del("Connection") }), "", guarded, failing, "426", "Upgrade"},
		{"no token", passing(func(r *httputil.ProxyRequest) { r.Out.Header.Del("Authorization") }), "", guarded, failing, "401", "Authorization"},
		{"the hub is elsewhere", passing(func(r *httputil.ProxyRequest) { r.Out.URL.Host = hubtest.FreeAddr(t) }), "", guarded, failing, "502", "--client-addr"},
		{"a time-out", idle(good, 100*time.Millisecond), "", guarded, failing, "before the hub's first ping", "proxy_read_timeout"},
		{"the hub wants a token", answer(http.HandlerFunc(endWithoutLogin)), "", guarded, warning, "wants a token", "--client-token"},
		{"a redirect", answer(http.RedirectHandler("https://other.example/", http.StatusMovedPermanently)), "", guarded, failing, "https://other.example/", "redirects to"},
		{"another program", answer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			fmt.Fprintf(w, "%*s ws://%s/devtools/browser", maxPublicAnswer, "{}", r.Host)
		})), "", guarded, failing, "another program", "--public-url"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			addr := hubtest.FreeAddr(t)
			proxy := httptest.NewServer(tt.proxy(addr))
			defer proxy.Close()
			args := []string{"doctor", "--json", "--client-addr", addr, "--host-addr", addr, "--ping-every=300ms", "--public-url", proxy.URL + tt.path}
			file, _ := hubtest.TokenFile(t, "tokens: [{name: a, token: token-of-somebody, role: client}, {name: b, token: token-of-some-host, role: host}]")
			for _, arg := range tt.args {
				args = append(args, strings.Replace(arg, "TOKENS", file, 1))
			}
			wantPublic(t, args, tt.state, tt.found, tt.cure)
		})
	}
	t.Run("a hub that runs", func(t *testing.T) {
		file, _ := hubtest.TokenFile(t, "tokens: [{name: a, token: token-of-somebody, role: client}, {name: b, token: token-of-some-host, role: host}]")
		srv, err := server.New(server.Options{ClientAddr: "127.0.0.1:0", HostAddr: "127.0.0.1:0", Tokens: server.Tokens{File: file}, Drain: time.Millisecond})
		if err != nil {
			t.Fatal(err)
		}
		hubtest.Run(t, srv.Run)
		args := []string{"doctor", "--json", "--client-addr", srv.ClientAddr(), "--host-addr", srv.ClientAddr(), "--ping-every=300ms", "--tokens", file, "--public-url"}
		wantPublic(t, append(args, "http://"+srv.ClientAddr()), fine, "without data", "")
		wantPublic(t, append(args, "http://localhost:1"), failing, "connection refused", "lead to the proxy")
	})
	t.Run("nobody listens", func(t *testing.T) {
		wantPublic(t, append([]string{"doctor", "--json", "--client-addr=127.0.0.1:0", "--public-url=http://" + hubtest.FreeAddr(t)}, guarded...), failing, "connection refused", "lead to the proxy")
	})
}

// endWithoutLogin is a hub that runs, to which a token came on no WebSocket.
func endWithoutLogin(w http.ResponseWriter, r *http.Request) {
	if r.Header.Get("Upgrade") == "" {
		fmt.Fprintf(w, "ws://%s/devtools/browser", r.Host)
		return
	}
	conn, err := wsconn.Upgrade(w, r, wsconn.Options{})
	if err != nil {
		return
	}
	conn.Close(wsconn.ReasonNoLogin)
	conn.Serve(r.Context(), func([]byte) {})
}

// wantPublic wants the last finding about the public URL.
func wantPublic(t *testing.T, args []string, state state, found, cure string) {
	t.Helper()
	var out bytes.Buffer
	err := run(t.Context(), args, &out, io.Discard) // wrong where a Chromium is missing, too
	var got struct{ Findings []finding }
	if none := json.Unmarshal(out.Bytes(), &got); none != nil {
		t.Fatalf("%v, %v: %s", err, none, out.String())
	}
	var last finding
	for _, f := range got.Findings {
		if f.Check == publicCheck {
			last = f
		}
	}
	if last.State != state || !strings.Contains(last.Found, found) || !strings.Contains(last.Cure, cure) || (last.Cure == "") != (cure == "") {
		t.Errorf("found %+v, want %s %q, to do: %q\n%v", last, state, found, cure, got.Findings)
	}
}

// idle is a proxy that ends WebSockets after a while.
func idle(proxy func(string) http.Handler, after time.Duration) func(string) http.Handler {
	return func(hub string) http.Handler {
		next := proxy(hub)
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Header.Get("Upgrade") != "" {
				ctx, cancel := context.WithTimeout(r.Context(), after)
				defer cancel()
				r = r.WithContext(ctx)
			}
			next.ServeHTTP(w, r)
		})
	}
}
