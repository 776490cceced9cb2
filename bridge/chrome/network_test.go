package chrome

import (
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
	"go.uber.org/zap/zaptest/observer"

	"github.com/cdphub/cdphub/internal/urlpolicy"
)

// policed is a browser whose pages are held to a policy, before a site that is
// ok.test, and, where nobody may ask, secret.test, inner.test and 127.0.0.2. No
// other host can be reached.
type policed struct {
	*liveHub
	page           string // a session on a page
	starts         int
	ok             string   // "http://ok.test:80"
	refused        []string // origins, one by its name, one by where its name leads, and by its address in spellings
	log            *observer.ObservedLogs
	mu             sync.Mutex
	asked, trespas []string // "HOST/PATH HEADERS" of requests, and those that should not be there
}

func policedBrowser(t *testing.T, o urlpolicy.Options, change func(*Options)) *policed {
	t.Helper()
	p := new(policed)
	handler := http.HandlerFunc(p.serve)
	open := httptest.NewServer(handler)
	t.Cleanup(open.Close)
	ln, err := net.Listen("tcp", "127.0.0.2:0")
	if err != nil {
		t.Skipf("this machine has no second address on loopback: %v", err)
	}
	closed := httptest.NewUnstartedServer(handler)
	closed.Listener.Close()
	closed.Listener = ln
	closed.Start()
	t.Cleanup(closed.Close)
	_, port, _ := net.SplitHostPort(ln.Addr().String())
	p.ok = "http://ok.test"
	p.refused = []string{"http://secret.test", "http://inner.test", "http://127.0.0.2:" + port, "http://2130706434:" + port, "http://[::ffff:127.0.0.2]:" + port}
	rules := fmt.Sprintf("MAP ok.test %[1]s, MAP also.test %[1]s, MAP secret.test %[1]s, MAP inner.test %[2]s, MAP * ~NOTFOUND, EXCLUDE 127.0.0.*",
		open.Listener.Addr(), ln.Addr())
	core, log := observer.New(zapcore.DebugLevel)
	p.log = log
	policy, err := urlpolicy.New(o)
	if err != nil {
		t.Fatal(err)
	}
	options := shellOptions(t)
	options.Network, options.Args, options.Log = policy, []string{rulesArg + rules}, zap.New(core)
	if change != nil {
		change(&options)
	}
	p.liveHub = serveLive(t, Serve, options)
	p.attach("a")
	_, p.page = p.liveHub.page("a", "about:blank", "")
	return p
}

// byLists refuses what nobody may ask for.
var byLists = urlpolicy.Options{Block: []string{"secret.test", "127.0.0.2"}}

func (p *policed) serve(w http.ResponseWriter, r *http.Request) {
	host, _, err := net.SplitHostPort(r.Host)
	if err != nil {
		host = r.Host
	}
	line := host + r.URL.Path + " " + r.Header.Get("Sec-Purpose")
	p.mu.Lock()
	if p.asked = append(p.asked, line); host != "ok.test" && host != "also.test" && host != "127.0.0.1" {
		p.trespas = append(p.trespas, line)
	}
	p.mu.Unlock()
	w.Header().Set("Content-Type", "text/html")
	switch r.URL.Path {
	case "/redirect":
		code := http.StatusFound
		fmt.Sscan(r.FormValue("code"), &code)
		w.Header().Set("Location", r.FormValue("to"))
		w.WriteHeader(code)
	case "/body":
		fmt.Fprint(w, r.FormValue("body"))
	default:
		fmt.Fprint(w, "<title>", r.URL.Path, "</title>")
	}
}

// awaitAsked waits for a request.
func (p *policed) awaitAsked(line string) {
	p.t.Helper()
	for end := time.Now().Add(patience); ; time.Sleep(5 * time.Millisecond) {
		p.mu.Lock()
		for _, a := range p.asked {
			if strings.HasPrefix(a, line) {
				p.mu.Unlock()
				return
			}
		}
		all := fmt.Sprint(p.asked)
		p.mu.Unlock()
		if time.Now().After(end) {
			p.t.Fatalf("%s is not asked for, but %s", line, all)
		}
	}
}

