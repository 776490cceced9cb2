package conformance

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"github.com/cdphub/cdphub/internal/hubtest"
	"github.com/cdphub/cdphub/relay"
	"github.com/cdphub/cdphub/server"
)

// asker asks a person by one of the action APIs: begin answers the link and the id,
// wait and cancel the state in the API's own words.
type asker struct {
	begin        func(t *testing.T, instructions string) (answer string)
	wait, cancel func(t *testing.T, id string) (answer string)
}

// ofCDP are words that only Clients of CDP know.
var ofCDP = regexp.MustCompile(`CdpHub|Invalid parameters|of this session`)

// TestHandoff asks a person to act on a page by every action API: the link opens once,
// and what the person says is what the caller learns.
func TestHandoff(t *testing.T) {
	t.Parallel()
	s := newStage(t, func(o *server.Options) { o.Actions.BAPAllPages = true })
	for _, kind := range kinds {
		hub, release, err := s.Hub(t.Context(), strings.TrimPrefix(kind.prefix, "/hub/"))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(release)
		owner := hubtest.Dial(t, "ws://"+s.ClientAddr()+kind.prefix+"/ws", nil)
		owner.Send(`{"jsonrpc":"2.0","id":1,"method":"browser.open_tab","params":{"url":"` + s.app.URL + `/form.html"}}`)
		var opened struct{ Result struct{ ID string } }
		if text := owner.Next(); json.Unmarshal([]byte(text), &opened) != nil || opened.Result.ID == "" {
			t.Fatalf("no page: %s", text)
		}
		for name, ask := range askers(t, s, kind.prefix, opened.Result.ID) {
			for _, end := range []relay.HandoffReason{relay.HandoffDone, relay.HandoffCancelled} {
				t.Run(string(kind.TargetKind)+"/"+name+"/"+string(end), func(t *testing.T) { handOff(t, hub, ask, end) })
			}
			t.Run(string(kind.TargetKind)+"/"+name+"/R340 taken back", func(t *testing.T) { takeBack(t, hub, ask) })
		}
	}
}

var (
	handoffTicket = regexp.MustCompile(`/#handoff=([0-9A-F]{32})`)
	handoffID     = regexp.MustCompile(`(?:"handoff_?[iI]d":"|handoffId )([0-9A-F]{32})`)
)

func handOff(t *testing.T, hub *relay.Hub, ask asker, end relay.HandoffReason) {
	begun := ask.begin(t, "Please log in.")
	link, id := handoffTicket.FindStringSubmatch(begun), handoffID.FindStringSubmatch(begun)
	if link == nil || id == nil {
		t.Fatalf("neither link nor id: %s", begun)
	}
	if again := ask.begin(t, "Once more."); handoffTicket.MatchString(again) || !strings.Contains(again, "already open") || !strings.Contains(again, id[1]) || ofCDP.MatchString(again) {
		t.Errorf("a second one: %s", again)
	}
	key, err := hub.Control().OpenHandoff(link[1], relay.Opener{})
	if _, twice := hub.Control().OpenHandoff(link[1], relay.Opener{}); err != nil || twice == nil {
		t.Errorf("the link opens: %v, and once more: %v", err, twice)
	}
	h, known := hub.Control().HandoffByKey(key)
	if !known || h.ID != id[1] || h.Instructions != "Please log in." {
		t.Fatalf("the person finds %+v, %t", h, known)
	}
	done := end == relay.HandoffDone
	if hub.Control().AnswerHandoff(h.ID, "", done) != nil || hub.Control().AnswerHandoff(h.ID, "", done) == nil {
		t.Error("it does not end once")
	}
	want := map[relay.HandoffReason]string{relay.HandoffDone: `"state":"done"|says that it is done`, relay.HandoffCancelled: `"state":"cancelled"|has cancelled`}[end]
	if said := ask.wait(t, h.ID); !regexp.MustCompile(want).MatchString(said) {
		t.Errorf("it has ended as %s, and the caller hears %s", end, said)
	}
	if said := ask.wait(t, "F00"); !strings.Contains(said, `F00`) {
		t.Errorf("one that there is not: %s", said)
	}
}

// takeBack cancels a handoff that somebody has opened, and begins another.
func takeBack(t *testing.T, hub *relay.Hub, ask asker) {
	begun := ask.begin(t, "Please log in.")
	link, id := handoffTicket.FindStringSubmatch(begun), handoffID.FindStringSubmatch(begun)
	if link == nil || id == nil {
		t.Fatalf("neither link nor id: %s", begun)
	}
	key, err := hub.Control().OpenHandoff(link[1], relay.Opener{})
	if err != nil {
		t.Fatal(err)
	}
	cancelled := regexp.MustCompile(`"state":"cancelled"|is cancelled`)
	for range 2 { // the second time says the same
		if said := ask.cancel(t, id[1]); !cancelled.MatchString(said) {
			t.Errorf("it is cancelled, and the caller hears %s", said)
		}
	}
	if _, open := hub.Control().HandoffByKey(key); open {
		t.Error("its guest stays")
	}
	if said := ask.cancel(t, "F00"); !strings.Contains(said, "F00") || ofCDP.MatchString(said) {
		t.Errorf("one that there is not: %s", said)
	}
	again := handoffID.FindStringSubmatch(ask.begin(t, "Once more."))
	if again == nil || hub.Control().AnswerHandoff(again[1], "", true) != nil {
		t.Fatalf("another one does not begin: %v", again)
	}
	if said := ask.cancel(t, again[1]); !regexp.MustCompile(`"state":"done"|says that it is done`).MatchString(said) {
		t.Errorf("it was done before, and the caller hears %s", said)
	}
}

