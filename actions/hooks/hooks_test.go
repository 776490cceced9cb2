package hooks

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/cdphub/cdphub/actions"
	"github.com/cdphub/cdphub/internal/wire"
)

// noBrowser is a hub with one page, T1, that can do nothing.
type noBrowser struct{ event actions.EventFunc }

func (n noBrowser) Send(_, method string, _ []byte) func(context.Context) ([]byte, error) {
	if method == "Target.setDiscoverTargets" {
		n.event("", "Target.targetCreated", []byte(`{"targetInfo":{"targetId":"T1","type":"page","title":"One","url":"http://a/"}}`))
		return func(context.Context) ([]byte, error) { return []byte("{}"), nil }
	}
	return func(context.Context) ([]byte, error) {
		return nil, &wire.Error{Code: wire.CodeMethodNotFound, Message: "'" + method + "' wasn't found"}
	}
}

func (noBrowser) Leave() {}

func caller(scopes ...string) actions.Caller {
	return actions.Caller{Capabilities: scopes, Join: func(e actions.EventFunc) (actions.Client, error) { return noBrowser{e}, nil }}
}

// post invokes a hook over HTTP.
func post(c actions.Caller, body string) (status int, answer string) {
	w := httptest.NewRecorder()
	Invoke(c, w, httptest.NewRequest(http.MethodPost, "/hooks/invoke", strings.NewReader(body)))
	return w.Code, w.Body.String()
}

// TestParameters wants each hook's rules for its parameters held before
// anything is done.
func TestParameters(t *testing.T) {
	for _, test := range []struct {
		name, params string
		code         string
		message      string
	}{
		{"snapshot", `{}`, "InvalidParams", "missing field `browserId`"},
		{"snapshot", `{"browserId":"T2"}`, "BrowserNotFound", "page not found: T2"},
		{"snapshot", `{"browserId":1}`, "InvalidParams", "browserId"},
		{"snapshot", `{"browserId":"T1","maxElements":0}`, "InvalidParams", "maxElements"},
		{"snapshot", `{"browserId":"T1","viewportOnly":"yes"}`, "InvalidParams", "viewportOnly"},
		{"screenshot", `{"browserId":"T1","quality":101}`, "InvalidParams", "quality"},
		{"navigate", `{"browserId":"T1"}`, "InvalidParams", "missing field `url`"},
		{"navigate", `{"browserId":"T1","url":"http://a/","waitUntil":"commit"}`, "InvalidParams", "waitUntil"},
		{"navigate", `{"browserId":"T1","url":"http://a/","timeoutMs":0}`, "InvalidParams", "timeoutMs"},
		{"navigate", `{"browserId":"T1","url":"javascript:1"}`, "UrlBlocked", "navigation blocked"},
		{"navigate", `{"browserId":"T1","url":"http://[::ffff:169.254.169.254]/"}`, "UrlBlocked", "navigation blocked"},
		{"reload", `{"browserId":"T1","waitUntil":"idle"}`, "InvalidParams", "waitUntil"},
		{"waitForElement", `{"browserId":"T1"}`, "InvalidParams", "missing field `selector`"},
		{"click", `{"browserId":"T1"}`, "InvalidParams", "elementId or x and y"},
		{"click", `{"browserId":"T1","x":1}`, "InvalidParams", "elementId or x and y"},
		{"click", `{"browserId":"T1","elementId":"a1","x":1,"y":1}`, "InvalidParams", "exclude"},
		{"click", `{"browserId":"T1","elementId":"a1","y":1}`, "InvalidParams", "exclude"},
		{"click", `{"browserId":"T1","elementId":"a1","clickCount":0}`, "InvalidParams", "clickCount"},
		{"click", `{"browserId":"T1","elementId":"a1","button":"fourth"}`, "InvalidParams", "fourth"},
		{"click", `{"browserId":"T1","elementId":"a1","modifiers":["hyper"]}`, "InvalidParams", "hyper"},
		{"click", `{"browserId":"T1","elementId":"a1\"]"}`, "ElementNotFound", "new snapshot"},
		{"type", `{"browserId":"T1"}`, "InvalidParams", "missing field `text`"},
		{"fill", `{"browserId":"T1","elementId":"a1"}`, "InvalidParams", "missing field `value`"},
		{"fill", `{"browserId":"T1","value":""}`, "InvalidParams", "missing field `elementId`"},
		{"pressKey", `{"browserId":"T1"}`, "InvalidParams", "missing field `key`"},
		{"pressKey", `{"browserId":"T1","key":"Anykey"}`, "InvalidParams", "Anykey"},
		{"scroll", `{"browserId":"T1"}`, "InvalidParams", "must be given"},
		{"scroll", `{"browserId":"T1","toTop":true,"toBottom":true}`, "InvalidParams", "exclude"},
		{"scroll", `{"browserId":"T1","toTop":true,"deltaY":0}`, "InvalidParams", "exclude"},
		{"hover", `{"browserId":"T1"}`, "InvalidParams", "missing field `elementId`"},
		{"hover", `{"browserId":"T1","elementId":"a1","durationMs":10001}`, "InvalidParams", "durationMs"},
		{"focus", `{"browserId":"T1"}`, "InvalidParams", "missing field `elementId`"},
		{"eval", `{"browserId":"T1"}`, "InvalidParams", "missing field `script`"},
		{"list", `{"placeId":1}`, "InvalidParams", "placeId"},
		{"waitForLoad", `{"resourceId":"T2"}`, "BrowserNotFound", "T2"},
		{"axTree", `{"browserId":"T1"}`, "Unsupported", "not supported"},
	} {
		status, got := post(caller(read, write, eval), `{"name":"browser.`+test.name+`","params":`+test.params+`}`)
		var a answer
		if err := json.Unmarshal([]byte(got), &a); err != nil || a.OK || a.Error == nil {
			t.Errorf("%s %s: %s", test.name, test.params, got)
			continue
		}
		if a.Error.Code != test.code || !strings.Contains(a.Error.Message, test.message) || status != a.Error.status() {
			t.Errorf("%s %s: %d %s, want %s: %s", test.name, test.params, status, got, test.code, test.message)
		}
	}
}

