package clients

import (
	"regexp"
	"strings"
	"testing"

	"github.com/cdphub/cdphub/internal/e2e/harness"
)

// TestPlaywrightMCP uses the tools of Playwright MCP, which all checks share one
// server of, as agents do.
func TestPlaywrightMCP(t *testing.T) {
	e := newEndpoint(t)
	s := startPlaywrightMCP(t, e)
	runChecks(t, "Playwright MCP", 10, func(t *testing.T) *server {
		s.use(t, "browser_navigate", args{"url": s.url(harness.AppPage)}, "Page Title: Field book")
		return s
	}, playwrightTools)
}

var playwrightTools = []check[*server]{
	{"connect", "the server lists its tools", func(t *testing.T, s *server) {
		list, err := s.session.ListTools(t.Context(), nil)
		if err != nil || len(list.Tools) < 20 {
			t.Errorf("%d tools, %v", len(list.Tools), err)
		}
	}, nil},
	{"goto", "browser_navigate", func(t *testing.T, s *server) {
		s.use(t, "browser_navigate", args{"url": s.url("/two.html")}, "Page URL: "+s.url("/two.html"), "Page Title: Second page")
	}, nil},
	{"back", "browser_navigate_back", func(t *testing.T, s *server) {
		s.use(t, "browser_navigate", args{"url": s.url("/two.html")})
		s.use(t, "browser_navigate_back", args{}, "Page Title: Field book")
	}, nil},
	{"accessibility", "browser_snapshot", func(t *testing.T, s *server) {
		said := s.use(t, "browser_snapshot", args{}, `heading "Field book" [level=1]`, `textbox "Name"`, `button "Out of order" [disabled]`, `checkbox "Newsletter" [checked]`)
		same(t, "hidden words", strings.Contains(said, "Hidden words"), false)
	}, nil},
	{"click", "browser_click", func(t *testing.T, s *server) {
		s.use(t, "browser_click", args{"element": "Add one", "target": s.find(t, `button "Add one"`)})
		s.is(t, text("count"), `"1"`)
	}, nil},
	{"dblclick", "browser_click, double", func(t *testing.T, s *server) {
		s.use(t, "browser_click", args{"element": "Press twice", "target": s.find(t, `button "Press twice"`), "doubleClick": true})
		s.is(t, text("twice"), `"Pressed twice"`)
	}, nil},
	{"hover", "browser_hover", func(t *testing.T, s *server) {
		s.use(t, "browser_hover", args{"element": "Hover here", "target": "#hover"})
		s.is(t, text("hover"), `"Inside"`)
	}, nil},
	{"drag", "browser_drag", func(t *testing.T, s *server) {
		s.use(t, "browser_drag", args{"startElement": "Card", "startTarget": "#card", "endElement": "Bin", "endTarget": "#bin"})
		s.is(t, text("bin"), `"Got the card"`)
	}, nil},
	{"type", "browser_type and submit", func(t *testing.T, s *server) {
		s.use(t, "browser_type", args{"element": "Name", "target": s.find(t, `textbox "Name"`), "text": "Ada", "submit": true})
		s.is(t, text("saved"), `"Saved Ada, free, small, terms false"`)
	}, nil},
	{"fill", "browser_fill_form", func(t *testing.T, s *server) {
		s.use(t, "browser_fill_form", args{"fields": []args{
			{"name": "Name", "target": "#name", "type": "textbox", "value": "Ada"},
			{"name": "Terms", "target": "#terms", "type": "checkbox", "value": "true"},
			{"name": "Plan", "target": "#plan", "type": "combobox", "value": "Team"},
		}})
		s.is(t, "["+value("name")+", document.getElementById('terms').checked, "+value("plan")+"]", `["Ada",true,"team"]`)
	}, nil},
	{"press", "browser_press_key", func(t *testing.T, s *server) {
		s.use(t, "browser_click", args{"element": "Name", "target": "#name"})
		s.use(t, "browser_press_key", args{"key": "x"})
		s.use(t, "browser_press_key", args{"key": "Tab"})
		s.is(t, "["+value("name")+", document.activeElement.id]", `["x","email"]`)
	}, nil},
	{"select", "browser_select_option", func(t *testing.T, s *server) {
		s.use(t, "browser_select_option", args{"element": "Plan", "target": s.find(t, `combobox "Plan"`), "values": []string{"pro"}})
		s.is(t, value("plan"), `"pro"`)
	}, nil},
	{"upload", "browser_file_upload", func(t *testing.T, s *server) {
		s.use(t, "browser_click", args{"element": "Attachment", "target": "#file"}, "File chooser")
		s.use(t, "browser_file_upload", args{"paths": []string{letter(t)}})
		s.is(t, fileOf, `["letter.txt","Dear reader"]`)
	}, nil},
	{"evaluate", "browser_evaluate", func(t *testing.T, s *server) {
		s.use(t, "browser_evaluate", args{"function": "() => document.title + location.pathname"}, `"Field book/app.html"`)
		s.use(t, "browser_evaluate", args{"function": "(node) => node.title", "element": "Heading", "target": "#heading"}, `"The book"`)
	}, nil},
	{"evaluate errors", "a function that throws", func(t *testing.T, s *server) {
		said, _, failed := s.call(t, "browser_evaluate", args{"function": "() => { throw new Error('out of reach') }"})
		same(t, "it fails and says why", failed && strings.Contains(said, "out of reach"), true)
	}, nil},
	{"console", "browser_console_messages", func(t *testing.T, s *server) {
		s.use(t, "browser_click", args{"element": "Speak", "target": "#speak"})
		s.use(t, "browser_console_messages", args{"level": "debug"}, "plain words 7", "careful words", "harsh words")
	}, nil},
	{"dialog", "browser_handle_dialog", func(t *testing.T, s *server) {
		s.use(t, "browser_click", args{"element": "Ring", "target": "#alarm"}, "The alarm")
		s.use(t, "browser_handle_dialog", args{"accept": true})
		s.is(t, text("alarm"), `"Rang"`)
	}, nil},
	{"request and response events", "browser_network_requests", func(t *testing.T, s *server) {
		s.use(t, "browser_evaluate", args{"function": "() => fetch('/api/echo', { method: 'POST', body: 'words' }).then((r) => r.text())"})
		// Chromium tells of the response after the page may have it.
		for range 100 {
			if said := s.use(t, "browser_network_requests", args{"static": false}, "[POST] "+s.url("/api/echo")); strings.Contains(said, "[200]") {
				return
			}
		}
		t.Error("the request has no status")
	}, nil},
	{"wait for", "browser_wait_for", func(t *testing.T, s *server) {
		s.use(t, "browser_click", args{"element": "Fetch later", "target": "#later"})
		s.use(t, "browser_wait_for", args{"text": "Arrived late"})
		s.is(t, "window.arrived", "true")
	}, nil},
	{"screenshot", "browser_take_screenshot", func(t *testing.T, s *server) {
		_, pictures, failed := s.call(t, "browser_take_screenshot", args{"scale": "css"})
		same(t, "it fails", failed, false)
		same(t, "pictures", pictures, 1)
	}, nil},
	{"element screenshot", "browser_take_screenshot of an element", func(t *testing.T, s *server) {
		_, pictures, failed := s.call(t, "browser_take_screenshot", args{"scale": "css", "element": "Pad", "target": "#pad"})
		same(t, "it fails", failed, false)
		same(t, "pictures", pictures, 1)
	}, nil},
	{"viewport", "browser_resize", func(t *testing.T, s *server) {
		s.use(t, "browser_resize", args{"width": 700, "height": 500})
		s.is(t, "[innerWidth, innerHeight]", "[700,500]")
	}, nil},
	{"list pages", "browser_tabs: list", func(t *testing.T, s *server) {
		s.use(t, "browser_tabs", args{"action": "list"}, "Field book", s.url(harness.AppPage))
	}, nil},
	{"check", "browser_fill_form of a checkbox", func(t *testing.T, s *server) {
		s.use(t, "browser_fill_form", args{"fields": []args{{"name": "Terms", "target": "#terms", "type": "checkbox", "value": "true"}}})
		s.is(t, "document.getElementById('terms').checked", "true")
	}, nil},
	{"keyboard shortcuts", "browser_press_key: Control+A", func(t *testing.T, s *server) {
		s.use(t, "browser_type", args{"element": "Name", "target": "#name", "text": "Grace"})
		s.use(t, "browser_press_key", args{"key": "Control+A"})
		s.use(t, "browser_press_key", args{"key": "x"})
		s.is(t, value("name"), `"x"`)
	}, nil},
	{"evaluate promises", "browser_evaluate of an async function", func(t *testing.T, s *server) {
		s.use(t, "browser_evaluate", args{"function": "async () => { await 0; return 6 * 7; }"}, "42")
	}, nil},
	{"frames", "browser_click in a child frame", func(t *testing.T, s *server) {
		s.use(t, "browser_navigate", args{"url": s.url("/frames.html")})
		frame := regexp.MustCompile(`(?s)iframe.*?button "Press" \[ref=(\w+)\]`).FindStringSubmatch(s.use(t, "browser_snapshot", args{}))
		if frame == nil {
			t.Fatal("no button in a frame")
		}
		s.use(t, "browser_click", args{"element": "Press", "target": frame[1]})
		s.e.Site.Expect(t, "/child.html", text("press"), `"Inner pressed"`)
	}, nil},
	{"new page", "browser_tabs: new", func(t *testing.T, s *server) {
		s.use(t, "browser_tabs", args{"action": "new", "url": s.url("/two.html")}, "Second page", "Field book")
		s.e.Site.Expect(t, "/two.html", "document.title", `"Second page"`)
	}, nil},
	{"close", "browser_tabs: close what was opened", func(t *testing.T, s *server) {
		said := s.use(t, "browser_tabs", args{"action": "close", "index": 1}, "Field book")
		same(t, "it is closed", strings.Contains(said, "/two.html"), false)
	}, nil},
}