func (p *policed) refusals() int { return p.log.FilterMessage("a document is refused").Len() }

// awaitRefusal waits until a further document has been refused.
func (p *policed) awaitRefusal(before int, what string) {
	p.t.Helper()
	for end := time.Now().Add(patience); p.refusals() == before; time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			p.t.Fatalf("%s is not refused", what)
		}
	}
}

// goBack goes back to what was refused, which is refused again. Chromium may end such a
// navigation by itself, without a request to judge (seen with Chromium 156 on a busy
// machine): it stays where it is, or shows its error page, as it must in the end.
func (p *policed) goBack(before int) {
	p.t.Helper()
	for range 10 {
		p.run("setTimeout(() => history.back())")
		for end := time.Now().Add(patience / 10); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
			if p.refusals() > before || strings.Contains(p.answer(p.page, "Runtime.evaluate", `{"expression":"location.href"}`), "chrome-error:") {
				return
			}
		}
	}
	p.t.Fatalf("history is not refused: %s", p.answer(p.page, "Page.getNavigationHistory", "{}"))
}

// wantNoRequests fails for each request that reached a forbidden address.
func (p *policed) wantNoRequests() {
	p.t.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, line := range p.trespas {
		p.t.Errorf("this was asked for: %s", line)
	}
	p.trespas = nil
}

// start navigates the page to the site that may be seen. A tab of its own for each document
// would take Chromium half a second of processor time. The document before may have begun a
// navigation that supersedes this one: then start navigates again, to another address, so that
// no navigation of its own is pending when it returns.
func (p *policed) start() {
	p.t.Helper()
	shown, address := "", ""
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		if shown == "" || strings.Contains(shown, `"complete `) {
			p.starts++
			address = fmt.Sprint(p.ok, "/start?start=", p.starts)
			p.answer(p.page, "Page.navigate", fmt.Sprintf(`{"url":%q}`, address))
			p.answer(p.page, "Page.bringToFront", "{}") // Chromium loads no <embed> in a tab that is hidden by another
		}
		shown = p.answer(p.page, "Runtime.evaluate", `{"expression":"document.readyState + ' ' + location"}`)
		if strings.Contains(shown, `"complete `+address+`"`) {
			return
		}
	}
	p.t.Fatalf("the page shows %s, want %s", shown, address)
}

// run runs a script in the page as if its user had done so; what it says may
// not be known any more.
func (p *policed) run(script string) {
	p.t.Helper()
	p.answer(p.page, "Runtime.evaluate", fmt.Sprintf(`{"expression":%q,"userGesture":true}`, "void ("+script+")"))
}