// askers are the action APIs, each on the same page.
func askers(t *testing.T, s *stage, prefix, id string) map[string]asker {
	t.Helper()
	ws := func(path string) *hubtest.Peer { return hubtest.Dial(t, "ws://"+s.ClientAddr()+prefix+path, nil) }
	send := func(p *hubtest.Peer, request string) string {
		p.Send(request)
		return p.Next()
	}
	lines, rpc, hook := ws("/ndjson"), ws("/ws"), ws("/hooks")
	lines.Send(`{"id":"0","action":"tab.list","params":{}}`)
	alias := regexp.MustCompile(`"page_id":"(page-\d+)","url":"[^"]*/form.html"`).FindStringSubmatch(lines.Next())
	if alias == nil {
		t.Fatal("the page has no alias")
	}
	bap := s.launched(t, prefix+"/bap")
	mcp := connectMCP(t, s, prefix)
	said := func(t *testing.T, tool string, arguments object) string {
		t.Helper()
		arguments["pageId"] = id
		text, _, _ := mcp.call(t, tool, arguments)
		return text
	}
	reply := func(method, params string) string {
		result, failed := bap.reply(bap.request(method, params))
		if failed != nil {
			return failed.raw
		}
		return string(result)
	}
	return map[string]asker{
		"NDJSON": {
			func(_ *testing.T, text string) string {
				return send(lines, `{"id":"1","action":"page.handoff","params":{"page_id":"`+alias[1]+`","instructions":"`+text+`"}}`)
			},
			func(_ *testing.T, id string) string {
				return send(lines, `{"id":"1","action":"page.handoff_wait","params":{"page_id":"`+alias[1]+`","handoff_id":"`+id+`"}}`)
			},
			func(_ *testing.T, id string) string {
				return send(lines, `{"id":"1","action":"page.handoff_cancel","params":{"page_id":"`+alias[1]+`","handoff_id":"`+id+`"}}`)
			},
		},
		"JSONRPC": {
			func(_ *testing.T, text string) string {
				return send(rpc, `{"jsonrpc":"2.0","id":1,"method":"browser.handoff","params":{"tab_id":"`+id+`","instructions":"`+text+`"}}`)
			},
			func(_ *testing.T, handoff string) string {
				return send(rpc, `{"jsonrpc":"2.0","id":1,"method":"browser.handoff_wait","params":{"tab_id":"`+id+`","handoff_id":"`+handoff+`"}}`)
			},
			func(_ *testing.T, handoff string) string {
				return send(rpc, `{"jsonrpc":"2.0","id":1,"method":"browser.handoff_cancel","params":{"tab_id":"`+id+`","handoff_id":"`+handoff+`"}}`)
			},
		},
		"Hooks": {
			func(_ *testing.T, text string) string {
				return send(hook, `{"id":1,"name":"browser.handoff","params":{"browserId":"`+id+`","instructions":"`+text+`"}}`)
			},
			func(_ *testing.T, handoff string) string {
				return send(hook, `{"id":1,"name":"browser.handoffWait","params":{"browserId":"`+id+`","handoffId":"`+handoff+`"}}`)
			},
			func(_ *testing.T, handoff string) string {
				return send(hook, `{"id":1,"name":"browser.handoffCancel","params":{"browserId":"`+id+`","handoffId":"`+handoff+`"}}`)
			},
		},
		"BAP": {
			func(_ *testing.T, text string) string {
				return reply("action/handoff", `{"pageId":"`+id+`","instructions":"`+text+`"}`)
			},
			func(_ *testing.T, handoff string) string {
				return reply("action/handoffWait", `{"pageId":"`+id+`","handoffId":"`+handoff+`"}`)
			},
			func(_ *testing.T, handoff string) string {
				return reply("action/handoffCancel", `{"pageId":"`+id+`","handoffId":"`+handoff+`"}`)
			},
		},
		"MCP": {
			func(t *testing.T, text string) string {
				return said(t, "browser_handoff", object{"instructions": text})
			},
			func(t *testing.T, handoff string) string {
				return said(t, "browser_handoff_wait", object{"handoffId": handoff})
			},
			func(t *testing.T, handoff string) string {
				return said(t, "browser_handoff_cancel", object{"handoffId": handoff})
			},
		},
	}
}
