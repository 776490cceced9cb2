package httpdiscovery

import (
	"cmp"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/cdphub/cdphub/targets"
)

type source struct {
	list    []targets.Info
	host    bool
	hangs   bool
	browser targets.Browser
	asked   *int // how often Refresh was called, where it matters
}

func (s source) Refresh(context.Context) {
	if s.asked != nil {
		*s.asked++
	}
}

func (s source) Active(string) uint64    { return 0 }
func (s source) Targets() []targets.Info { return s.list }
func (s source) HostConnected() bool     { return s.host }
func (s source) HostHangs() bool         { return s.hangs }
func (s source) Clients() int            { return 2 }

func (s source) Version() targets.Browser {
	return cmp.Or(s.browser, targets.Browser{Product: "Chrome/156.0", UserAgent: "Mozilla/5.0 test"})
}

// chromium is what a hub knows of a browser with one frame.
var chromium = source{list: []targets.Info{{ID: "F", Type: "iframe"}}, browser: targets.Browser{
	Product: "Chrome/156.0.1.2", UserAgent: "Mozilla/5.0 (X11) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/156.0.0.0",
	Revision: "@a21", JSVersion: "15.6.75", Protocol: "1.4",
}}

const (
	chromiumVersion = `{"Browser":"Chrome/156.0.1.2","File-Path-Style":"posix","Protocol-Version":"1.4","User-Agent":"Mozilla/5.0 (X11) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/156.0.0.0",` +
		`"V8-Version":"15.6.75","WebKit-Version":"537.36 (@a21)","webSocketDebuggerUrl":"ws://x.localhost:7/devtools/browser"}`
	devtools     = `devtools://devtools/bundled/inspector.html?ws=x.localhost%3A7%2Fdevtools%2Fpage%2F`
	chromiumList = `[{"description":"","devtoolsFrontendUrl":"` + devtools + `F","id":"F","title":"","type":"iframe","url":"",` +
		`"webSocketDebuggerUrl":"ws://x.localhost:7/devtools/page/F"}]`
)

// TestRefresh wants a browser to be asked for what is listed, and for no more.
func TestRefresh(t *testing.T) {
	for path, want := range map[string]int{"/json": 1, "/json/list": 1, "/icdp/status": 1, "/json/version": 0, "/health": 0, "/nothing": 0} {
		asked := 0
		Handler(source{asked: &asked}, Options{}).ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", path, nil))
		if asked != want {
			t.Errorf("%s: Refresh was called %d times, want %d", path, asked, want)
		}
	}
}

