package bap

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cdphub/cdphub/actions"
)

func TestErrors(t *testing.T) {
	selector := json.RawMessage(`{"selector":{"type":"css","value":"#a"}}`)
	details := actions.Details{Locator: "#a", Count: 3, Waited: 29500 * time.Millisecond, PageID: "page-9", Unsupported: "Page.printToPDF", TargetKind: actions.FrameTarget}
	tested := map[actions.Kind]bool{}
	for _, tt := range []struct {
		kind    actions.Kind
		message string
		block   actions.Block
		want    string
	}{
		{actions.MalformedFrame, "bad request: x", "", `{"code":-32700,"message":"Bad request: x","data":{"retryable":false}}`},
		{actions.InvalidEnvelope, "x", "", `{"code":-32600,"message":"X","data":{"retryable":false}}`},
		{actions.UnknownVerb, "x", "", `{"code":-32601,"message":"X","data":{"retryable":false}}`},
		{actions.InvalidArgument, "bad request: the css locator is empty", "", `{"code":-32602,"message":"The css locator is empty","data":{"retryable":false}}`},
		{
			actions.PermissionDenied, "permission denied: Not allowed: Page.navigate needs scope standard", "",
			`{"code":-32023,"message":"Permission denied: Not allowed: Page.navigate needs scope standard","data":{"retryable":false,"details":{"requiredScopes":["standard"]}}}`,
		},
		{actions.ConsentDenied, "x", "", `{"code":-32030,"message":"X","data":{"retryable":false}}`},
		{actions.ApprovalTimeout, "x", "", `{"code":-32031,"message":"X","data":{"retryable":true}}`},
		{actions.URLBlocked, "navigation blocked: Blocked protocol: javascript", actions.BlockScheme, `{"code":-32602,"message":"Blocked protocol: javascript","data":{"retryable":false}}`},
		{actions.URLBlocked, "navigation blocked: Invalid URL: x", actions.BlockInvalid, `{"code":-32602,"message":"Invalid URL: x","data":{"retryable":false}}`},
		{actions.URLBlocked, "navigation blocked: Domain not allowed: a.b", actions.BlockDomain, `{"code":-32041,"message":"Domain not allowed: a.b","data":{"retryable":false}}`},
		{actions.URLBlocked, "navigation blocked: Blocked host (private address): ::1", actions.BlockPrivate, `{"code":-32041,"message":"Blocked host (private address): ::1","data":{"retryable":false}}`},
		{actions.NotInitialized, "x", "", `{"code":-32001,"message":"X","data":{"retryable":false}}`},
		{actions.NoBrowser, "no browser: x", "", `{"code":-32010,"message":"No browser: x","data":{"retryable":false}}`},
		{actions.PageNotFound, "page not found: page-9", "", `{"code":-32011,"message":"Page not found: page-9","data":{"retryable":false,"details":{"pageId":"page-9"}}}`},
		{actions.ContextNotFound, "not found: x", "", `{"code":-32023,"message":"Not found: x","data":{"retryable":false}}`},
		{actions.FrameNotFound, "not found: x", "", `{"code":-32040,"message":"Not found: x","data":{"retryable":false}}`},
		{
			actions.ElementNotFound, "element not found: #a", "",
			`{"code":-32012,"message":"Element not found","data":{"retryable":true,"retryAfterMs":500,"details":{"selector":{"type":"css","value":"#a"}},"recoveryHint":"` + hintObserve + `"}}`,
		},
		{
			actions.StaleRef, "element not found: #a", "",
			`{"code":-32012,"message":"Element not found: no element has the ref #a any more, run agent/observe again","data":{"retryable":false,"details":{"selector":{"type":"css","value":"#a"}},"recoveryHint":"` + hintObserve + `"}}`,
		},
		{
			actions.AmbiguousLocator, "3 elements match #a", "",
			`{"code":-32020,"message":"3 elements match #a","data":{"retryable":false,"details":{"count":3,"selector":{"type":"css","value":"#a"}},"recoveryHint":"` + hintAmbiguous + `"}}`,
		},
		{actions.NotVisible, "element not visible: <a>", "", `{"code":-32013,"message":"Element not visible: <a>","data":{"retryable":true,"retryAfterMs":500,`},
		{actions.Obscured, "element covered by <a>", "", `{"code":-32013,"message":"Element covered by <a>","data":{"retryable":true,"retryAfterMs":500,`},
		{actions.NotEnabled, "element disabled: <a>", "", `{"code":-32014,"message":"Element disabled: <a>","data":{"retryable":true,"retryAfterMs":500,`},
		{actions.NavigationFailed, "navigation failed: net::ERR_FAILED", "", `{"code":-32015,"message":"Navigation failed: net::ERR_FAILED","data":{"retryable":true,"retryAfterMs":1000}}`},
		{actions.NavigationTimeout, "navigation timed out", "", `{"code":-32016,"message":"Navigation timed out","data":{"retryable":true}}`},
		{actions.EvalException, "x", "", `{"code":-32021,"message":"X","data":{"retryable":false}}`},
		{actions.EvalTimeout, "x", "", `{"code":-32016,"message":"X","data":{"retryable":true}}`},
		{actions.Timeout, "timed out", "", `{"code":-32016,"message":"Timed out","data":{"retryable":true}}`},
		{actions.TargetClosed, "page closed", "", `{"code":-32017,"message":"Page closed","data":{"retryable":false}}`},
		{actions.ContextDestroyed, "x", "", `{"code":-32018,"message":"X","data":{"retryable":true,"retryAfterMs":100}}`},
		{actions.Unsupported, "not supported by this target: x", "", `{"code":-32021,"message":"Not supported by this target: x","data":{"retryable":false,"details":{"targetKind":"frame","unsupported":"Page.printToPDF"}}}`},
		{actions.Paused, "paused: Ann has the page", "", `{"code":-32021,"message":"Paused: Ann has the page","data":{"retryable":true,"retryAfterMs":1000}}`},
		{actions.RateLimited, "rate limited: x", "", `{"code":-32000,"message":"Rate limit exceeded: x","data":{"retryable":true,"retryAfterMs":1000}}`},
		{actions.LimitExceeded, "x", "", `{"code":-32024,"message":"X","data":{"retryable":false}}`},
		{actions.Internal, "x", "", `{"code":-32603,"message":"Internal error: x","data":{"retryable":false}}`},
		{"Unheard", "x", "", `{"code":-32603,"message":"X","data":{"retryable":false}}`},
	} {
		d := details
		d.Block = tt.block
		f := failureOf(fmt.Errorf("wrapped: %w", &actions.Error{Kind: tt.kind, Message: tt.message, Details: d}), selector)
		if got := string(encodeMessage(f)); !strings.HasPrefix(got, tt.want) {
			t.Errorf("%s:\ngot  %s\nwant %s", tt.kind, got, tt.want)
		}
		tested[tt.kind] = true
	}
	for kind := range kinds {
		if !tested[kind] {
			t.Errorf("%s has no row", kind)
		}
	}
	if f := failureOf(errors.New("secret"), nil); f.Code != codeInternal || f.Message != "Internal error" {
		t.Errorf("another error becomes %v", f)
	}
	gone := failureOf(&actions.Error{Kind: actions.ElementNotFound, Details: actions.Details{Locator: "#a"}}, nil)
	if gone.Data.Details["selector"] != "#a" {
		t.Errorf("without params the details are %v", gone.Data.Details)
	}
}