// ways are those to a document, as scripts of a page. TO is its address, FROM
// the origin of the page, and ENCODED the address as a part of another.
var ways = map[string]string{
	"location":     `location.href = "TO"`,
	"replace":      `location.replace("TO")`,
	"link":         `(() => { document.body.innerHTML = '<a href="TO">'; document.querySelector("a").click() })()`,
	"link _blank":  `(() => { document.body.innerHTML = '<a target=_blank rel=noopener href="TO">'; document.querySelector("a").click() })()`,
	"download":     `(() => { document.body.innerHTML = '<a download href="TO">'; document.querySelector("a").click() })()`,
	"open":         `window.open("TO")`,
	"open later":   `window.open("about:blank").location = "TO"`,
	"noopener":     `window.open("TO", "_blank", "noopener")`,
	"redirect 301": `location.href = "FROM/redirect?code=301&to=ENCODED"`,
	"redirect 302": `location.href = "FROM/redirect?code=302&to=ENCODED"`,
	"redirect 307": `location.href = "FROM/redirect?code=307&to=ENCODED"`,
	"two hops":     `location.href = "http://also.test/redirect?to=" + encodeURIComponent("FROM/redirect?code=308&to=ENCODED")`,
	"open hop":     `window.open("FROM/redirect?to=ENCODED")`,
	"meta":         `location.href = "FROM/body?body=" + encodeURIComponent('<meta http-equiv=refresh content="0;url=TO">')`,
	"form":         `(() => { document.body.innerHTML = '<form method=post action="TO"><input name=a>'; document.forms[0].submit() })()`,
	"form _blank":  `(() => { document.body.innerHTML = '<form method=post target=_blank action="TO"><input name=a>'; document.forms[0].submit() })()`,
	"form hop":     `(() => { document.body.innerHTML = '<form method=post action="FROM/redirect?code=307&to=ENCODED"><input name=a>'; document.forms[0].submit() })()`,
	"iframe":       `document.body.innerHTML = '<iframe src="TO">'`,
	"iframe hop":   `document.body.innerHTML = '<iframe src="FROM/redirect?to=ENCODED">'`,
	"other site":   `document.body.innerHTML = '<iframe src="http://also.test/body?body=' + encodeURIComponent('<iframe src="TO">') + '">'`,
	"srcdoc":       `document.body.append(Object.assign(document.createElement("iframe"), { srcdoc: "<script>location = 'TO'</scr" + "ipt>" }))`,
	"data frame":   `document.body.append(Object.assign(document.createElement("iframe"), { src: "data:text/html,<script>location = 'TO'</scr" + "ipt>" }))`,
	"blob frame":   `document.body.append(Object.assign(document.createElement("iframe"), { src: URL.createObjectURL(new Blob(["<script>location = 'TO'</scr" + "ipt>"], { type: "text/html" })) }))`,
	"object":       `document.body.innerHTML = '<object data="TO"></object>'`,
	"embed":        `document.body.innerHTML = '<embed src="TO">'`,
}

// TestR144DocumentsAreJudgedBeforeTheyLeave has a page go, in every way that
// there is, to where it may (so the way is one), and to where it may not.
func TestR144DocumentsAreJudgedBeforeTheyLeave(t *testing.T) {
	p := policedBrowser(t, byLists, func(o *Options) { o.Path = "" })
	for name, script := range ways {
		t.Run(name, func(t *testing.T) {
			p.t = t
			path := "/" + strings.ReplaceAll(name, " ", "-")
			to := func(origin string) string {
				return strings.NewReplacer("TO", origin+path, "FROM", p.ok, "ENCODED", url.QueryEscape(origin+path)).Replace(script)
			}
			p.start()
			p.run(to(p.ok))
			p.awaitAsked("ok.test" + path)
			p.start()
			before := p.refusals()
			origin := p.refused[len(name)%2] // TestR144CommandsAreJudged asks for all of them
			p.run(to(origin))
			p.awaitRefusal(before, origin)
			p.wantNoRequests()
		})
	}
}

// TestR144CommandsAreJudged has Clients go by commands to where no page may.
func TestR144CommandsAreJudged(t *testing.T) {
	p := policedBrowser(t, byLists, nil)
	for _, origin := range p.refused {
		before := p.refusals()
		if got := p.answer(p.page, "Page.navigate", fmt.Sprintf(`{"url":"%s/navigate"}`, origin)); !strings.Contains(got, "net::ERR_ACCESS_DENIED") {
			t.Errorf("%s: %s", origin, got)
		}
		p.awaitRefusal(before, origin)
		// Before, a further navigation would take the place of this one, also in the history.
		p.evalUntil(p.page, "location.href", "chrome-error://chromewebdata/")
		before = p.refusals()
		p.answer("a", "Target.createTarget", fmt.Sprintf(`{"url":"%s/createTarget"}`, origin))
		p.awaitRefusal(before, origin)
		context := p.call("a", "Target.createBrowserContext", "{}", "browserContextId")
		before = p.refusals()
		p.answer("a", "Target.createTarget", fmt.Sprintf(`{"url":"%s/private","browserContextId":%q}`, origin, context))
		p.awaitRefusal(before, origin)
		before = p.refusals()
		_, source := p.liveHub.page("a", "about:blank", "")
		p.answer(source, "Page.navigate", fmt.Sprintf(`{"url":"view-source:%s/source"}`, origin))
		p.awaitRefusal(before, origin)
		p.answer(p.page, "Page.navigate", fmt.Sprintf(`{"url":"%s/next"}`, p.ok))
		p.evalUntil(p.page, "document.title", "/next")
		before = p.refusals()
		p.goBack(before) // to the entry of what was refused
		p.evalUntil(p.page, "location.href", "chrome-error://chromewebdata/")
		before = p.refusals()
		p.answer(p.page, "Page.reload", "{}")
		p.awaitRefusal(before, "reload")
		if got := p.answer(p.page, "Network.loadNetworkResource", fmt.Sprintf(`{"url":"%s/resource","options":{"disableCache":true,"includeCredentials":false}}`, origin)); !strings.Contains(got, "is not allowed") {
			t.Errorf("loadNetworkResource: %s", got)
		}
	}
	if got := p.answer("a", "Fetch.enable", "{}"); !strings.Contains(got, "is not allowed") {
		t.Errorf("Fetch.enable of the browser: %s", got)
	}
	p.wantNoRequests()
}

