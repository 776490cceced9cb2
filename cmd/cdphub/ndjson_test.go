package main

import (
	"regexp"
	"strings"
	"testing"

	"github.com/cdphub/cdphub/actions"
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
	s := newStage(t, func(f *hubFlags) { f.BlockURL = []string{"localhost"} })
	refusesPages(t, "/ndjson", ndjsonTalk, failed("not supported by this target: Target.createTarget .*"))
	conform(t, s, "/ndjson", ndjsonTalk, ndjsonCases())
}

// TestNDJSONSample sends the published exchange, with a page of the test's.
func TestNDJSONSample(t *testing.T) {
	s := newStage(t, nil)
	for _, kind := range kinds {
		t.Run(string(kind.TargetKind), func(t *testing.T) {
			c := dial(t, "ws"+strings.TrimPrefix(s.base(kind.prefix), "http")+"/ndjson", nil)
			if kind.TargetKind == actions.BrowserTarget { // in which there are pages already; a frame is made by the first request
				c.send(`{"id":"0","action":"tab.new"}`)
				c.next()
			}
			for _, step := range []struct{ send, want string }{
				{`{ "id": "1", "action": "page.navigate", "params": { "url": "` + s.app.URL + `/two.html" } }`, `\{"id":"1","success":true,"data":\{"page_id":"page-[0-9]+","url":"` + s.app.URL + `/two.html"\}\}`},
				{`{ "id": "2", "action": "page.snapshot" }`, `\{"id":"2","success":true,"data":\{"tree_yaml":"- heading \\"Second page\\".*","title":"Second page","element_count":[0-9]+,"page_id":"page-[0-9]+","url":"[^"]+"\}\}`},
				{`{ "id": "3", "action": "page.evaluate", "params": { "expression": "document.title" } }`, `\{"id":"3","success":true,"data":\{"value":"Second page","page_id":"page-[0-9]+"\}\}`},
			} {
				c.send(step.send)
				if got := c.next(); !regexp.MustCompile("^" + step.want + "$").MatchString(got) {
					t.Errorf("%s\ngot  %s\nwant %s", step.send, got, step.want)
				}
			}
			// Another connection goes on where this one was.
			other := dial(t, "ws"+strings.TrimPrefix(s.base(kind.prefix), "http")+"/ndjson", nil)
			other.send(`{"id":"4","action":"page.evaluate","params":{"expression":"document.title"}}`)
			if got := other.next(); !strings.Contains(got, `"value":"Second page"`) {
				t.Errorf("another connection's active page: %s", got)
			}
		})
	}
}
