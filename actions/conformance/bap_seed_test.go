package conformance

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/cdphub/cdphub/internal/hubtest"
)

// TestBAPSeed sends what the protocol's documents show.
func TestBAPSeed(t *testing.T) {
	t.Parallel()
	s := newAgents(t, nil)
	t.Run("the health check", func(t *testing.T) {
		if status, body := hubtest.Get(t, s.ClientAddr(), "/health", nil); status != http.StatusOK || strings.TrimSpace(body) != `{"status":"ok","version":"0.8.0"}` {
			t.Errorf("/health: %d %s", status, body)
		}
	})
	for _, kind := range kinds {
		slow := s.launched(t, kind.prefix+"/")
		slow.page(s.app.URL + "/form.html")
		never := slow.request("page/navigate", fmt.Sprintf(`{"url":%q}`, s.app.URL+"/never"))
		t.Run(string(kind.TargetKind)+"/the default time limit", func(t *testing.T) {
			t.Parallel()
			slow.T = t
			if _, failed := slow.reply(never); failed == nil || failed.Code != -32016 || !*failed.Data.Retryable || failed.Data.Details["timeout"] != 30_000.0 {
				t.Errorf("%+v, want -32016 after 30 s", failed)
			}
		})
		t.Run(string(kind.TargetKind), func(t *testing.T) {
			t.Parallel()
			a := s.launched(t, kind.prefix+"/")
			a.page(s.app.URL + "/form.html")
			for _, x := range []struct {
				name string
				try  func(t *testing.T, s *stage, a *agent)
			}{
				{"initialize", initializes},
				{"a request and its success", navigates},
				{"an error", isNotFound},
				{"a notification", notifies},
				{"tools of the page", discovers},
				{"twenty requests in flight", answersTwenty},
			} {
				t.Run(x.name, func(t *testing.T) {
					a.T = t
					x.try(t, s, a)
				})
			}
		})
	}
}

// TestR312FirstMessage sends page/navigate first, as the documents do (BAP 0.8.0, "Request"): without
// initialize, browser/launch and page/create. The reference's order works as before.
func TestR312FirstMessage(t *testing.T) {
	t.Parallel()
	s := newAgents(t, nil)
	for _, kind := range kinds {
		t.Run(string(kind.TargetKind), func(t *testing.T) {
			a := s.agent(t, kind.prefix+"/", nil)
			navigates(t, s, a)
			var list struct{ Pages []struct{ URL string } }
			if err := json.Unmarshal([]byte(a.must("page/list", `{}`)), &list); err != nil || len(list.Pages) != 1 {
				t.Errorf("the client's pages are %v, want its own: %v", list.Pages, err)
			}
			if got := a.must("page/evaluate", `{"expression":"1+1"}`); got != `{"type":"number","value":2}` {
				t.Errorf("page/evaluate answers %s", got)
			}
			navigates(t, s, a) // on the same page
			a.must("initialize", initializeParams)
			a.fails("initialize", initializeParams, -32002)
			a.lists("/noisy.html")
			a.must("shutdown", `{"closePages":true}`)
			a.fails("page/navigate", `{"url":"about:blank"}`, -32001)

			b := s.agent(t, kind.prefix+"/bap", nil)
			b.fails("page/list", `{}`, -32001)
			b.must("initialize", initializeParams)
			b.fails("page/navigate", `{"url":"`+s.app.URL+`/two.html"}`, -32011)
		})
	}
}

func initializes(t *testing.T, s *stage, _ *agent) {
	a := s.agent(t, "/?token=none", nil)
	a.Send(`{ "jsonrpc": "2.0", "method": "initialize", "params": { "protocolVersion": "0.8.0", "clientInfo": { "name": "c", "version": "1" }, "capabilities": {} }, "id": 1 }`)
	got := a.Next()
	for _, part := range []string{`{"jsonrpc":"2.0","result":{`, `"protocolVersion":"0.8.0"`, `"serverInfo":{"name":"cdphub","version":`, `"limits":{`, `"id":1}`} {
		if !strings.Contains(got, part) {
			t.Errorf("got  %s\nwant %s in it", got, part)
		}
	}
	a.Send(`{ "jsonrpc": "2.0", "method": "notifications/initialized" }`)
	a.must("browser/launch", `{}`)
}

func navigates(t *testing.T, s *stage, a *agent) {
	a.Send(fmt.Sprintf(`{ "jsonrpc": "2.0", "method": "page/navigate", "params": { "url": %q, "waitUntil": "domcontentloaded" }, "id": "seed" }`, s.app.URL+"/noisy.html"))
	got := a.Until(`"id":"seed"}`)
	want := fmt.Sprintf(`{"jsonrpc":"2.0","result":{"url":%q,"title":"Noisy page","status":`, s.app.URL+"/noisy.html")
	if !strings.HasPrefix(got, want) {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func isNotFound(t *testing.T, _ *stage, a *agent) {
	const selector = `{"type":"role","role":"button","name":"Submit"}`
	failed := a.fails("action/click", `{"selector":`+selector+`,"options":{"timeout":1000}}`, -32012)
	if failed.Message != "Element not found" || !*failed.Data.Retryable || failed.Data.RetryAfterMS != 500 || failed.Data.RecoveryHint == "" ||
		!strings.Contains(failed.raw, `"details":{"selector":`+selector+`}`) {
		t.Errorf("the error is %s", failed.raw)
	}
}

func notifies(t *testing.T, _ *stage, a *agent) {
	a.request("action/click", `{"selector":{"type":"css","value":"#err"}}`)
	got := a.Until("notifications/")
	for _, part := range []string{`{"jsonrpc":"2.0","method":"notifications/console","params":{`, `"pageId":"page-`, `"type":"error"`, `"text":"a fault"`} {
		if !strings.Contains(got, part) {
			t.Errorf("got  %s\nwant %s in it", got, part)
		}
	}
}

func discovers(t *testing.T, _ *stage, a *agent) {
	if got := a.must("discovery/discover", `{}`); !strings.Contains(got, `{"tools":[{"name":"search","description":"Find a thing","inputSchema":{"type":"object","properties":{"words":{"type":"string","description":"Words"}},"required":["words"]},"source":"form","formSelector":"form[toolname=\"search\"]"}],"totalDiscovered":1}`) {
		t.Errorf("the tools are %s", got)
	}
}

func answersTwenty(_ *testing.T, _ *stage, a *agent) {
	for i := range 20 {
		a.request("observe/element", fmt.Sprintf(`{"selector":{"type":"css","value":"#n%d"},"properties":["visible"]}`, i))
	}
	for i := range 20 {
		a.reply(a.last - 19 + i)
	}
}