// TestR144ClientsInterceptAsBefore has a Client answer, change and send on the
// requests of its page. What it makes of them is judged, what it answers is not.
func TestR144ClientsInterceptAsBefore(t *testing.T) {
	p := policedBrowser(t, byLists, nil)
	p.answer(p.page, "Page.enable", "{}")
	p.answer(p.page, "Fetch.enable", `{"patterns":[{"urlPattern":"*","resourceType":"Document"}]}`)
	handled := map[string]bool{}
	pausedAt := func(address string) (id string) {
		t.Helper()
		p.await("pause of "+address, func() bool {
			for _, e := range p.told {
				if e.session != p.page || e.what != "Fetch.requestPaused" || !strings.Contains(e.params, fmt.Sprintf(`"url":%q`, address)) {
					continue
				}
				if id = readText([]byte(e.params), "requestId"); !handled[id] {
					return true
				}
			}
			return false
		})
		handled[id] = true
		return id
	}
	for _, origin := range p.refused[:3] {
		p.run("setTimeout(() => location = '" + origin + "/answered')")
		id := pausedAt(origin + "/answered")
		p.answer(p.page, "Fetch.fulfillRequest", fmt.Sprintf(`{"requestId":%q,"responseCode":200,"body":"PHRpdGxlPmFuc3dlcmVkPC90aXRsZT48bGluayByZWw9aWNvbiBocmVmPSJkYXRhOiwiPg=="}`, id))
		p.evalUntil(p.page, "document.title", "answered")
		before := p.refusals()
		p.run("setTimeout(() => location = '" + p.ok + "/changed')")
		p.answer(p.page, "Fetch.continueRequest", fmt.Sprintf(`{"requestId":%q,"url":"%s/changed"}`, pausedAt(p.ok+"/changed"), origin))
		p.awaitRefusal(before, "a changed request")
		before = p.refusals()
		p.run("setTimeout(() => location = '" + p.ok + "/redirected')")
		p.answer(p.page, "Fetch.fulfillRequest", fmt.Sprintf(`{"requestId":%q,"responseCode":302,"responseHeaders":[{"name":"Location","value":"%s/hop"}]}`, pausedAt(p.ok+"/redirected"), origin))
		p.answer(p.page, "Fetch.continueRequest", fmt.Sprintf(`{"requestId":%q}`, pausedAt(origin+"/hop")))
		p.awaitRefusal(before, "a redirect of a Client's")
	}
	p.run("setTimeout(() => location = '" + p.ok + "/sent-on')")
	p.answer(p.page, "Fetch.continueRequest", fmt.Sprintf(`{"requestId":%q}`, pausedAt(p.ok+"/sent-on")))
	p.evalUntil(p.page, "document.title", "/sent-on")
	p.wantNoRequests()
}