func TestHandler(t *testing.T) {
	full := source{list: []targets.Info{{ID: "T1", Title: `a "b" </script>`, URL: "http://app/"}}, host: true}
	var did []string
	actions := Options{
		New: func(_ context.Context, url string) (targets.Info, error) {
			did = append(did, "new "+url)
			return targets.Info{ID: "T2", URL: url}, nil
		},
		Activate: func(_ context.Context, id string) error { did = append(did, "activate "+id); return nil },
		Close:    func(context.Context, string) error { return errors.New("no") },
	}
	withUI := Options{FrontEnd: true, Ticket: func(id string) string { return "t-" + id }}
	withUIAndToken := withUI
	withUIAndToken.Query = "?token=x"
	const ui = "http://x.localhost:7/devtools/ui/inspector.html?ws=x.localhost%3A7%2Fdevtools%2Fpage%2F"
	policed := actions
	policed.Refuse = func(method string) string { return "Not allowed: " + method }
	failing := actions
	failing.New = func(context.Context, string) (targets.Info, error) { return targets.Info{}, errors.New("no") }
	const version = `{"Browser":"Chrome/156.0","Protocol-Version":"1.3","User-Agent":"Mozilla/5.0 test",` +
		`"V8-Version":"synthetic","WebKit-Version":"synthetic","webSocketDebuggerUrl":"ws://x.localhost:7/devtools/browser"}`
	const list = `[{"description":"icdp iframe target","devtoolsFrontendUrl":"","id":"T1","title":"a \"b\" \u003c/script\u003e",` +
		`"type":"page","url":"http://app/","webSocketDebuggerUrl":"ws://x.localhost:7/devtools/browser"}]`
	const status = `{"hostConnected":true,"targets":[{"targetId":"T1","title":"a \"b\" \u003c/script\u003e","url":"http://app/"}],"clients":2}`
	tests := []struct {
		request string
		source  source
		options Options
		status  int
		body    string
	}{
		{"GET /json/version", full, Options{}, 200, version},
		{"GET /json/version/", full, Options{}, 200, version},
		{"GET /json", full, Options{}, 200, list},
		{"GET /json/", full, Options{}, 200, list},
		{"GET /json/list", full, Options{}, 200, list},
		{"GET /json/list/?t=1", full, Options{}, 200, list},
		{"GET /json/list", source{}, Options{}, 200, "[]"},
		{"GET /json/version?chromium", chromium, Options{}, 200, chromiumVersion},
		{"GET /json/list?browser", chromium, Options{}, 200, chromiumList},
		{"GET /json/list?browser,R-22", chromium, Options{Query: "?token=x"}, 200, strings.ReplaceAll(strings.ReplaceAll(chromiumList, `%2FF`, `%2FF%3Ftoken%3Dx`), `page/F`, `page/F?token=x`)},
		{"GET /json/list?browser,never", chromium, Options{PageSockets: new(false)}, 200, strings.NewReplacer("devtools/page/F", "devtools/browser", devtools+"F", "").Replace(chromiumList)},
		{"GET /json/list", full, Options{PageSockets: new(true)}, 200, strings.NewReplacer("devtools/browser", "devtools/page/T1", `Url":""`, `Url":"`+devtools+`T1"`).Replace(list)},
		{"GET /json/list?never", full, Options{PageSockets: new(false)}, 200, list},
		{
			"GET /json/list?odd",
			source{list: []targets.Info{{ID: "a/../b?c#d %", URL: "http://app/"}}},
			Options{PageSockets: new(true)},
			200,
			`[{"description":"icdp iframe target","devtoolsFrontendUrl":"` + devtools + `a%252F..%252Fb%253Fc%2523d%2520%2525","id":"a/../b?c#d %","title":"","type":"page","url":"http://app/",` +
				`"webSocketDebuggerUrl":"ws://x.localhost:7/devtools/page/a%2F..%2Fb%3Fc%23d%20%25"}]`,
		},
		{"POST /icdp/status", full, Options{}, 405, "Method not allowed\n"},
		{"GET /icdp/status", full, Options{}, 200, status},
		{"GET /icdp/status/", source{}, Options{}, 200, `{"hostConnected":false,"targets":[],"clients":2}`},
		{"GET /icdp/status", source{host: true, hangs: true}, Options{}, 200, `{"hostConnected":true,"targets":[],"clients":2,"hostHangs":true}`},
		{"GET /health", source{}, Options{}, 200, `{"status":"ok"}`},
		{"GET /health?agents", source{}, Options{Agents: "0.8.0"}, 200, `{"status":"ok","version":"0.8.0"}`},
		{"GET //json/version", full, Options{}, 404, "Not found\n"},
		{"GET /json/../json/version", full, Options{}, 404, "Unknown command: .."},
		{"GET /JSON/VERSION", full, Options{}, 404, "Not found\n"},
		{"GET /json/version//", full, Options{}, 200, version},
		{"GET /json/nosuch", full, Options{}, 404, "Unknown command: nosuch"},
		{"GET /", full, Options{}, 404, "Not found\n"},
		{"POST /json/version", full, Options{}, 200, version},
		{"OPTIONS /json/list", full, Options{}, 200, list},
		{"get /json/list", full, Options{}, 200, list},
		{"POST /nothing", full, Options{}, 404, "Not found\n"},
		{"GET /hub/h1/health", full, Options{Prefix: "/hub/h1"}, 200, `{"status":"ok"}`},
		{"GET /health", full, Options{Prefix: "/hub/h1"}, 404, "Not found\n"},
		{"PUT /json/new", full, Options{}, 404, "Unknown command: new"},
		{"GET /json/close/T1", full, Options{}, 404, "Unknown command: close"},
		{"GET /json/new?http://a/", full, actions, 405, "Using unsafe HTTP verb GET to invoke /json/new. This action supports only PUT verb."},
		{"POST /json/close/T1", full, actions, 405, "Using unsafe HTTP verb POST to invoke /json/close. This action supports only GET verb."},
		{"OPTIONS /json/activate/T1", full, actions, 405, "Using unsafe HTTP verb OPTIONS to invoke /json/activate. This action supports only GET verb."},
		{"GET /json/activate/T1", full, actions, 200, "Target activated"},
		{"GET /json/activate/T9", full, actions, 404, "No such target id: T9"},
		{"GET /json/close/T1", full, actions, 500, "Could not close target id: T1: no"},
		{"GET /json/close/T1/", full, actions, 500, "Could not close target id: T1: no"},
		{"PUT /json/new?http://b/", full, failing, 500, "Could not create new page: no"},
		{"GET /json/list?R-22", full, Options{Query: "?token=x"}, 200, strings.Replace(list, `devtools/browser`, `devtools/browser?token=x`, 1)},
		{"GET /json/list?R-22,pages", full, Options{Query: "?token=x", PageSockets: new(true)}, 200, strings.NewReplacer(`devtools/browser`, `devtools/page/T1?token=x`, `Url":""`, `Url":"`+devtools+`T1%3Ftoken%3Dx"`).Replace(list)},
		{"GET /json/list?ui", full, withUI, 200, strings.Replace(list, `Url":""`, `Url":"`+ui+`T1%3Fticket%3Dt-T1"`, 1)},
		{"GET /json/list?ui,browser", chromium, withUI, 200, strings.Replace(chromiumList, devtools+"F", ui+"F%3Fticket%3Dt-F", 1)},
		{"GET /json?ui,browser", chromium, withUI, 200, chromiumList},
		{"GET /json?ui,browser,token", chromium, withUIAndToken, 200, strings.NewReplacer(devtools+"F", devtools+"F%3Fticket%3Dt-F", "page/F", "page/F?token=x").Replace(chromiumList)},
		{"PUT /json/new?R-24", full, policed, 403, "Not allowed: Target.createTarget"},
		{"GET /json/activate/T1?R-24", full, policed, 403, "Not allowed: Target.activateTarget"},
		{"GET /json/close/T1?R-24", full, policed, 403, "Not allowed: Target.closeTarget"},
		{"POST /json/close/T1?R-24", full, policed, 405, "Using unsafe HTTP verb POST to invoke /json/close. This action supports only GET verb."},
		{"PUT /json/new?http://a/%3Fb", full, actions, 200, `{"description":"icdp iframe target","devtoolsFrontendUrl":"","id":"T2",` +
			`"title":"","type":"page","url":"http://a/?b","webSocketDebuggerUrl":"ws://x.localhost:7/devtools/browser"}`},
	}
	for _, tt := range tests {
		t.Run(tt.request, func(t *testing.T) {
			var method, path string
			for i := range tt.request {
				if tt.request[i] == ' ' {
					method, path = tt.request[:i], tt.request[i+1:]
				}
			}
			req := httptest.NewRequest(method, "http://x.localhost:7"+path, nil)
			w := httptest.NewRecorder()
			Handler(tt.source, tt.options).ServeHTTP(w, req)
			if w.Code != tt.status || w.Body.String() != tt.body {
				t.Errorf("got %d %s\nwant %d %s", w.Code, w.Body, tt.status, tt.body)
			}
			kind := "application/json; charset=utf-8" // as Chromium 156 has it for texts, too
			if tt.body[len(tt.body)-1] == '\n' {
				kind = "text/plain; charset=utf-8"
			}
			if got := w.Header().Get("Content-Type"); got != kind {
				t.Errorf("Content-Type is %q, want %q", got, kind)
			}
			below, is := strings.CutPrefix(req.URL.Path, tt.options.Prefix)
			if serves := is && Serves(below); serves == (tt.body == "Not found\n") {
				t.Errorf("Serves is %v", serves)
			}
		})
	}
	if want := "activate T1,new http://a/?b"; len(did) != 2 || did[0]+","+did[1] != want {
		t.Errorf("done: %q, want %s", did, want)
	}
}