// TestR24Profiles asks for each method with each profile.
func TestR24Profiles(t *testing.T) {
	readonly := "agent/extract agent/observe discovery/discover events/subscribe frame/list notifications/initialized observe/accessibility observe/ariaSnapshot " +
		"observe/content observe/dom observe/element observe/pdf observe/screenshot page/activate page/list shutdown stream/cancel initialize agent/act"
	standard := readonly + " action/check action/clear action/click action/dblclick action/fill action/handoff action/handoffCancel action/handoffWait action/hover action/press action/scroll action/select action/type action/uncheck " +
		"browser/close browser/launch dialog/handle emulate/setUserAgent emulate/setViewport frame/main frame/switch page/close page/create page/goBack page/goForward page/navigate page/reload"
	full := standard + " action/drag action/upload context/create context/destroy context/list emulate/setGeolocation emulate/setOffline " +
		"storage/clearCookies storage/getCookies storage/getState storage/setCookies storage/setState"
	privileged := full + " approval/respond network/abort network/continue network/fulfill network/intercept page/evaluate"
	all := allMethods()
	for profile, allowed := range map[string]string{"readonly": readonly, "standard": standard, "full": full, "privileged": privileged, "": privileged} {
		want := strings.Fields(allowed)
		for _, method := range slices.Sorted(maps.Keys(all)) {
			f := requireScope(profile, method, all[method].scope)
			if slices.Contains(want, method) != (f == nil) {
				t.Errorf("profile %q, %s: %v", profile, method, f)
			}
		}
		for _, method := range want {
			if _, known := all[method]; !known {
				t.Errorf("%s is no method", method)
			}
		}
	}
	if f := requireScope("unheard", "page/list", "page:read"); f == nil {
		t.Error("a profile that there is not allows something")
	}
	got := string(encodeMessage(requireScope("readonly", "action/click", "action:click")))
	want := `{"code":-32023,"message":"Insufficient permissions for 'action/click'. Required scopes: action:click or action:*",` +
		`"data":{"retryable":false,"details":{"method":"action/click","requiredScopes":["action:click","action:*"]}}}`
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestSelectors(t *testing.T) {
	for in, want := range map[string]actions.Locator{
		`{"type":"css","value":"#a > b"}`:                              actions.CSS("#a > b"),
		`{"type":"xpath","value":"//a"}`:                               actions.XPath("//a"),
		`{"type":"role","role":"button"}`:                              actions.Role{Role: "button"},
		`{"type":"role","role":"button","name":"A","exact":true}`:      actions.Role{Role: "button", Name: "A", Exact: true},
		`{"type":"text","value":"A"}`:                                  actions.Text{Text: "A"},
		`{"type":"text","value":"A","exact":true}`:                     actions.Text{Text: "A", Exact: true},
		`{"type":"label","value":"A"}`:                                 actions.Label{Text: "A"},
		`{"type":"placeholder","value":"A","exact":true}`:              actions.Placeholder{Text: "A", Exact: true},
		`{"type":"testId","value":"a"}`:                                actions.TestID("a"),
		`{"type":"semantic","description":"the A"}`:                    actions.Text{Text: "the A"},
		`{"type":"coordinates","x":1.5,"y":-2}`:                        actions.Point{X: 1.5, Y: -2},
		`{"type":"ref","ref":"@a"}`:                                    actions.SnapshotRef{Scheme: actions.BAP, ID: "@a"},
		`{"type":"ref","value":"@a"}`:                                  actions.SnapshotRef{Scheme: actions.BAP, ID: "@a"},
		`{"type":"css","value":"` + strings.Repeat("a", 10_000) + `"}`: actions.CSS(strings.Repeat("a", 10_000)),
	} {
		var s selector
		if err := json.Unmarshal([]byte(in), &s); err != nil || s.Locator != want {
			t.Errorf("%.80s: %v, %v, want %v", in, s.Locator, err, want)
		}
	}
	for in, want := range map[string]string{
		`"#a"`:                                   "selector: must be an object",
		`{}`:                                     "selector.type",
		`{"type":"id","value":"a"}`:              `selector.type: "id" is not known`,
		`{"type":"css"}`:                         "selector.value: is empty",
		`{"type":"css","value":" "}`:             "selector.value: is empty",
		`{"type":"css","value":1}`:               "value",
		`{"type":"role","name":"A"}`:             "selector.role: is empty",
		`{"type":"semantic","value":"A"}`:        "selector.description: is empty",
		`{"type":"ref"}`:                         "selector.ref: is empty",
		`{"type":"coordinates","x":1}`:           "coordinates have an x and a y",
		`{"type":"xpath","value":"document(1)"}`: "reads another document",
		`{"type":"css","value":"a[style*='URL(JavaScript:']"}`:         "contains script",
		`{"type":"css","value":"expression(1)"}`:                       "contains script",
		`{"type":"css","value":"` + strings.Repeat("a", 10_001) + `"}`: "longer than 10000 bytes",
	} {
		_, err := decodeParams[elementParams](json.RawMessage(`{"selector":` + in + `}`))
		f, ok := errors.AsType[*failure](err)
		if !ok || f.Code != codeInvalidParams || !strings.Contains(f.Message, want) {
			t.Errorf("%.80s: %v, want %q", in, err, want)
		}
	}
}

// TestBadParams gives each method what it cannot take. None of it reaches a page.
func TestBadParams(t *testing.T) {
	at := `"selector":{"type":"css","value":"#a"}`
	point := `"selector":{"type":"coordinates","x":1,"y":1}`
	for method, rows := range map[string]map[string]string{
		"action/click": {
			`{}`: "selector: is missing", `{"selector":null}`: "selector: is missing", `{` + at + `,"options":{"button":"top"}}`: "options.button",
			`{` + at + `,"options":{"clickCount":9}}`: "options.clickCount", `{` + at + `,"options":{"modifiers":["Hyper"]}}`: "options.modifiers",
			`{` + at + `,"options":1}`: "options", `{` + at + `,"timeout":-1}`: "timeout: -1 is not a time: use milliseconds", `{` + at + `,"pageId":1}`: "pageId", `{` + at + `,"timeout":"1s"}`: "milliseconds",
		},
		"action/dblclick": {`{}`: "selector: is missing"},
		"action/hover":    {`{}`: "selector: is missing"},
		"action/check":    {`{}`: "selector: is missing", `{` + point + `}`: "coordinates are for"},
		"action/uncheck":  {`{}`: "selector: is missing"},
		"action/type":     {`{` + at + `}`: "text: is missing", `{"text":"a"}`: "selector: is missing", `{` + at + `,"text":1}`: "text", `{` + point + `,"text":"a"}`: "coordinates", `{` + at + `,"text":"a","options":{"delay":"x"}}`: `options.delay: "x" is not a time: use milliseconds`},
		"action/press":    {`{}`: "key: is missing", `{"key":"Enter",` + point + `}`: "coordinates"},
		"action/fill":     {`{` + at + `}`: "value: is missing", `{"value":""}`: "selector: is missing"},
		"action/clear":    {`{}`: "selector: is missing"},
		"action/scroll":   {`{"options":{"direction":"in"}}`: "options.direction", `{"options":{"amount":"far"}}`: "options.amount", `{"options":{"amount":-1}}`: "options.amount", `{"options":{"amount":"toElement"}}`: "selector: is missing"},
		"action/select":   {`{` + at + `}`: "values: is missing", `{` + at + `,"values":1}`: "values: 1 is neither a text nor a list"},
		"action/upload":   {`{` + at + `}`: "files: is missing", `{` + at + `,"files":[{"buffer":"YQ=="}]}`: "files: a file has no name", `{` + at + `,"files":[{"name":"a","buffer":"!"}]}`: "base64"},
		"action/drag":     {`{"source":{"x":1,"y":1}}`: "target: is missing", `{"target":{"x":1,"y":1}}`: "source: is missing", `{"source":{"x":1},"target":{}}`: "selector.type"},
		"dialog/handle":   {`{}`: "action: is missing", `{"action":"wait"}`: "action"},

		"observe/screenshot":    {`{"options":{"format":"gif"}}`: "options.format", `{"options":{"quality":101}}`: "options.quality", `{"options":{"scale":"2"}}`: "options.scale", `{"options":{"mask":[{"type":"coordinates","x":1,"y":1}]}}`: "options.mask"},
		"observe/accessibility": {`{"options":{"maxDepth":-1}}`: "options.maxDepth", `{"options":{"root":1}}`: "selector"},
		"observe/ariaSnapshot":  {`{` + point + `}`: "coordinates"},
		"observe/dom":           {`{"options":{"depth":-1}}`: "options.depth"},
		"observe/element":       {`{` + at + `}`: "properties: is missing", `{` + at + `,"properties":["mood"]}`: `properties[0]: "mood"`, `{"properties":[]}`: "selector: is missing"},
		"observe/pdf":           {`{"options":{"format":"B0"}}`: "options.format", `{"options":{"scale":9}}`: "options.scale", `{"options":{"margin":{"top":"wide"}}}`: "options.margin"},
		"observe/content":       {`{}`: "format: is missing", `{"format":"rtf"}`: "format"},

		"page/navigate":  {`{}`: "url: is missing", `{"url":"http://a/","waitUntil":"soon"}`: "waitUntil", `{"url":"http://a/","observe":{"maxElements":999}}`: "maxElements"},
		"page/reload":    {`{"waitUntil":"soon"}`: "waitUntil"},
		"page/goBack":    {`{"waitUntil":1}`: "waitUntil"},
		"page/goForward": {`{"waitUntil":"soon"}`: "waitUntil"},
		"page/create":    {`{"viewport":{"width":0,"height":1}}`: "viewport", `{"permissions":["camera"]}`: "permissions", `{"url":1}`: "url"},
		"page/close":     {`{}`: "pageId: is missing"},
		"page/activate":  {`{}`: "pageId: is missing"},
		"frame/switch":   {`{}`: "set one of", `{"frameId":"a","url":"b"}`: "set one of"},

		"browser/launch": {
			`{"browser":"lynx"}`: "browser", `{"cdpUrl":"http://a/"}`: "cdpUrl", `{"userDataDir":"/"}`: "userDataDir", `{"downloadsPath":"/"}`: "downloadsPath",
			`{"args":["--a"]}`: "args", `{"proxy":{"server":"a"}}`: "proxy",
		},
		"context/create":  {`{"contextId":"a b"}`: "contextId", `{"contextId":"default"}`: "already exists", `{"contextId":"` + strings.Repeat("a", 65) + `"}`: "contextId", `{"options":{"permissions":["a"]}}`: "permissions"},
		"context/destroy": {`{}`: "contextId: is missing"},

		"storage/setState":       {`{}`: "state: is missing", `{"state":{"cookies":[{}]}}`: "a cookie has no name"},
		"storage/setCookies":     {`{}`: "cookies: is missing", `{"cookies":[{}]}`: "a cookie has no name"},
		"storage/getCookies":     {`{"urls":{}}`: "urls: {} is neither a text nor a list", `{"urls":[7]}`: "urls: [7] is neither"},
		"storage/clearCookies":   {`{"urls":1}`: "urls: 1 is neither a text nor a list"},
		"emulate/setViewport":    {`{}`: "width", `{"width":1.5,"height":1}`: "width", `{"width":10,"height":10,"deviceScaleFactor":-1}`: "deviceScaleFactor"},
		"emulate/setUserAgent":   {`{}`: "userAgent: is missing"},
		"emulate/setGeolocation": {`{}`: "latitude", `{"latitude":1}`: "longitude", `{"latitude":91,"longitude":1}`: "latitude", `{"latitude":1,"longitude":1,"accuracy":-1}`: "accuracy"},
		"emulate/setOffline":     {`{}`: "offline: is missing"},

		"events/subscribe":   {`{}`: "events: is missing", `{"events":"page"}`: "events", `{"events":["weather"]}`: `events: "weather"`, `{"types":["weather"]}`: "types", `{"events":[],"types":[]}`: "types"},
		"approval/respond":   {`{}`: "requestId: is missing", `{"requestId":"a"}`: "decision: is missing", `{"requestId":"a","decision":"perhaps"}`: "decision", `{"requestId":"a","decision":"deny"}`: "no waiting approval has the id"},
		"stream/cancel":      {`{}`: "streamId: is missing"},
		"discovery/discover": {`{"options":{"maxTools":"all"}}`: "options.maxTools"},

		"agent/observe": {`{"maxElements":201}`: "maxElements", `{"responseTier":"tiny"}`: "responseTier", `{"annotateScreenshot":"yes"}`: "annotateScreenshot", `{"annotateScreenshot":{"enabled":true,"labelFormat":"roman"}}`: "labelFormat"},
		"agent/extract": {`{"instruction":"a"}`: "schema: is missing", `{"instruction":"a","schema":{"type":"date"}}`: "schema.type", `{"schema":{"type":"string"}}`: "instruction: is missing", `{"instruction":"a","schema":{"type":"string"},"mode":"map"}`: "mode"},
		"agent/act": {
			`{}`: "steps", `{"steps":[]}`: "steps", `{"steps":[{"action":"page/close"}]}`: `steps[0].action: "page/close" is not allowed`,
			`{"steps":[{"action":"action/click","maxRetries":6}]}`: "steps[0].maxRetries", `{"steps":[{"action":"action/click","retryDelay":10}]}`: "steps[0].retryDelay",
			`{"steps":[{"action":"action/click","maxRetries":0}]}`: "steps[0].maxRetries", `{"steps":[{"action":"action/click","retryDelay":0}]}`: "steps[0].retryDelay",
			`{"steps":[{"action":"action/click","onError":"cry"}]}`: "steps[0].onError", `{"steps":[{"action":"action/click","params":[]}]}`: "steps[0].params",
			`{"steps":[{"action":"action/click","condition":{}}]}`:                                          "steps[0].condition.state",
			`{"steps":[{"action":"action/click","condition":{"state":"odd",` + at + `}}]}`:                  "steps[0].condition.state",
			`{"steps":[{"action":"action/click","condition":{"state":"visible"}}]}`:                         "steps[0].condition.selector",
			`{"steps":[` + strings.Repeat(`{"action":"action/click"},`, 50) + `{"action":"action/click"}]}`: "steps: there are 51",
			`{"steps":[{"action":"action/click"}],"preObserve":{"maxElements":999}}`:                        "maxElements",
		},
	} {
		hub := &fakeHub{}
		p := connect(t, New(Options{}), holding(hub, 1000))
		p.initialized("")
		for params, want := range rows {
			p.send(fmt.Sprintf(`{"id":1,"method":%q,"params":%s}`, method, params))
			var a struct {
				Error struct {
					Code    int
					Message string
					Data    struct{ Details struct{ Field string } }
				}
			}
			text := p.next()
			if err := json.Unmarshal([]byte(text), &a); err != nil || a.Error.Code != codeInvalidParams || !strings.Contains(a.Error.Message, want) {
				t.Errorf("%s %.120s:\ngot  %s\nwant -32602 %s", method, params, text, want)
			}
			if a.Error.Data.Details.Field == "" {
				t.Errorf("%s %.120s does not name the field: %s", method, params, text)
			}
		}
	}
}
