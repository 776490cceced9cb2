package server

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cdphub/cdphub/actions"
	"github.com/cdphub/cdphub/relay"
	"github.com/cdphub/cdphub/targets"
)

// shell is a hub with tokens whose Host page is the ready-made one, in a
// Chromium that the test can ask what is in the page.
type shell struct {
	started
	app  *httptest.Server
	url  string        // of the Host page, with its token
	page *actions.Page // the Host page
}

func newShell(t *testing.T) *shell {
	t.Helper()
	s := new(shell)
	s.app = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprintf(w, `<!doctype html><title>App</title><script src="http://%s/agent.js" data-parents="http://%[1]s"></script>
			<a id=blank href="about:blank" target=_blank>blank</a> <a id=bare href="about:blank" target=named rel=opener>named</a>`, s.addr(true))
	}))
	t.Cleanup(s.app.Close)
	s.started = start(t, withTokens)
	b, err := actions.Open(t.Context(), usersBrowser(t).Join("chromium"), actions.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.Close)
	ownHostPages.Store(s.Server, true)
	s.url = "http://" + s.addr(true) + "/shell?app=" + s.app.URL + "/#" + s.fragment()
	if s.page, err = b.NewPage(t.Context(), s.url, ""); err != nil {
		t.Fatal(err)
	}
	s.paired(t)
	return s
}

// paired waits until the Host page shows the app.
func (s *shell) paired(t *testing.T) {
	t.Helper()
	hub, release, err := s.hubs.Acquire(relay.DefaultHub)
	if err != nil {
		t.Fatal(err)
	}
	defer release()
	for end := time.Now().Add(within); !slices.ContainsFunc(hub.Targets(nil), func(i targets.Info) bool { return i.Title != "" }); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("the app has not paired: %s", s.inside(t, "document.body.innerText"))
		}
	}
}

