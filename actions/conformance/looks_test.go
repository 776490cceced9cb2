package conformance

import (
	"io"
	"net/http"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cdphub/cdphub/actions"
	"github.com/cdphub/cdphub/internal/hubtest"
)

// TestR444SnapshotsInEachAPI asks each API for as much of a page with 300 rows as it wants: by call, and by connection.
func TestR444SnapshotsInEachAPI(t *testing.T) {
	t.Parallel()
	s := newStage(t, nil)
	const most = 200 // tokens
	few := object{"tokens": most}
	for _, kind := range kinds {
		t.Run(string(kind.TargetKind), func(t *testing.T) {
			t.Parallel()
			address := s.app.URL + "/tasks.html#rows"
			dial := func(path string) *hubtest.Peer {
				return hubtest.Dial(t, "ws"+strings.TrimPrefix(s.base(kind.prefix), "http")+path, nil)
			}
			text := func(of object, name string) string { text, _ := of[name].(string); return text }
			wantCut := func(of object, text string) {
				t.Helper()
				cut, _ := of["cut"].(object)
				if cut == nil || cut["all"].(float64) < 300 || cut["shown"].(float64) >= cut["all"].(float64) || len(text) > most*4 || len(text) < most*2 {
					t.Errorf("a snapshot of %d tokens has %d characters, and says %v", most, len(text), cut)
				}
			}

			n := ndjsonHands{dial("/ndjson?snapshot-mode=delta")}
			page := text(n.do("tab.new", object{"url": address}), "page_id")
			n.do("page.snapshot", object{"page_id": page})
			ref := n.find(thing{role: "checkbox", name: "Order 3"})
			got, _ := n.do("page.click", object{"page_id": page, "ref": ref})["snapshot"].(object)
			if changes := text(got, "tree_yaml"); got["delta"] != true || !strings.Contains(changes, "1 chosen") || !strings.Contains(changes, "[checked]") || len(changes) > 300 {
				t.Errorf("NDJSON: a click changes %v", got)
			}
			if got := n.do("page.hover", object{"page_id": page, "ref": ref, "snapshot": "none"}); got["snapshot"] != nil {
				t.Errorf("NDJSON: a snapshot that is not wanted: %v", got)
			}
			got = n.do("page.snapshot", object{"page_id": page, "snapshot": few})
			wantCut(got, text(got, "tree_yaml"))
			if got := n.do("page.snapshot", object{"page_id": page}); got["delta"] != nil || got["cut"] != nil || len(text(got, "tree_yaml")) < 20_000 {
				t.Errorf("NDJSON: a whole snapshot has %d characters", len(text(got, "tree_yaml")))
			}
			n.Send(`{"id":"9","action":"page.click","params":{"selector":"h1","snapshot":"all"}}`)
			if said := n.Next(); !strings.Contains(said, "field `snapshot` is string \\\"all\\\": it must be") {
				t.Errorf("NDJSON: %s", said)
			}
			plain := ndjsonHands{dial("/ndjson")}
			if got := plain.do("page.hover", object{"page_id": page, "selector": "h1"}); got["snapshot"] != nil {
				t.Errorf("NDJSON: a snapshot without a request for it: %v", got)
			}

			browsers := s.openPage(t, kind.prefix, "/tasks.html#rows")
			h := dial("/hooks")
			hook := func(name string, params object) object {
				t.Helper()
				params["browserId"] = browsers.browser
				h.Send(string(mustMarshal(object{"id": 1, "name": "browser." + name, "params": params})))
				answer := parse(t, h.Next())
				if answer["ok"] != true {
					t.Fatalf("%s %v: %v", name, params, answer)
				}
				return answer["result"].(object)
			}
			got = hook("snapshot", object{"snapshot": few})
			wantCut(got, text(got, "markdown"))
			lines := text(hook("snapshot", object{"maxElements": 1000}), "markdown")
			at := strings.Index(lines, "] Ship 1\n")
			id, _, _ := strings.Cut(lines[strings.LastIndex(lines[:at], "[")+1:], " ")
			got, _ = hook("click", object{"elementId": id, "returnSnapshot": "delta"})["snapshot"].(object)
			if changes := text(got, "markdown"); got["delta"] != true || !strings.Contains(changes, "["+id+" button] Shipped") {
				t.Errorf("hooks: a click changes %v", got)
			}

			j := jsonrpcHands{dial("/ws")}
			j.do("open_tab", object{"url": address})
			got = j.do("snapshot", object{"snapshot": few})
			wantCut(got, string(mustMarshal(got["elements"])))
			if got := j.do("snapshot", object{}); got["cut"] != nil || len(mustMarshal(got["elements"])) < 20_000 {
				t.Errorf("browser.*: a whole snapshot has %d characters", len(mustMarshal(got["elements"])))
			}
			j.Send(`{"jsonrpc":"2.0","id":1,"method":"browser.snapshot","params":{"snapshot":"delta"}}`)
			if said := j.Next(); !strings.Contains(said, "refs of this API are positions") {
				t.Errorf("browser.*: %s", said)
			}

			b := bapHands{s.launched(t, kind.prefix+"/bap")}
			b.page(address)
			got = b.do("observe/ariaSnapshot", object{"snapshot": few})
			wantCut(got, text(got, "snapshot"))
			if got := b.do("observe/ariaSnapshot", object{}); got["cut"] != nil || len(text(got, "snapshot")) < 10_000 {
				t.Errorf("BAP: a whole snapshot has %d characters", len(text(got, "snapshot")))
			}
			m := join(t, s, &sdk.StreamableClientTransport{Endpoint: s.base(kind.prefix) + "/mcp?image-responses=omit"})
			m.use(t, "browser_tabs", object{"action": "new", "url": address, "snapshot": "none"})
			if said, pictures, failed := m.call(t, "browser_take_screenshot", object{}); failed || pictures != 0 || !strings.Contains(said, "which is left out") {
				t.Errorf("MCP: %d pictures, which are left out: %s", pictures, said)
			}
			m.refuses(t, "browser_click", object{"target": "h1", "snapshot": "all"}, "neither none, delta, full, nor a number of tokens")

			if kind.TargetKind == actions.BrowserTarget {
				return
			}
			for _, path := range []string{"/ndjson", "/mcp", "/hooks/invoke"} {
				r, err := http.Post(s.base(kind.prefix)+path+"?snapshot-mode=all", "application/json", strings.NewReader("{}"))
				if err != nil {
					t.Fatal(err)
				}
				said, _ := io.ReadAll(r.Body)
				r.Body.Close()
				if path != "/ndjson" && (r.StatusCode != http.StatusBadRequest || !strings.Contains(string(said), "snapshot-mode: none, delta, full")) {
					t.Errorf("%s with a mode that there is not: %d %s", path, r.StatusCode, said)
				}
			}
		})
	}
}
