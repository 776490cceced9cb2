package chrome

import (
	"fmt"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cdphub/cdphub/internal/fence"
	"github.com/cdphub/cdphub/internal/urlpolicy"
)

// fenced is a server on loopback that notes what comes to it, and whether the fence says
// that a browser of this process has sent it.
type fenced struct {
	*httptest.Server
	port string

	mu        sync.Mutex
	came      map[string]bool   // kinds of requests
	unnoticed map[string]string // kinds that the fence did not tell, and their headers
}

func newFenced(t *testing.T, f *fence.Fence) *fenced {
	t.Helper()
	s := &fenced{came: make(map[string]bool), unnoticed: make(map[string]string)}
	s.Server = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		sent := f.Sent(r)
		kind := strings.TrimPrefix(r.URL.Path, "/")
		s.mu.Lock()
		defer s.mu.Unlock()
		s.came[kind] = true
		if !sent {
			s.unnoticed[kind] = fmt.Sprint(r.Method, " ", r.Host, " ", r.Header)
		}
		w.WriteHeader(http.StatusForbidden)
	}))
	// All addresses of the machine lead to it.
	ln, err := net.Listen("tcp", ":0")
	if err != nil {
		t.Fatal(err)
	}
	s.Listener.Close()
	s.Listener = ln
	_, s.port, _ = net.SplitHostPort(ln.Addr().String())
	s.Start()
	t.Cleanup(s.Close)
	return s
}

func (s *fenced) has(kind string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.came[kind]
}

// requests are those that a page makes without going anywhere, as scripts. TO is their
// address, FROM that of the page, and ENCODED the address as a part of another.
var requests = map[string]string{
	"image":           `new Image().src = "TO"`,
	"image hop":       `new Image().src = "FROM/redirect?to=ENCODED"`,
	"image lazy":      `document.body.insertAdjacentHTML("beforeend", '<img loading=lazy src="TO">')`,
	"picture":         `document.body.insertAdjacentHTML("beforeend", '<picture><source srcset="TO 1x"><img></picture>')`,
	"svg image":       `document.body.insertAdjacentHTML("beforeend", '<svg><image href="TO" width=9 height=9 /></svg>')`,
	"background":      `document.body.style.backgroundImage = 'url("TO")'`,
	"input image":     `document.body.insertAdjacentHTML("beforeend", '<input type=image src="TO">')`,
	"video":           `document.body.insertAdjacentHTML("beforeend", '<video preload=auto src="TO"></video>')`,
	"poster":          `document.body.insertAdjacentHTML("beforeend", '<video poster="TO"></video>')`,
	"audio":           `document.body.insertAdjacentHTML("beforeend", '<audio preload=auto src="TO"></audio>')`,
	"script":          `document.head.append(Object.assign(document.createElement("script"), { src: "TO" }))`,
	"module":          `document.head.append(Object.assign(document.createElement("script"), { type: "module", src: "TO" }))`,
	"import":          `import("TO").catch(() => {})`,
	"stylesheet":      `document.head.append(Object.assign(document.createElement("link"), { rel: "stylesheet", href: "TO" }))`,
	"css import":      `document.head.append(Object.assign(document.createElement("style"), { textContent: '@import url("TO")' }))`,
	"font":            `new FontFace("a", 'url("TO")').load().catch(() => {})`,
	"preload":         `document.head.append(Object.assign(document.createElement("link"), { rel: "preload", as: "image", href: "TO" }))`,
	"modulepreload":   `document.head.append(Object.assign(document.createElement("link"), { rel: "modulepreload", href: "TO" }))`,
	"fetch":           `fetch("TO").catch(() => {})`,
	"fetch opaque":    `fetch("TO", { mode: "no-cors" }).catch(() => {})`,
	"fetch post":      `fetch("TO", { mode: "no-cors", method: "POST", body: "{}" }).catch(() => {})`,
	"fetch put":       `fetch("TO", { method: "PUT", body: "{}" }).catch(() => {})`,
	"fetch keepalive": `fetch("TO", { mode: "no-cors", keepalive: true, method: "POST", body: "a" }).catch(() => {})`,
	"fetch hop":       `fetch("FROM/redirect?to=ENCODED", { mode: "no-cors" }).catch(() => {})`,
	"fetch quiet":     `fetch("TO", { mode: "no-cors", referrerPolicy: "no-referrer", credentials: "omit" }).catch(() => {})`,
	"fetch aborted":   `[30, 300, 3000].forEach((ms) => { const c = new AbortController(); fetch("TO", { mode: "no-cors", signal: c.signal }).catch(() => {}); setTimeout(() => c.abort(), ms) })`, // a busy machine sends none within 30 ms
	"xhr":             `(() => { const x = new XMLHttpRequest(); x.open("GET", "TO"); x.send() })()`,
	"xhr sync":        `(() => { const x = new XMLHttpRequest(); x.open("GET", "TO", false); try { x.send() } catch {} })()`,
	"beacon":          `navigator.sendBeacon("TO", "a")`,
	"event source":    `new EventSource("TO")`,
	"websocket":       `new WebSocket("TO".replace("http", "ws"))`,
	"worker":          `new Worker(URL.createObjectURL(new Blob(['fetch("TO", { mode: "no-cors" }).catch(() => {})'])))`,
	"worker import":   `new Worker(URL.createObjectURL(new Blob(['try { importScripts("TO") } catch {}'])))`,
	"worker socket":   `new Worker(URL.createObjectURL(new Blob(['new WebSocket("TO".replace("http", "ws"))'])))`,
	"shared worker":   `new SharedWorker(URL.createObjectURL(new Blob(['fetch("TO", { mode: "no-cors" }).catch(() => {})'])))`,
	"service worker":  `navigator.serviceWorker.register("FROM/worker?to=ENCODED").catch(() => {})`,
	"data frame img":  `document.body.append(Object.assign(document.createElement("iframe"), { src: "data:text/html,<img src='TO'>" }))`,
	"sandbox frame":   `document.body.append(Object.assign(document.createElement("iframe"), { sandbox: "allow-scripts", srcdoc: "<script>fetch('TO', { mode: 'no-cors' })</scr" + "ipt>" }))`,
	"sandbox socket":  `document.body.append(Object.assign(document.createElement("iframe"), { sandbox: "allow-scripts", srcdoc: "<script>new WebSocket('TO'.replace('http', 'ws'))</scr" + "ipt>" }))`,
	"ping":            `(() => { document.body.insertAdjacentHTML("beforeend", '<a href="#a" ping="TO">'); [...document.querySelectorAll("a")].at(-1).click() })()`,
	"report":          `document.body.append(Object.assign(document.createElement("iframe"), { src: "FROM/policy?to=ENCODED" }))`,
	"location":        `location.href = "TO"`,
	"open":            `window.open("TO")`,
	"iframe":          `document.body.insertAdjacentHTML("beforeend", '<iframe src="TO">')`,
	"form":            `(() => { document.body.insertAdjacentHTML("beforeend", '<form method=post enctype="text/plain" action="TO"><input name=a>'); [...document.forms].at(-1).submit() })()`,
	"link":            `(() => { document.body.insertAdjacentHTML("beforeend", '<a rel=noreferrer href="TO">'); [...document.querySelectorAll("a")].at(-1).click() })()`,
	"download":        `(() => { document.body.insertAdjacentHTML("beforeend", '<a download href="TO">'); [...document.querySelectorAll("a")].at(-1).click() })()`,
	"object":          `document.body.insertAdjacentHTML("beforeend", '<object data="TO"></object>')`,
}