func TestEndpoint(t *testing.T) {
	h := &handler{source{}, Options{Prefix: "/hub/h1"}}
	req := httptest.NewRequest("GET", "/hub/h1/json/version", nil)
	req.Host, req.TLS = "[::1]:9", &tls.ConnectionState{}
	if got, want := h.endpoint(req, "browser"), "wss://[::1]:9/hub/h1/devtools/browser"; got != want {
		t.Errorf("endpoint is %s, want %s", got, want)
	}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.Host = ""
		w.Write([]byte(h.endpoint(r, "browser")))
	}))
	defer s.Close()
	resp, err := http.Get(s.URL)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	b := make([]byte, 200)
	n, _ := resp.Body.Read(b)
	if got, want := string(b[:n]), "ws://"+s.Listener.Addr().String()+"/hub/h1/devtools/browser"; got != want {
		t.Errorf("without a Host header the endpoint is %s, want %s", got, want)
	}
}

// A client builds its commands from the whole protocol.
func TestProtocol(t *testing.T) {
	w := httptest.NewRecorder()
	Handler(source{}, Options{}).ServeHTTP(w, httptest.NewRequest("GET", "/json/protocol/", nil))
	var p struct {
		Version struct{ Major, Minor string }
		Domains []struct {
			Domain   string
			Commands []struct{ Name string }
		}
	}
	if err := json.Unmarshal(w.Body.Bytes(), &p); err != nil || w.Code != 200 {
		t.Fatal(w.Code, err)
	}
	commands := map[string]bool{}
	for _, d := range p.Domains {
		for _, c := range d.Commands {
			commands[d.Domain+"."+c.Name] = true
		}
	}
	for _, want := range []string{"Page.navigate", "Runtime.evaluate", "Target.attachToTarget", "Log.enable"} {
		if !commands[want] {
			t.Errorf("%s is not in the protocol", want)
		}
	}
	if p.Version.Major != "1" || strings.Contains(w.Body.String(), `"description":"`) {
		t.Errorf("version %v, or there is prose in it", p.Version)
	}
}
