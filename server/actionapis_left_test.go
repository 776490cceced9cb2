package server

import (
	"context"
	"io"
	"net/http"
	"os"
	"runtime"
	"strings"
	"testing"

	"github.com/cdphub/cdphub/internal/wire"
	"github.com/cdphub/cdphub/internal/wsconn"
)

// TestDialectsLeaveNothing has a thousand callers leave in the middle of a
// request that its page never answers. Nothing of them stays.
func TestDialectsLeaveNothing(t *testing.T) {
	s := start(t, func(f *Options) {
		f.Actions.BAPConnections, f.Actions.RequestRate, f.Actions.HookScopes = 100, 100_000, []string{"browser:read"}
	})
	host := dialTo(t, "ws://"+s.addr(true)+"/icdp/host", nil, func([]byte) {}) // it answers no command
	host.send(ready)
	s.await(t, `"hostConnected":true`)
	hub, release, err := s.hubs.Acquire("")
	if err != nil {
		t.Fatal(err)
	}
	defer release()
	const hook = `{"id":1,"name":"browser.snapshot","params":{"browserId":"T1"}}`
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	// cutOff has a call leave once it is at the hub.
	cutOff := func(call func(ctx context.Context)) {
		t.Helper()
		ctx, leave := context.WithCancel(t.Context())
		gone := make(chan struct{})
		go func() { defer close(gone); call(ctx) }()
		await(t, "the request runs", func() bool { return hub.Clients() == 1 })
		leave()
		<-gone
	}
	ask := func(ctx context.Context, method, path, session, body string) string {
		r, err := http.NewRequestWithContext(ctx, method, "http://"+s.addr(false)+path, strings.NewReader(body))
		if err != nil {
			t.Error(err)
			return ""
		}
		r.Header = http.Header{"Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"}}
		if session != "" {
			r.Header.Set("Mcp-Session-Id", session)
		}
		resp, err := client.Do(r)
		if err != nil {
			return "" // it has left
		}
		defer resp.Body.Close()
		io.Copy(io.Discard, resp.Body)
		return resp.Header.Get("Mcp-Session-Id")
	}
	socket := func(path string, messages ...string) func(context.Context) {
		return func(ctx context.Context) {
			conn, err := wsconn.Dial(ctx, "ws://"+s.addr(false)+path, nil, wsconn.Limits{})
			if err != nil {
				t.Error(err)
				return
			}
			for _, m := range messages {
				conn.Deliver(wire.Frame{Head: []byte(m)})
			}
			conn.Serve(ctx, func([]byte) {})
		}
	}
	round := func() {
		t.Helper()
		for _, call := range []func(context.Context){
			socket("/ndjson", `{"id":"1","action":"page.snapshot"}`),
			socket("/ws", `{"jsonrpc":"2.0","id":1,"method":"browser.snapshot"}`),
			socket("/hooks", hook),
			socket("/bap", initializeFrame, `{"jsonrpc":"2.0","id":2,"method":"observe/dom","params":{}}`),
			func(ctx context.Context) { ask(ctx, http.MethodPost, "/hooks/invoke", "", hook) },
		} {
			cutOff(call)
			await(t, "the caller has left the hub", func() bool { return hub.Clients() == 0 })
		}
		session := ask(t.Context(), http.MethodPost, "/mcp", "", initialize)
		cutOff(func(ctx context.Context) {
			ask(ctx, http.MethodPost, "/mcp", session, `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"browser_snapshot","arguments":{}}}`)
		})
		ask(t.Context(), http.MethodDelete, "/mcp", session, "")
		await(t, "the session has left the hub", func() bool { return hub.Clients() == 0 })
	}
	round() // what is made once
	runtime.GC()
	goroutines, open := runtime.NumGoroutine(), descriptors(t)
	for range 1000 / 6 {
		round()
	}
	await(t, "nothing is left", func() bool {
		return runtime.NumGoroutine() <= goroutines+2 && descriptors(t) <= open+2
	})
}

const initializeFrame = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"0.8.0","clientInfo":{"name":"t","version":"1"}}}`

// descriptors is how many this process has open.
func descriptors(t *testing.T) int {
	t.Helper()
	list, err := os.ReadDir("/dev/fd")
	if err != nil {
		t.Fatal(err)
	}
	return len(list)
}