// attacker serves the pages that try.
func attacker(t *testing.T) *httptest.Server {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		switch to := r.FormValue("to"); r.URL.Path {
		case "/redirect":
			http.Redirect(w, r, to, http.StatusTemporaryRedirect)
		case "/worker":
			w.Header().Set("Content-Type", "text/javascript")
			fmt.Fprintf(w, `fetch(%q, { mode: "no-cors" }).catch(() => {})`, to)
		case "/policy":
			w.Header().Set("Content-Security-Policy", "img-src 'none'; report-uri "+to)
			fmt.Fprint(w, `<img src="/x">`)
		default:
			fmt.Fprint(w, "<title>page</title><body>")
		}
	}))
	t.Cleanup(s.Close)
	return s
}

// hosts are the spellings by which a page may call this machine. The last are addresses of
// its interfaces, whose origins are not potentially trustworthy.
func hosts() []string {
	list := []string{"127.0.0.1", "localhost", "a.localhost", "[::1]", "127.1", "0x7f000001", "[::ffff:127.0.0.1]", "127.9.9.9", "0.0.0.0", "[::]"}
	all, _ := net.InterfaceAddrs()
	for _, a := range all {
		if p, is := a.(*net.IPNet); is && !p.IP.IsLoopback() && p.IP.To4() != nil {
			return append(list, p.IP.String())
		}
	}
	return list
}

// fencedBrowser is a browser within a fence, with a page of an attacker.
func fencedBrowser(t *testing.T, f *fence.Fence, change func(*Options)) *policed {
	t.Helper()
	policy, err := urlpolicy.New(urlpolicy.Options{Own: f.Own})
	if err != nil {
		t.Fatal(err)
	}
	o := shellOptions(t)
	o.Network, o.Fence = policy, f
	if change != nil {
		change(&o)
	}
	p := &policed{ok: attacker(t).URL}
	p.liveHub = serveLive(t, Serve, o)
	p.attach("a")
	_, p.page = p.liveHub.page("a", "about:blank", "")
	return p
}

