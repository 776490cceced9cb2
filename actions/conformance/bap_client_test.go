package conformance

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/cdphub/cdphub/internal/hubtest"
	"github.com/cdphub/cdphub/server"
)

// agent is a client of the Browser Agent Protocol.
type agent struct {
	*hubtest.Peer
	last int
}

// bapError is an error as it is answered.
type bapError struct {
	Code    int
	Message string
	Data    struct {
		Retryable    *bool
		RetryAfterMS int
		Details      map[string]any
		RecoveryHint string
	}
	raw string
}

// newAgents makes a stage with room for many requests.
func newAgents(t *testing.T, change func(*server.Options)) *stage {
	t.Helper()
	return newStage(t, func(o *server.Options) {
		o.Actions.BAPPages = 1000
		if change != nil {
			change(o)
		}
	})
}

// agent connects to a path of the server.
func (s *stage) agent(t *testing.T, path string, header http.Header) *agent {
	t.Helper()
	return &agent{Peer: hubtest.Dial(t, "ws://"+s.ClientAddr()+path, header)}
}

// launched connects, initializes and launches.
func (s *stage) launched(t *testing.T, path string) *agent {
	t.Helper()
	a := s.agent(t, path, nil)
	a.must("initialize", initializeParams)
	a.must("browser/launch", `{}`)
	return a
}

const initializeParams = `{"protocolVersion":"0.8.0","clientInfo":{"name":"test","version":"1"},"capabilities":{}}`

// request sends a request and returns its id.
func (a *agent) request(method, params string) int {
	a.last++
	a.Send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`, a.last, method, params))
	return a.last
}

// reply waits for the answer to a request.
func (a *agent) reply(id int) (result json.RawMessage, failed *bapError) {
	a.T.Helper()
	text := a.Until(fmt.Sprintf(`,"id":%d}`, id))
	var m struct {
		JSONRPC string
		Result  json.RawMessage
		Error   json.RawMessage
	}
	if err := json.Unmarshal([]byte(text), &m); err != nil || m.JSONRPC != "2.0" || (m.Result == nil) == (m.Error == nil) {
		a.T.Fatalf("%s is no answer: %v", text, err)
	}
	if m.Error == nil {
		return m.Result, nil
	}
	failed = &bapError{raw: string(m.Error)}
	if err := json.Unmarshal(m.Error, failed); err != nil || failed.Data.Retryable == nil {
		a.T.Fatalf("%s is no error: %v", m.Error, err)
	}
	return nil, failed
}

// call sends a request and waits for its answer.
func (a *agent) call(method, params string) (json.RawMessage, *bapError) {
	a.T.Helper()
	return a.reply(a.request(method, params))
}

// must is call for what must succeed.
func (a *agent) must(method, params string) string {
	a.T.Helper()
	result, failed := a.call(method, params)
	if failed != nil {
		a.T.Fatalf("%s %s: %s", method, params, failed.raw)
	}
	return string(result)
}

// fails is call for what must fail with a code.
func (a *agent) fails(method, params string, code int) *bapError {
	a.T.Helper()
	result, failed := a.call(method, params)
	if failed == nil {
		a.T.Fatalf("%s %s: %.200s, want error %d", method, params, result, code)
	}
	if failed.Code != code {
		a.T.Errorf("%s %s: %s, want error %d", method, params, failed.raw, code)
	}
	return failed
}

// page opens a page of the app, and returns its id.
func (a *agent) page(url string) string {
	a.T.Helper()
	var p struct{ ID string }
	if err := json.Unmarshal([]byte(a.must("page/create", fmt.Sprintf(`{"url":%q}`, url))), &p); err != nil || !strings.HasPrefix(p.ID, "page-") {
		a.T.Fatalf("the page's id is %q: %v", p.ID, err)
	}
	return p.ID
}
