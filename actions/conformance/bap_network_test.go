package conformance

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// TestBAPInterception decides about requests of pages, by rule and one by one.
func TestBAPInterception(t *testing.T) {
	t.Parallel()
	s := newAgents(t, nil)
	for _, kind := range kinds {
		t.Run(string(kind.TargetKind), func(t *testing.T) {
			a := s.launched(t, kind.prefix+"/")
			page := a.page(s.app.URL + "/noisy.html")
			a.must("events/subscribe", `{"events":["console"]}`)
			intercept := func(handler string) {
				a.must("network/intercept", fmt.Sprintf(`{"pageId":%q,"patterns":[{"urlPattern":"*/data.json*","resourceType":"fetch"}],"handler":%q}`, page, handler))
			}
			asked := func() string {
				a.request("action/click", fmt.Sprintf(`{"pageId":%q,"selector":{"type":"css","value":"#show"}}`, page))
				return a.Until("events/")
			}
			held := func() (id string) {
				var told struct {
					Params struct {
						RequestID   string
						Intercepted bool
					}
				}
				if text := asked(); json.Unmarshal([]byte(text), &told) != nil || !told.Params.Intercepted {
					t.Fatalf("not held: %s", text)
				}
				return told.Params.RequestID
			}
			shows := func(got, want string) {
				if !strings.Contains(got, `"text":"`+want) {
					t.Errorf("the page shows %s, want %s", got, want)
				}
			}
			shows(asked(), "200 42")
			intercept("abort")
			shows(asked(), "TypeError")
			intercept("continue")
			shows(asked(), "200 42")
			intercept("callback")
			a.must("network/fulfill", fmt.Sprintf(`{"requestId":%q,"response":{"status":201,"contentType":"application/json","body":"{\"answer\":7}"}}`, held()))
			shows(a.Until("events/console"), "201 7")
			a.must("network/abort", fmt.Sprintf(`{"requestId":%q,"reason":"failed"}`, held()))
			shows(a.Until("events/console"), "TypeError")
			id := held()
			a.must("network/continue", fmt.Sprintf(`{"requestId":%q,"overrides":{"headers":{"X-A":"1"}}}`, id))
			shows(a.Until("events/console"), "200 42")
			a.fails("network/continue", fmt.Sprintf(`{"requestId":%q}`, id), -32602)
			a.fails("network/abort", `{"requestId":"a","reason":"tired"}`, -32602)
			a.must("network/intercept", fmt.Sprintf(`{"pageId":%q,"patterns":[],"handler":"abort"}`, page))
			shows(asked(), "200 42")
			intercept("respond")
			held() // which the end of the connection lets go
		})
	}
}
