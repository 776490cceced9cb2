package clients

import (
	"errors"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/cdphub/cdphub/internal/e2e/harness"
)

// TestChromeDevToolsMCP uses the tools of chrome-devtools-mcp, which all checks
// share one server of, as agents do.
func TestChromeDevToolsMCP(t *testing.T) {
	e := newEndpoint(t)
	s := &server{
		e: e, ref: regexp.MustCompile(`uid=(\w+)`), shot: "take_snapshot", always: args{"pageId": 1},
		session: startServer(t, "chrome-devtools-mcp", "--browserUrl", "http://127.0.0.1:"+e.Port, "--no-usage-statistics"),
	}
	runChecks(t, "chrome-devtools-mcp", 10, func(t *testing.T) *server {
		s.use(t, "navigate_page", args{"type": "url", "url": s.url(harness.AppPage)})
		return s
	}, devtoolsTools)
}

// bare is the server for tools that are of no page, or of another one.
func (s *server) bare() *server { return &server{session: s.session, e: s.e} }

// evaluated calls evaluate_script, whose answer has the value as JSON.
func (s *server) evaluated(t *testing.T, function, want string) {
	t.Helper()
	s.use(t, "evaluate_script", args{"function": function}, want)
}

var devtoolsTools = []check[*server]{
	{"connect", "the server lists its tools", func(t *testing.T, s *server) {
		list, err := s.session.ListTools(t.Context(), nil)
		if err != nil || len(list.Tools) < 25 {
			t.Errorf("%d tools, %v", len(list.Tools), err)
		}
	}, nil},
	{"list pages", "list_pages", func(t *testing.T, s *server) {
		s.bare().use(t, "list_pages", args{}, "1: Field book ("+s.url(harness.AppPage)+")")
	}, nil},
	{"new page", "new_page", func(t *testing.T, s *server) {
		s.bare().use(t, "new_page", args{"url": s.url("/two.html")}, s.url("/two.html"))
		s.e.Site.Expect(t, "/two.html", "document.title", `"Second page"`)
	}, nil},
	{"close", "close_page of what was opened", func(t *testing.T, s *server) {
		said := s.bare().use(t, "list_pages", args{}, s.url("/two.html"))
		id := regexp.MustCompile(`(\d+): Second page`).FindStringSubmatch(said)
		if id == nil {
			t.Fatalf("no page in %s", said)
		}
		said = s.bare().use(t, "close_page", args{"pageId": number(t, id[1])})
		same(t, "it is closed", strings.Contains(said, "/two.html"), false)
	}, nil},
	{"goto", "navigate_page", func(t *testing.T, s *server) {
		s.use(t, "navigate_page", args{"type": "url", "url": s.url("/two.html")}, s.url("/two.html"))
		s.e.Site.Expect(t, "/two.html", "document.title", `"Second page"`)
	}, nil},
	{"reload", "navigate_page: reload", func(t *testing.T, s *server) {
		s.evaluated(t, "() => { window.old = true; return 1 }", "1")
		s.use(t, "navigate_page", args{"type": "reload"})
		s.is(t, "window.old ?? 'gone'", `"gone"`)
	}, nil},
	{"back", "navigate_page: back", func(t *testing.T, s *server) {
		s.use(t, "navigate_page", args{"type": "url", "url": s.url("/two.html")})
		s.use(t, "navigate_page", args{"type": "back"}, s.url(harness.AppPage))
	}, nil},
	{"forward", "navigate_page: forward", func(t *testing.T, s *server) {
		s.use(t, "navigate_page", args{"type": "url", "url": s.url("/two.html")})
		s.use(t, "navigate_page", args{"type": "back"}, s.url(harness.AppPage))
		s.use(t, "navigate_page", args{"type": "forward"}, s.url("/two.html"))
	}, nil},
	{"accessibility", "take_snapshot", func(t *testing.T, s *server) {
		s.use(t, "take_snapshot", args{}, `heading "Field book"`, `textbox "Name"`, `button "Add one"`, `checkbox "Newsletter" checked`)
	}, nil},
	{"click", "click", func(t *testing.T, s *server) {
		s.use(t, "click", args{"uid": s.find(t, `button "Add one"`)})
		s.is(t, text("count"), `"1"`)
	}, nil},
	{"dblclick", "click, double", func(t *testing.T, s *server) {
		s.use(t, "click", args{"uid": s.find(t, `button "Press twice"`), "dblClick": true})
		s.is(t, text("twice"), `"Pressed twice"`)
	}, nil},
	{"hover", "hover", func(t *testing.T, s *server) {
		s.use(t, "hover", args{"uid": s.find(t, "Hover here")})
		s.is(t, text("hover"), `"Inside"`)
	}, nil},
	{"drag", "drag", func(t *testing.T, s *server) {
		s.use(t, "drag", args{"from_uid": s.find(t, `"Card"`), "to_uid": s.find(t, `"Bin"`)})
		s.is(t, text("bin"), `"Got the card"`)
	}, nil},
	{"fill", "fill and fill_form", func(t *testing.T, s *server) {
		s.use(t, "fill", args{"uid": s.find(t, `textbox "Name"`), "value": "Ada"})
		s.use(t, "fill", args{"uid": s.find(t, `combobox "Plan"`), "value": "Team"})
		s.is(t, "["+value("name")+", "+value("plan")+"]", `["Ada","team"]`)
	}, nil},
	{"type", "type_text and submit", func(t *testing.T, s *server) {
		s.use(t, "click", args{"uid": s.find(t, `textbox "Name"`)})
		s.use(t, "type_text", args{"text": "Ada", "submitKey": "Enter"})
		s.is(t, text("saved"), `"Saved Ada, free, small, terms false"`)
	}, nil},
	{"press", "press_key", func(t *testing.T, s *server) {
		s.use(t, "click", args{"uid": s.find(t, `textbox "Name"`)})
		s.use(t, "press_key", args{"key": "Tab"})
		s.is(t, "document.activeElement.id", `"email"`)
	}, nil},
	{"upload", "upload_file", func(t *testing.T, s *server) {
		file := args{"uid": s.find(t, "Attachment"), "filePaths": []string{letter(t)}}
		if !harness.Privileged() {
			said, _, _ := s.call(t, "upload_file", file)
			refused(t, errors.New(said))
			return
		}
		s.use(t, "upload_file", file)
		s.is(t, fileOf, `["letter.txt","Dear reader"]`)
	}, nil},
	{"evaluate", "evaluate_script", func(t *testing.T, s *server) {
		s.evaluated(t, "async () => [document.title, 6 * 7]", `["Field book",42]`)
		s.use(t, "evaluate_script", args{"function": "(node) => node.title", "args": []string{s.find(t, `heading "Field book"`)}}, `"The book"`)
	}, nil},
	{"evaluate errors", "a function that throws", func(t *testing.T, s *server) {
		said, _, failed := s.call(t, "evaluate_script", args{"function": "() => { throw new Error('out of reach') }"})
		same(t, "it fails and says why", failed && strings.Contains(said, "out of reach"), true)
	}, nil},
	{"evaluate promises", "evaluate_script of an async function", func(t *testing.T, s *server) {
		s.evaluated(t, "async () => { await 0; return 6 * 7; }", "42")
	}, nil},
	{"keyboard shortcuts", "press_key: Control+A", func(t *testing.T, s *server) {
		s.use(t, "fill", args{"uid": s.find(t, `textbox "Name"`), "value": "Grace"})
		s.use(t, "click", args{"uid": s.find(t, `textbox "Name"`)})
		s.use(t, "press_key", args{"key": "Control+A"})
		s.use(t, "press_key", args{"key": "x"})
		s.is(t, value("name"), `"x"`)
	}, nil},
	{"viewport", "resize_page", func(t *testing.T, s *server) {
		s.use(t, "emulate", args{"viewport": "700x500x1"})
		s.is(t, "[innerWidth, innerHeight]", "[700,500]")
		s.use(t, "emulate", args{"viewport": ""})
	}, nil},
	{"page error", "list_console_messages of an exception", func(t *testing.T, s *server) {
		s.use(t, "click", args{"uid": s.find(t, `button "Break"`)})
		s.use(t, "list_console_messages", args{}, "broken on purpose")
	}, nil},
	{"console", "list_console_messages", func(t *testing.T, s *server) {
		s.use(t, "click", args{"uid": s.find(t, `button "Speak"`)})
		s.use(t, "list_console_messages", args{}, "[log] plain words 7", "[warn] careful words", "[error] harsh words")
	}, nil},
	{"dialog", "handle_dialog", func(t *testing.T, s *server) {
		s.use(t, "click", args{"uid": s.find(t, `button "Ring"`)}, "The alarm")
		s.use(t, "handle_dialog", args{"action": "accept"})
		s.is(t, text("alarm"), `"Rang"`)
	}, nil},
	{"request and response events", "list_network_requests", func(t *testing.T, s *server) {
		s.evaluated(t, "() => fetch('/api/echo', { method: 'POST', body: 'words' }).then((r) => r.status)", "200")
		said := s.use(t, "list_network_requests", args{"resourceTypes": []string{"fetch"}}, "POST "+s.url("/api/echo"))
		id := regexp.MustCompile(`reqid=(\d+) POST`).FindStringSubmatch(said)
		if id == nil {
			t.Fatalf("no id in %s", said)
		}
		s.use(t, "get_network_request", args{"reqid": number(t, id[1])}, "words", `"method":"POST"`)
	}, nil},
	{"wait for", "wait_for", func(t *testing.T, s *server) {
		s.use(t, "click", args{"uid": s.find(t, `button "Fetch later"`)})
		s.use(t, "wait_for", args{"text": []string{"Arrived late"}})
		s.is(t, "window.arrived", "true")
	}, nil},
	{"screenshot", "take_screenshot", func(t *testing.T, s *server) {
		_, pictures, failed := s.call(t, "take_screenshot", args{})
		same(t, "it fails", failed, false)
		same(t, "pictures", pictures, 1)
	}, nil},
	{"element screenshot", "take_screenshot of an element", func(t *testing.T, s *server) {
		_, pictures, failed := s.call(t, "take_screenshot", args{"uid": s.find(t, `button "Add one"`)})
		same(t, "it fails", failed, false)
		same(t, "pictures", pictures, 1)
	}, nil},
	{"emulation", "emulate a dark scheme", func(t *testing.T, s *server) {
		s.use(t, "emulate", args{"colorScheme": "dark"})
		s.evaluated(t, "() => matchMedia('(prefers-color-scheme: dark)').matches", "true")
		s.use(t, "emulate", args{"colorScheme": "auto"})
	}, nil},
	{"profiling", "take_heapsnapshot", func(t *testing.T, s *server) {
		s.use(t, "take_heapsnapshot", args{"filePath": filepath.Join(scratch, "heap.heapsnapshot")})
	}, &difference[*server]{Cannot, "Page script cannot read its own heap.", func(t *testing.T, s *server) {
		said, _, failed := s.call(t, "take_heapsnapshot", args{"filePath": filepath.Join(scratch, "heap.heapsnapshot")})
		same(t, "it fails and says why", failed && strings.Contains(said, "HeapProfiler"), true)
	}}},
}