// inside evaluates an expression in the Host page, past the hub's default one,
// and returns it as JSON.
func (s *shell) inside(t *testing.T, expression string) string {
	t.Helper()
	v, err := s.page.Evaluate(t.Context(), expression, actions.EvaluateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return string(v.JSON)
}

// nobodys fails the test if a frame shows a document of the Host page's own
// origin, or has left a trace there.
func (s *shell) nobodys(t *testing.T, after string) {
	t.Helper()
	const look = `[...document.querySelectorAll("iframe")].filter((f) => f.contentDocument).map((f) => f.contentDocument.URL).concat(Object.keys(globalThis).filter((k) => k === "taken"), document.title === "taken" ? ["title"] : [])`
	got := s.inside(t, look)
	// Each iframe begins with a document of the page around it, before there is any in it to do harm.
	for end := time.Now().Add(within); strings.Contains(got, "about:blank") && time.Now().Before(end); got = s.inside(t, look) {
		time.Sleep(10 * time.Millisecond)
	}
	if got != "[]" {
		t.Errorf("after %s the Host page reaches, or was reached by: %s", after, got)
	}
}

// attacker is a Client of frames.
type attacker struct {
	*far
	last int
	came []string // events that nobody has waited for yet
}

// await takes the first message that contains want, and keeps those before it.
func (a *attacker) await(want string) string {
	a.t.Helper()
	for i, m := range a.came {
		if strings.Contains(m, want) {
			a.came = slices.Delete(a.came, i, i+1)
			return m
		}
	}
	for {
		m := a.next()
		if strings.Contains(m, want) {
			return m
		}
		a.came = append(a.came, m)
	}
}

func (s *shell) attacker(t *testing.T) *attacker {
	t.Helper()
	a := &attacker{far: dial(t, "ws://"+s.addr(false)+"/devtools/browser", bearer(clientToken))}
	a.call("", "Target.setAutoAttach", map[string]any{"autoAttach": true, "waitForDebuggerOnStart": false, "flatten": true})
	return a
}

// call sends a command and returns its answer.
func (a *attacker) call(session, method string, params map[string]any) string {
	a.t.Helper()
	a.last++
	m := map[string]any{"id": a.last, "method": method, "params": params}
	if session != "" {
		m["sessionId"] = session
	}
	text, err := json.Marshal(m)
	if err != nil {
		a.t.Fatal(err)
	}
	a.send(string(text))
	return a.await(fmt.Sprintf(`{"id":%d,`, a.last))
}

// attached is the session that comes with the next page.
func (a *attacker) attached(t *testing.T) string {
	t.Helper()
	var event struct {
		Params struct{ SessionID string }
	}
	if err := json.Unmarshal([]byte(a.await(`"Target.attachedToTarget"`)), &event); err != nil {
		t.Fatal(err)
	}
	return event.Params.SessionID
}

// says evaluates an expression and returns its value, which is text, or the
// whole answer.
func (a *attacker) says(session, expression string) string {
	a.t.Helper()
	evaluate := func() string {
		return a.call(session, "Runtime.evaluate", map[string]any{"expression": expression, "awaitPromise": true, "returnByValue": true})
	}
	answer := evaluate()
	for end := time.Now().Add(10 * time.Second); strings.Contains(answer, "Cannot find context") && time.Now().Before(end); answer = evaluate() {
		time.Sleep(20 * time.Millisecond) // its document is being replaced
	}
	var m struct {
		Result struct{ Result struct{ Value *string } }
	}
	if err := json.Unmarshal([]byte(answer), &m); err != nil || m.Result.Result.Value == nil {
		return answer
	}
	return *m.Result.Result.Value
}

// upwards is what a document has to say of its origin, and of what it reaches
// of the outermost page.
const upwards = `(() => { try { return origin + " reaches " + top.location.hash + top.document.title + (top.taken = 1) } catch (e) { return origin + " " + e.name } })()`

// inChildren makes child frames of every kind and tells what each says.
const inChildren = `(async () => {
	const probe = ` + "`parent.postMessage(NAME + ': ' + " + upwards + ", '*')`" + `;
	const of = (name) => "<script>" + probe.replace("NAME", JSON.stringify(name)) + "<" + "/script>";
	const blob = URL.createObjectURL(new Blob([of("blob")], { type: "text/html" }));
	const kinds = {
		srcdoc: (f) => f.srcdoc = of("srcdoc"),
		data: (f) => f.src = "data:text/html," + encodeURIComponent(of("data")),
		blob: (f) => f.src = blob,
		javascript: (f) => f.src = "javascript:" + encodeURIComponent(JSON.stringify(of("javascript"))),
		sandboxed: (f) => { f.sandbox = "allow-scripts"; f.srcdoc = of("sandboxed") },
		written: () => {},
	};
	const heard = [];
	addEventListener("message", (e) => { if (typeof e.data === "string") heard.push(e.data) });
	for (const name in kinds) {
		const f = document.createElement("iframe");
		kinds[name](f);
		document.body.append(f);
		if (name === "written") f.contentDocument.write(of("written"));
	}
	for (const end = Date.now() + 10000; heard.length < 6 && Date.now() < end;) await new Promise((r) => setTimeout(r, 20));
	return heard.sort().join("\n");
})()`

// TestR120BlankDocumentsAreNobodys takes a frame to documents without a server
// in every way that a Client has, and looks for the Host page's origin.
func TestR120BlankDocumentsAreNobodys(t *testing.T) {
	t.Parallel()
	s := newShell(t)
	a := s.attacker(t)
	session := a.attached(t)
	const blank, refused = "null SecurityError", "SecurityError"
	own := s.app.URL + " " + refused
	check := func(what, session, want string) {
		t.Helper()
		if got := a.says(session, upwards); got != want {
			t.Errorf("%s: %s, want %s", what, got, want)
		}
		s.nobodys(t, what)
	}
	children := func(what string) {
		t.Helper()
		got := a.says(session, inChildren)
		if strings.Count(got, refused) != 6 || strings.Contains(got, "reaches") || strings.Contains(got, s.addr(true)) {
			t.Errorf("child frames of %s: %s", what, got)
		}
		s.nobodys(t, "child frames of "+what)
	}
	navigate := func(url string) string { return a.call(session, "Page.navigate", map[string]any{"url": url}) }

	check("the app", session, own)
	children("the app")
	for _, url := range []string{"about:blank", "about:blank?x", "about:blank#x", "data:text/html,<p>x"} {
		navigate(url)
		check(url, session, blank)
	}
	navigate("about:blank")
	if got := a.says(session, "location.href + ' ' + document.URL"); got != "about:blank about:blank" {
		t.Errorf("a blank document has the address %s", got)
	}
	children("a blank document")
	for _, script := range []string{
		"document.open(), document.write('<p>x'), document.close()", "document.body.innerHTML = '<p>x'",
		"location.href = 'javascript:1'", "setTimeout(() => location.reload()), new Promise((r) => setTimeout(r, 500))", "location.hash = 'x'",
	} {
		a.says(session, script)
		check("a blank document after "+script, session, blank)
	}
	a.call(session, "Page.reload", map[string]any{})
	check("a blank document after Page.reload", session, blank)
	if got := a.says(session, "location.href"); got != "about:blank#x" {
		t.Errorf("reloaded, a blank document has the address %s", got)
	}
	navigate("about:blank")
	navigate(s.app.URL + "/two")
	a.says(session, "setTimeout(() => history.back()), new Promise((r) => setTimeout(r, 500))")
	if got := a.says(session, upwards); got != blank && !strings.Contains(got, "no Frame Agent") && !strings.Contains(got, "Cannot find context") {
		t.Errorf("history: %s, want %s, or nobody who could say anything", got, blank)
	}
	s.nobodys(t, "history")
	navigate(s.app.URL + "/three")
	check("the app again", session, own)
	a.says(session, "(setTimeout(() => { location = 'about:blank' }), 'its own')")
	time.Sleep(300 * time.Millisecond)
	s.nobodys(t, "a blank document of the app's own")
	navigate(s.app.URL + "/four")
	check("the app after it", session, own)

	for _, url := range []string{
		"javascript:top.taken=1", "javascript:parent.document.title='taken'", "JavaScript:taken=1", "about:srcdoc", "about:BLANK", "about:blan%6b",
		"blob:http://" + s.addr(true) + "/00000000-0000-0000-0000-000000000000", "blob:null/0", "data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg'/>",
		"http://" + s.addr(true) + "/shell?app=x", "filesystem:http://" + s.addr(true) + "/x", "view-source:about:blank", "file:///etc/passwd", "chrome://version",
	} {
		if got := navigate(url); !strings.Contains(got, `"error"`) {
			t.Errorf("Page.navigate to %s: %s", url, got)
		}
		s.nobodys(t, url)
	}
}

// TestR120WindowsAreNobodys opens windows of every kind.
func TestR120WindowsAreNobodys(t *testing.T) {
	t.Parallel()
	s := newShell(t)
	a := s.attacker(t)
	session := a.attached(t)
	opened := func(what string) {
		t.Helper()
		if got := a.says(a.attached(t), upwards); got != "null SecurityError" {
			t.Errorf("%s: %s", what, got)
		}
		s.nobodys(t, what)
	}
	for _, script := range []string{
		"window.open('about:blank')", "window.open('')", "window.open()", "window.open('about:blank', 'w')", "blank.click()", "bare.click()",
		"window.open('', '_blank', 'noopener')",
	} {
		a.says(session, "("+script+", 'opened')")
		opened(script)
	}
	for _, url := range []string{"about:blank", ""} {
		a.last++
		a.send(fmt.Sprintf(`{"id":%d,"method":"Target.createTarget","params":{"url":%q}}`, a.last, url))
		opened("Target.createTarget " + url)
	}
	if status, body := s.ask(t, http.MethodPut, "/json/new?about:blank"); status != 200 {
		t.Errorf("/json/new: %d %s", status, body)
	}
	opened("/json/new")

	for _, url := range []string{
		"javascript:top.taken=1", "javascript:void(document.title='taken')", "about:srcdoc", "data:text/html,x", "http://" + s.addr(true) + "/shell",
		"/shell", "shell", "blob:http://" + s.addr(true) + "/0",
	} {
		if got := a.call("", "Target.createTarget", map[string]any{"url": url}); !strings.Contains(got, `"error"`) {
			t.Errorf("Target.createTarget %s: %s", url, got)
		}
		a.says(session, fmt.Sprintf("(window.open(%q), 'opened')", url))
		s.nobodys(t, url)
	}
}

// TestBlankInASandbox leads a frame that its page has sandboxed to a blank page: its documents are each of an
// origin of their own, so it keeps the address that the Host has made.
func TestBlankInASandbox(t *testing.T) {
	t.Parallel()
	s := newShell(t)
	a := s.attacker(t)
	session := a.attached(t)
	s.inside(t, `document.querySelector("iframe").setAttribute("sandbox", "allow-scripts")`)
	if got := a.call(session, "Page.navigate", map[string]any{"url": "about:blank"}); strings.Contains(got, `"error`) {
		t.Fatalf("Page.navigate: %s", got)
	}
	if got := a.says(session, "origin + document.body.innerHTML"); got != "null" {
		t.Errorf("the blank page says %s", got)
	}
}

// ask sends a request to the side of Clients, with a token.
func (s *shell) ask(t *testing.T, method, path string) (int, string) {
	t.Helper()
	got := raw(t, s.addr(false), asking(method+" "+path+" HTTP/1.1", "Host: localhost", "Authorization: Bearer "+clientToken, "Connection: close"))
	return got.status, got.body
}

// TestR120ThroughActions does it by an action API.
func TestR120ThroughActions(t *testing.T) {
	t.Parallel()
	s := newShell(t)
	c := dial(t, "ws://"+s.addr(false)+"/ndjson", bearer(clientToken))
	for _, line := range []string{
		`{"id":"1","action":"tab.list"}`, `{"id":"2","action":"page.navigate","params":{"url":"about:blank"}}`,
		`{"id":"3","action":"page.evaluate","params":{"expression":` + fmt.Sprintf("%q", upwards) + `}}`,
		`{"id":"4","action":"tab.new"}`, `{"id":"5","action":"page.evaluate","params":{"expression":` + fmt.Sprintf("%q", upwards) + `}}`,
	} {
		c.send(line)
		got := c.next()
		if strings.Contains(line, "evaluate") && !strings.Contains(got, `"null SecurityError"`) {
			t.Errorf("%s: %s", line, got)
		}
		s.nobodys(t, line)
	}
}

// TestR121TokensLeaveTheAddress looks for the token of a Host page, and reloads
// the page.
func TestR121TokensLeaveTheAddress(t *testing.T) {
	t.Parallel()
	s := newShell(t)
	_, token, _ := strings.Cut(s.url, "#token=")
	look := func(when string) {
		t.Helper()
		const places = `[location.href, document.referrer, name, document.documentElement.outerHTML, ...Object.values(localStorage), ...Object.values(sessionStorage), document.cookie, ...[...document.querySelectorAll("iframe")].map((f) => f.src)].join()`
		if got := s.inside(t, places); strings.Contains(got, token) {
			t.Errorf("%s the token is in %s", when, got)
		}
	}
	look("at first")
	a := s.attacker(t)
	session := a.attached(t)
	a.call(session, "Page.navigate", map[string]any{"url": "about:blank"})
	if got := a.says(session, "document.referrer"); got != "" && got != "http://"+s.addr(true)+"/" {
		t.Errorf("a blank document knows that it comes from %s", got)
	}
	if _, err := s.page.Reload(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	if got := s.inside(t, "location.hash + document.title.length"); got == `""` {
		t.Errorf("after the reload: %s", got)
	}
	for end := time.Now().Add(within); !strings.Contains(s.inside(t, "document.body.innerText"), "Connected to the hub"); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("after the reload: %s", s.inside(t, "document.body.innerText"))
		}
	}
	look("after a reload")
}
