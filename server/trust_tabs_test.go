package server

import (
	"net/http"
	"strings"
	"testing"

	"github.com/cdphub/cdphub/internal/hubtest"
)

const (
	ownToken      = "token-with-tabs-of-its-own"
	strangerToken = "token-of-somebody-else-too"
	everyToken    = "token-that-may-see-all-tabs"
	initialize    = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`
	listMCPTabs   = `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"browser_tabs","arguments":{"action":"list"}}}`
)

// beginMCP begins a session of MCP, whose id is in the header then.
func beginMCP(t *testing.T, address string, header http.Header) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, address, strings.NewReader(initialize))
	if err != nil {
		t.Fatal(err)
	}
	req.Header = header
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	header.Set("Mcp-Session-Id", resp.Header.Get("Mcp-Session-Id"))
}

// lists asks for the Targets by every way that there is.
func (s started) lists(t *testing.T, token, query string) map[string]string {
	t.Helper()
	said := make(map[string]string)
	for _, path := range []string{"/json/list", "/icdp/status", "/home.json"} {
		_, said[path] = s.get(t, s.addr(false), path+query, bearer(token))
	}
	for path, ask := range map[string]string{"/ndjson": `{"id":"1","action":"tab.list"}`, "/ws": listTabs, "/hooks": `{"id":1,"name":"browser.list"}`} {
		c := dial(t, "ws://"+s.addr(false)+path+query, bearer(token))
		c.send(ask)
		said[path] = c.next()
	}
	c := dial(t, "ws://"+s.addr(false)+"/devtools/browser"+query, bearer(token))
	c.send(`{"id":1,"method":"Target.getTargets"}`)
	said["/devtools/browser"] = c.next()
	base, header := "http://"+s.addr(false), bearer(token)
	_, said["/hooks/invoke"] = hubtest.MustPostJSON(t, base+"/hooks/invoke"+query, header, []byte(`{"name":"browser.list"}`))
	header.Set("Accept", "application/json, text/event-stream")
	header.Set("Content-Type", "application/json")
	beginMCP(t, base+"/mcp"+query, header)
	_, said["/mcp"] = hubtest.MustPostJSON(t, base+"/mcp"+query, header, []byte(listMCPTabs))
	return said
}

// TestR147CountsOfOthers asks how many Clients and sessions there are, with a token that sees
// its own tabs alone, beside a Client of another one.
func TestR147CountsOfOthers(t *testing.T) {
	change, _ := withFile(t, "tokens:\n  - {name: own, token: "+ownToken+", role: client, scope: full, tabs: own}\n"+
		"  - {name: all, token: "+everyToken+", role: client, scope: full}\n  - {token: "+hostToken+", role: host}\n")
	s := start(t, func(f *Options) { change(f) })
	s.paired(t, hostToken)
	other := dial(t, "ws://"+s.addr(false)+"/devtools/browser", bearer(everyToken))
	other.send(`{"id":1,"method":"Target.attachToTarget","params":{"targetId":"T1","flatten":true}}`)
	other.until(`"id":1,`)
	wants := func(token, query, clients, sessions string) {
		t.Helper()
		for _, path := range []string{"/icdp/status", "/home.json"} {
			_, said := s.get(t, s.addr(false), path+query, bearer(token))
			if !strings.Contains(said, `"clients":`+clients) || path == "/home.json" && !strings.Contains(said, `"sessions":`+sessions) {
				t.Errorf("%s%s: %s, want %s and %s", path, query, said, clients, sessions)
			}
		}
	}
	wants(everyToken, "", "1", "1")
	wants(ownToken, "", "0", "0")
	wants(ownToken, "?tabs=all", "0", "0")
	wants(everyToken, "?tabs=own", "0", "0")
	own := dial(t, "ws://"+s.addr(false)+"/devtools/browser", bearer(ownToken))
	own.send(`{"id":1,"method":"Target.getTargets"}`)
	own.until(`"id":1,`)
	wants(ownToken, "", "1", "0")
	wants(everyToken, "", "2", "1")
}