// TestScopes wants each hook to need its own scope, before its parameters are
// looked at, and a snapshot beside it the one for reading.
func TestScopes(t *testing.T) {
	if len(hooks) != 23 {
		t.Errorf("%d hooks, want 23", len(hooks))
	}
	for name, h := range hooks {
		for _, scope := range []string{read, write, eval} {
			_, got := post(caller(scope), `{"name":"`+name+`"}`)
			if denied := strings.Contains(got, `"CapabilityDenied"`); denied != (scope != h.scope) {
				t.Errorf("%s with %s: %s", name, scope, got)
			}
		}
	}
	for _, much := range []string{`true`, `"delta"`, `{"tokens":9}`, `9`} {
		status, got := post(caller(write), `{"name":"browser.click","params":{"returnSnapshot":`+much+`}}`)
		if status != http.StatusForbidden || !strings.Contains(got, `"CapabilityDenied"`) || !strings.Contains(got, read) {
			t.Errorf("a snapshot %s without %s: %d %s", much, read, status, got)
		}
	}
}

func TestEnvelope(t *testing.T) {
	for _, test := range []struct{ body, want string }{
		{`{"name":"browser.list"}`, `{"ok":true,"result":{"browsers":[{"id":"T1","url":"http://a/","title":"One","placeId":"default","visible":true,"focused":false}]}}`},
		{`{"name":"browser.list","params":null}`, `"ok":true`},
		{`{"name":"browser.list","params":{"placeId":"other"}}`, `{"ok":true,"result":{"browsers":[]}}`},
		{`{"name":"browser.list","params":{"projectId":"p"}}`, `{"ok":true,"result":{"browsers":[]}}`},
		{`{"name":"browser.list","params":{"resourceId":"T1"}}`, `"id":"T1"`},
		{`{"name":"browser.getUrl","params":{"browserId":"T1"}}`, `{"ok":true,"result":{"url":"http://a/"}}`},
		{`{"name":"browser.getTitle","params":{"resourceId":"T1"}}`, `{"ok":true,"result":{"title":"One"}}`},
		{`{"name":"browser.snapshoot"}`, `{"ok":false,"error":{"code":"HookNotFound","message":"unknown hook: browser.snapshoot; did you mean \"browser.snapshot\"?"}}`},
		{`{"name":"browser.fly"}`, `{"ok":false,"error":{"code":"HookNotFound","message":"unknown hook: browser.fly"}}`},
		{`{"name":1}`, `"InvalidParams"`},
		{`{"params":{}}`, "missing field `name`"},
		{`{"name":"browser.list","params":[]}`, "params must be an object"},
		{`[{"name":"browser.list"}]`, `"InvalidParams"`},
		{`{"name":`, `"InvalidParams"`},
		{``, `"InvalidParams"`},
	} {
		if _, got := post(caller(read), test.body); !strings.Contains(got, test.want) {
			t.Errorf("%s: %s, want %s", test.body, got, test.want)
		}
	}
	status, got := post(caller(read), `{"name":"`+strings.Repeat("x", actions.MaxRequest)+`"}`)
	if status != http.StatusRequestEntityTooLarge || !strings.Contains(got, "InvalidParams") {
		t.Errorf("more than %d bytes: %d %s", actions.MaxRequest, status, got)
	}
}

// TestErrorsHaveNames wants a name and a status for every kind of error.
func TestErrorsHaveNames(t *testing.T) {
	for kind, code := range codes {
		f := failureOf(&actions.Error{Kind: kind, Message: "m"}, "")
		if f.Code != code || f.status() == http.StatusInternalServerError {
			t.Errorf("%s is %s with status %d", kind, f.Code, f.status())
		}
	}
	for _, err := range []error{errors.New("x"), &actions.Error{Kind: actions.ContextDestroyed}} {
		if f := failureOf(err, "EvalTimeout"); f.Code != "Internal" || f.status() != http.StatusInternalServerError {
			t.Errorf("%v is %v", err, f)
		}
	}
	if f := failureOf(&actions.Error{Kind: actions.Timeout}, "NavigateTimeout"); f.Code != "NavigateTimeout" {
		t.Errorf("a timeout is %s", f.Code)
	}
}

// TestPanicIsInternal has a hook panic.
func TestPanicIsInternal(t *testing.T) {
	name := "browser.list"
	open := func() (*actions.Browser, error) { panic("a fault") }
	a := answerTo(t.Context(), caller(read), opener{open: open}, request{ID: json.RawMessage("7"), Name: &name})
	if a.OK || a.Error == nil || a.Error.Code != "Internal" || string(a.ID) != "7" {
		t.Errorf("%+v", a)
	}
}