// leaves reports whether a kind of request takes the page away. A link to download does so
// too: Chromium follows one to another origin as it does any link.
func leaves(kind string) bool {
	return slices.Contains([]string{"location", "form", "link", "download"}, kind)
}

// tryAll has pages make requests of all kinds. A page makes few of them: Chromium opens 6
// connections to a host at most. done is called with those kinds before the next page.
func (p *policed) tryAll(origin string, done func(kinds []string)) {
	var page []string
	next := func() {
		if len(page) > 0 {
			done(page)
		}
		page = nil
	}
	for _, kind := range slices.Sorted(maps.Keys(requests)) {
		if len(page) == 0 || len(page) == 4 || leaves(kind) || leaves(page[len(page)-1]) {
			next()
			p.start()
		}
		p.try(kind, origin)
		page = append(page, kind)
	}
	next()
}

// tryCommands has Clients send requests of their own, and the page some that suffice to
// tell a spelling of the host.
func (p *policed) tryCommands(origin, under string) {
	p.start()
	for _, kind := range []string{"image", "image hop", "fetch post", "websocket", "location"} {
		p.try(kind, origin+under)
	}
	load := func(url string) {
		p.answer(p.page, "Network.loadNetworkResource", fmt.Sprintf(`{"url":%q,"options":{"disableCache":true,"includeCredentials":true}}`, url))
	}
	load(origin + "/loadNetworkResource")
	load(p.ok + "/redirect?to=" + url.QueryEscape(origin+"/loadNetworkResource-hop"))
	p.answer(p.page, "Page.navigate", fmt.Sprintf(`{"url":"%s/navigate"}`, origin))
	p.answer("a", "Target.createTarget", fmt.Sprintf(`{"url":"%s/createTarget"}`, origin))
}

// try has the page make a request of a kind.
func (p *policed) try(kind, origin string) {
	to := origin + "/" + url.PathEscape(kind)
	p.run(strings.NewReplacer("TO", to, "FROM", p.ok, "ENCODED", url.QueryEscape(to)).Replace(requests[kind]))
}

// TestR256ListenersTellOwnBrowsers has a page make all kinds of requests to a listener that
// no rule of addresses protects. They arrive, so that each kind is one; and the fence
// tells each of them, also by spellings without Sec-Fetch-Site.
func TestR256ListenersTellOwnBrowsers(t *testing.T) {
	if !fence.Tells {
		t.Skip("this system does not tell who holds a connection")
	}
	f := new(fence.Fence)
	p := fencedBrowser(t, f, nil)
	s := newFenced(t, f)
	p.tryAll("http://127.0.0.1:"+s.port, func(kinds []string) {
		for _, kind := range kinds {
			for end := time.Now().Add(patience); !s.has(kind); time.Sleep(5 * time.Millisecond) {
				if time.Now().After(end) {
					t.Fatalf("%s: nothing comes", kind)
				}
			}
		}
	})
	for i, host := range hosts() {
		p.tryCommands("http://"+host+":"+s.port, fmt.Sprint("/", i))
	}
	hub := http.Client{Timeout: time.Minute}
	for range 3 { // the program itself is none of its browsers, whatever it says it is
		r, _ := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://127.0.0.1:"+s.port+"/program", http.NoBody)
		r.Header.Set("Origin", "http://127.0.0.1")
		resp, err := hub.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.unnoticed["program"] == "" {
		t.Error("a program is taken for a browser")
	}
	delete(s.unnoticed, "program")
	for kind, what := range s.unnoticed {
		t.Errorf("%s is not told: %s", kind, what)
	}
	t.Logf("%d kinds came", len(s.came))
}

// TestR255NoPageReachesOwnPorts has a page make the same requests to a listener that the
// rules of addresses know. Only WebSockets arrive, unless the network is isolated.
func TestR255NoPageReachesOwnPorts(t *testing.T) {
	for name, isolate := range map[string]bool{"documents": false, "isolated": true} {
		t.Run(name, func(t *testing.T) {
			f := new(fence.Fence)
			s := newFenced(t, f)
			defer f.Listens(s.Listener.Addr())()
			p := fencedBrowser(t, f, func(o *Options) { o.Isolate = isolate })
			p.tryAll("http://127.0.0.1:"+s.port, func([]string) {})
			for _, host := range hosts() {
				p.tryCommands("http://"+host+":"+s.port, "")
			}
			p.start() // what was asked before has been judged by now
			p.answer(p.page, "Runtime.evaluate", `{"expression":"new Promise((done) => setTimeout(done, 500))","awaitPromise":true}`)
			s.mu.Lock()
			defer s.mu.Unlock()
			for kind := range s.came {
				if isolate || !strings.Contains(kind, "socket") {
					t.Errorf("%s arrives", kind)
				}
			}
			if len(s.came) == 0 && !isolate {
				t.Error("not even a WebSocket arrives: the test proves nothing")
			}
		})
	}
}
