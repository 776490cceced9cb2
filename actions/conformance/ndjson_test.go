package conformance

import (
	"regexp"
	"strings"
	"testing"

	"github.com/cdphub/cdphub/actions"
	"github.com/cdphub/cdphub/internal/hubtest"
	"github.com/cdphub/cdphub/server"
)

// ndjson is how the NDJSON action API speaks.
var ndjsonTalk = talk{
	handle: "page_id",
	request: func(method, params string) string {
		return `{"id":"1","action":"` + method + `","params":` + params + `}`
	},
	open:     func(url string) (string, string) { return "tab.new", `{"url":"` + url + `"}` },
	opened:   `"page_id":"(page-[0-9]+)"`,
	navigate: func(url string) (string, string) { return "page.navigate", `{"url":"` + url + `"}` },
	evaluate: func(e string) (string, string) { return "page.evaluate", `{"expression":` + jsonText(e) + `}` },
	value:    func(v string) string { return `"data":{"value":` + v + `,` },
}

// done matches an answer with the page and what else is given; failed one with
// an error.
func done(more string) string {
	return `\{"id":"1","success":true,"data":\{"page_id":"{page}"` + more + `\}\}`
}

func failed(why string) string {
	return `\{"id":"1","success":false,"error":"` + why + `"\}`
}

// TestNDJSONConformance has every action do its work, and fail in each way
// that it can, on both kinds of targets.
func TestNDJSONConformance(t *testing.T) {
	t.Parallel()
	s := newStage(t, func(f *server.Options) { f.Network.Block = []string{"localhost"} })
	refusesPages(t, "/ndjson", ndjsonTalk, failed("not supported by this target: Target.createTarget .*"))
	conform(t, s, "/ndjson", ndjsonTalk, ndjsonCases())
}

// TestNDJSONSeed sends the published exchange, with a page of the test's, and
// the mistakes that are easy to make.
func TestNDJSONSeed(t *testing.T) {
	t.Parallel()
	s := newStage(t, nil)
	const page = `"page_id":"page-[0-9]+"`
	for _, kind := range kinds {
		t.Run(string(kind.TargetKind), func(t *testing.T) {
			connect := func() *hubtest.Peer {
				return hubtest.Dial(t, "ws"+strings.TrimPrefix(s.base(kind.prefix), "http")+"/ndjson", nil)
			}
			c := connect()
			if kind.TargetKind == actions.BrowserTarget { // in which there are pages already; a frame is made by the first request
				c.Send(`{"id":"0","action":"tab.new"}`)
				c.Next()
			}
			for _, x := range []struct{ name, send, want string }{
				{"page.navigate", `{ "id": "1", "action": "page.navigate", "params": { "url": "{app}" } }`, `\{"id":"1","success":true,"data":\{` + page + `,"url":"{app}/"\}\}`},
				{"page.snapshot", `{ "id": "2", "action": "page.snapshot" }`, `\{"id":"2","success":true,"data":\{"tree_yaml":"- heading \\"Second page\\".*","title":"Second page","element_count":[0-9]+,` + page + `,"url":"{app}/"\}\}`},
				{"page.evaluate", `{ "id": "3", "action": "page.evaluate", "params": { "expression": "document.title" } }`, `\{"id":"3","success":true,"data":\{"value":"Second page",` + page + `\}\}`},
				{"the session by its name", `{ "id": "4", "action": "page.evaluate", "params": { "expression": "1" }, "session": "{session}" }`, `\{"id":"4","success":true,"data":\{"value":1,` + page + `\}\}`},
				{"an application error", `{ "id": "5", "action": "page.dance" }`, `\{"id":"5","success":false,"error":"unknown action: page.dance"\}`},
				{"method instead of action", `{ "id": "1", "method": "page.snapshot" }`, `\{"id":"","success":false,"error":"bad request: missing field ` + "`action`" + `"\}`},
				{"a numeric id", `{ "id": 1, "action": "page.snapshot" }`, `\{"id":"","success":false,"error":"bad request: invalid type: integer ` + "`1`" + `, expected a string"\}`},
			} {
				t.Run(x.name, func(t *testing.T) {
					fill := strings.NewReplacer("{app}", s.app.URL, "{session}", map[string]string{"": "default"}[kind.prefix]+strings.TrimPrefix(kind.prefix, "/hub/"))
					c.Send(fill.Replace(x.send))
					if got := c.Next(); !regexp.MustCompile("^" + fill.Replace(x.want) + "$").MatchString(got) {
						t.Errorf("%s\ngot  %s\nwant %s", x.send, got, x.want)
					}
				})
			}
			t.Run("a protocol error overtakes", func(t *testing.T) {
				c.Send(`{"id":"6","action":"page.evaluate","params":{"expression":"new Promise((done) => setTimeout(done, 300))"}}`)
				c.Send(`{"id":"7","action":"page.evaluate","params":{"expression":"7"}}`)
				c.Send(`{"id":"8"}`)
				for _, start := range []string{`{"id":"","success":false`, `{"id":"6","success":true`, `{"id":"7","success":true`} {
					if got := c.Next(); !strings.HasPrefix(got, start) {
						t.Errorf("%s, want %s…", got, start)
					}
				}
			})
			t.Run("another connection goes on where this one was", func(t *testing.T) {
				other := connect()
				other.Send(`{"id":"9","action":"page.evaluate","params":{"expression":"document.title"}}`)
				if got := other.Next(); !strings.Contains(got, `"value":"Second page"`) {
					t.Errorf("another connection's active page: %s", got)
				}
			})
		})
	}
}

// TestPageThatChangesJSON has actions in a page whose library gives arrays and texts a
// toJSON, as Prototype.js does. In a frame the page script of the actions shares them.
func TestPageThatChangesJSON(t *testing.T) {
	t.Parallel()
	s := newStage(t, nil)
	for _, kind := range kinds {
		t.Run(string(kind.TargetKind), func(t *testing.T) {
			c := hubtest.Dial(t, "ws"+strings.TrimPrefix(s.base(kind.prefix), "http")+"/ndjson", nil)
			for _, x := range []struct{ params, want string }{
				{`page.navigate","params":{"url":"` + s.app.URL + `"}`, `"url":"` + s.app.URL + `/"`},
				{`page.evaluate","params":{"expression":"Array.prototype.toJSON = String.prototype.toJSON = () => 1; 2"}`, `"value":2`},
				{`page.snapshot"`, `"tree_yaml":"- heading \"Second page\"`},
			} {
				c.Send(`{"id":"1","action":"` + x.params + `}`)
				if got := c.Next(); !strings.Contains(got, `"success":true`) || !strings.Contains(got, x.want) {
					t.Errorf("%s\ngot  %s\nwant %s", x.params, got, x.want)
				}
			}
		})
	}
}