// TestR144NothingIsLoadedAhead has speculation rules name a document, which is
// nevertheless asked for only when the page goes there.
func TestR144NothingIsLoadedAhead(t *testing.T) {
	for name, profile := range map[string]string{"fresh": "", "kept": t.TempDir()} {
		t.Run(name, func(t *testing.T) {
			p := policedBrowser(t, byLists, func(o *Options) { o.Path, o.Profile = "", profile }) // the shell loads ahead, see preloads.go
			site := httptest.NewServer(http.HandlerFunc(p.serve))                                 // on an address that browsers trust
			defer site.Close()
			for _, context := range []string{"", p.call("a", "Target.createBrowserContext", "{}", "browserContextId")} {
				_, page := p.liveHub.page("a", site.URL+"/start", context)
				p.evalUntil(page, "document.title", "/start")
				p.eval(page, `(() => { const s = document.createElement("script"); s.type = "speculationrules";
					s.textContent = '{"prefetch":[{"source":"list","urls":["/ahead"],"eagerness":"immediate"}],"prerender":[{"source":"list","urls":["/before"],"eagerness":"immediate"}]}';
					document.head.append(s); return new Promise((r) => setTimeout(r, 300)) })()`)
				for _, path := range []string{"/ahead", "/before"} {
					p.eval(page, `void setTimeout(() => location = "`+path+`")`)
					p.evalUntil(page, "document.title", path)
				}
			}
			p.mu.Lock()
			defer p.mu.Unlock()
			for _, line := range p.asked {
				if strings.Contains(line, "prefetch") {
					t.Errorf("this was loaded ahead: %s", line)
				}
			}
		})
	}
}

// TestR143PublicAloneIsJudgedByAddress has names that lead to loopback, and one
// that nobody knows, with a policy that allows the public Internet.
func TestR143PublicAloneIsJudgedByAddress(t *testing.T) {
	p := policedBrowser(t, urlpolicy.Options{Public: true}, nil)
	for _, origin := range append(p.refused, p.ok, "http://localhost", "http://127.0.0.1", "http://[::1]") {
		before := p.refusals()
		if got := p.answer(p.page, "Page.navigate", fmt.Sprintf(`{"url":"%s/"}`, origin)); !strings.Contains(got, "net::ERR_ACCESS_DENIED") {
			t.Errorf("%s: %s", origin, got)
		}
		p.awaitRefusal(before, origin)
	}
	if got := p.answer(p.page, "Page.navigate", `{"url":"http://unknown.test/"}`); !strings.Contains(got, "net::ERR_NAME_NOT_RESOLVED") {
		t.Errorf("a name that is not known: %s", got)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.asked) > 0 {
		t.Errorf("this was asked for: %q", p.asked)
	}
}

// TestR145TheBrowserRefusesTheDefaultList has an image of a metadata endpoint,
// which no request for a document is. It fails for want of an address, although
// the rules of the user would map it to the site.
func TestR145TheBrowserRefusesTheDefaultList(t *testing.T) {
	p := policedBrowser(t, urlpolicy.Options{}, func(o *Options) {
		o.Args = append(o.Args, strings.Replace(o.Args[0], "MAP ok.test", "MAP 169.254.169.254 127.0.0.1:1, MAP metadata.goog 127.0.0.1:1, MAP ok.test", 1))
	})
	p.start()
	for _, host := range []string{"169.254.169.254", "2852039166", "metadata.goog", "[fd00:ec2::254]", "[::ffff:169.254.169.254]", "[64:ff9b::a9fe:a9fe]"} {
		p.answer(p.page, "Network.enable", "{}")
		p.run(fmt.Sprintf("new Image().src = 'http://%s/image'", host))
		p.await("failure of an image of "+host, func() bool {
			id := ""
			for _, e := range p.told {
				if e.what == "Network.requestWillBeSent" && strings.Contains(e.params, "/image") {
					id = readText([]byte(e.params), "requestId")
				}
				if id != "" && e.what == "Network.loadingFailed" && strings.Contains(e.params, fmt.Sprintf("%q", id)) && strings.Contains(e.params, "net::ERR_NAME_NOT_RESOLVED") {
					return true
				}
			}
			return false
		})
		p.change(func() { p.told = nil })
		if got := p.answer(p.page, "Page.navigate", fmt.Sprintf(`{"url":"http://%s/"}`, host)); !strings.Contains(got, "net::ERR_ACCESS_DENIED") {
			t.Errorf("%s: %s", host, got)
		}
		p.start()
	}
}
