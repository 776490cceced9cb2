// Package proxy is a reverse proxy that adds the Frame Agent to an app whose
// documents cannot be edited. It puts the agent's script tag first into each
// document. It serves the agent, and what the agent asks of the hub, below
// /__hub/ of the app's own origin: there cookies, same-origin rules and policies
// that name 'self' hold.
package proxy

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha512"
	"crypto/tls"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html"
	"net/http"
	"net/http/httputil"
	"net/url"
	"path"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"go.uber.org/zap"

	"github.com/cdphub/cdphub/internal/auth"
	"github.com/cdphub/cdphub/internal/wsconn"
	"github.com/cdphub/cdphub/web"
)

// prefix is where the hub is on the app's origin.
const prefix = "/__hub/"

// Options say what is proxied, and how.
type Options struct {
	// Upstream is the app: its scheme, http or https, and host count.
	Upstream *url.URL
	// User is the name and the password for the app, for requests without any; nil: none.
	User *url.Userinfo
	// First is the app where this is the proxy of another site beside it; nil: this is
	// the app. Also are the other sites of the proxy.
	First *url.URL
	Also  []Site
	// Hub serves what the agent asks for, without /__hub in the path:
	// /agent.js and the bundles it loads later, /dialog and /eval/.
	Hub http.Handler
	// Parents are the origins of the pages that may drive the app.
	Parents []string
	// KeepCSP leaves Content Security Policies as they are, but for
	// frame-ancestors. Then the agent evaluates only where they allow it.
	KeepCSP bool
	// NoServiceWorkers lets no service worker run: pages register none, and those
	// that are registered already end.
	NoServiceWorkers bool
	// AnyCertificate accepts whatever certificate the upstream shows.
	AnyCertificate bool
	// Budget bounds what the connections of agents hold; nil: nothing does.
	Budget *wsconn.Budget
	Log    *zap.Logger
}

// handler is the http.Handler that New returns.
type handler struct {
	Options
	upstream  origin
	integrity string // of agent.js, as the attribute integrity has it
	forward   *httputil.ReverseProxy

	redirects redirectChains
	agents    *agentRegistry
	key       string // to the control connection, for blank documents
	worker    string // what goes in front of a worker's script
	bodies    bodyCache
	jars      *jars       // nil: there is only one site
	isolated  atomic.Bool // a document of the app has asked for it
	pins      pins

	mu      sync.Mutex
	workers map[string]bool `stays:"scripts of one app, bounded by number"` // paths of service workers' scripts
}

// maxWorkers is how many service workers are remembered.
const maxWorkers = 100

// New returns the handler that serves the app. It fails for an upstream that is not
// the address of an HTTP server. The handler is for the root of an origin: all paths
// but those below prefix are the app's.
func New(o Options) (http.Handler, error) {
	if o.Upstream.Scheme != "http" && o.Upstream.Scheme != "https" || o.Upstream.Hostname() == "" {
		return nil, fmt.Errorf("%q is not the address of a web app, such as http://localhost:3000/", o.Upstream)
	}
	agent, err := web.Dist.ReadFile("dist/agent.js")
	if err != nil {
		return nil, fmt.Errorf("the agent is not built in: %w", err)
	}
	worker, err := web.Dist.ReadFile("dist/worker.js")
	if err != nil {
		return nil, fmt.Errorf("the agent of workers is not built in: %w", err)
	}
	// SHA-384, for the attribute integrity (W3C Subresource Integrity).
	sum := sha512.Sum384(agent)
	p := &handler{
		Options:   o,
		upstream:  originOf(o.Upstream),
		integrity: "sha384-" + base64.StdEncoding.EncodeToString(sum[:]),
		worker:    string(worker),
		key:       rand.Text(),
		agents:    newAgentRegistry(o.Log.Named("proxy")),
		redirects: redirectChains{byTo: map[string]redirectChain{}},
		bodies:    bodyCache{byKey: map[string]*cachedBody{}},
		workers:   map[string]bool{},
		pins:      pins{warned: map[string]bool{}},
	}
	if len(o.Also) > 0 {
		p.jars = newJars(p, originOf(cmp.Or(o.First, o.Upstream)))
	}
	transport := &http.Transport{ // without Proxy: the upstream and nothing else
		DisableCompression:  true, // a body that is not rewritten keeps its encoding
		ForceAttemptHTTP2:   true,
		MaxIdleConnsPerHost: 32,
		IdleConnTimeout:     30 * time.Second,
		TLSHandshakeTimeout: 10 * time.Second,
	}
	if o.AnyCertificate {
		transport.TLSClientConfig = &tls.Config{InsecureSkipVerify: true} //nolint:gosec // asked for
	}
	errorLog, err := zap.NewStdLogAt(o.Log.Named("proxy"), zap.DebugLevel) // mostly streams that the browser has left
	if err != nil {
		return nil, err
	}
	p.forward = &httputil.ReverseProxy{
		Rewrite:        p.rewriteRequest,
		ModifyResponse: p.rewriteResponse,
		ErrorHandler:   p.serveFailure,
		Transport:      interceptTransport{transport, &p.bodies},
		FlushInterval:  -1, // at once, for event streams and documents that stream
		ErrorLog:       errorLog,
	}
	return p, nil
}

// exchange is a request as its response needs it.
type exchange struct {
	own          origin // of the app as the browser sees it
	moves        moves
	uri          string         // path and query that the browser asks for
	document     bool           // a frame will show the response
	worker       string         // "worker" or "sharedworker": what will run the response; else ""
	service      bool           // a service worker will run it
	navigates    bool           // and the request is a navigation, not of a script or an element
	redirects    []hop          // the redirect chain of the navigation so far
	paused       *pausedRequest // nil when no agent gets an event of it
	scripts      []*wsconn.Conn // of the agent whose script asks, which gets the headers; of all that it may be
	announced    bool           // the agent of the document before has made events of it
	failed       bool           // an agent has failed it, and has told Clients
	noCache      bool           // the browser must not cache the response
	clientHeader http.Header    // of a response that a Client has made; else nil
}

type exchangeKey struct{}

func exchangeOf(ctx context.Context) *exchange {
	e, _ := ctx.Value(exchangeKey{}).(*exchange)
	return e
}

// ServeHTTP implements http.Handler.
func (p *handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	// The browser's own view of the origin is the Host header: the proxy may be
	// reached by several names.
	scheme, host, _ := strings.Cut(auth.OwnAddressOf(r).Origin(), "://")
	own := origin{scheme, strings.ToLower(host)}
	if r.URL.Path+"/" == prefix || strings.HasPrefix(r.URL.Path, prefix) {
		p.serveHub(w, r, own)
		return
	}
	// A client that takes this for a forward proxy gets a clear answer.
	if r.Method == http.MethodConnect {
		http.Error(w, "This proxy serves only one app.", http.StatusMethodNotAllowed)
		return
	}
	// Browsers send this header with the script of a service worker and with nothing
	// else (Service Workers, "Service-Worker" header).
	service := r.Header.Get("Service-Worker") == "script"
	if service {
		if p.NoServiceWorkers {
			endServiceWorker(w)
			return
		}
		p.rememberWorker(r.URL.Path)
	}
	e := &exchange{
		own: own, moves: p.movesFor(own), uri: r.URL.RequestURI(), document: p.asksForDocument(r, own),
		service: service,
	}
	if dest := r.Header.Get("Sec-Fetch-Dest"); dest == "worker" || dest == "sharedworker" {
		e.worker = dest
	}
	if e.navigates = e.document && r.Header.Get("Sec-Fetch-Mode") == "navigate"; e.navigates {
		e.redirects = p.redirects.take(own.String() + e.uri)
	}
	if e.paused = p.intercept(r, e); e.paused != nil {
		e.paused.pauseRequest(r, e)
		// finish does nothing if a last event was sent already.
		defer func() { e.paused.finish(agentEvent{What: "end"}) }()
	}
	w.Header()["Content-Type"] = nil // where the upstream names none, none is guessed
	p.forward.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), exchangeKey{}, e)))
}

// serveHub serves what the agent needs of the hub and nothing else, since the app's
// own scripts can ask for it too.
func (p *handler) serveHub(w http.ResponseWriter, r *http.Request, own origin) {
	at := path.Clean("/" + strings.TrimPrefix(r.URL.Path, prefix))
	if at == agentPath {
		p.serveAgent(w, r, own)
		return
	}
	if at == appPath {
		p.serveUp(w, r)
		return
	}
	if at == blankPath {
		p.serveBlank(w, own)
		return
	}
	if strings.HasPrefix(at, bodyPath) {
		p.bodies.ServeHTTP(w, r)
		return
	}
	bundle := path.Dir(at) == "/" && path.Ext(at) == ".js" && !strings.HasPrefix(at, "/host.")
	if !bundle && at != "/dialog" && !strings.HasPrefix(at, "/eval/") {
		http.NotFound(w, r)
		return
	}
	forwarded := r.Clone(r.Context())
	forwarded.URL.Path, forwarded.URL.RawPath = at, ""
	p.Hub.ServeHTTP(w, forwarded)
}

//go:embed blank.js
var blankScript string

// blankPath is below prefix. A window that a page opens without an address is there: a
// document of the app's origin, into which its opener writes.
const blankPath = "/blank"

func (p *handler) serveBlank(w http.ResponseWriter, own origin) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	tag := bytes.Replace(p.tag(own, navigationResponse{}, "", false), []byte("<script"), []byte(`<script data-url="about:blank"`), 1)
	fmt.Fprintf(w, "<script>%s</script>%s", blankScript, tag)
}

// asksForDocument reports whether a frame will show the response. Browsers say so in
// Sec-Fetch-Dest (W3C Fetch Metadata), on secure origins and loopback. Without the
// header, a response of HTML counts as a document. A service worker may keep for a
// frame what it fetches.
func (p *handler) asksForDocument(r *http.Request, own origin) bool {
	switch r.Header.Get("Sec-Fetch-Dest") {
	case "":
		// The header marks an XMLHttpRequest of many libraries.
		return r.Header.Get("X-Requested-With") == ""
	case "document", "iframe", "frame", "object", "embed", "fencedframe":
		return true
	case "empty":
		return r.Header.Get("Sec-Fetch-Mode") == "navigate" || p.fromWorker(r, own)
	default:
		return false
	}
}

func (p *handler) rememberWorker(script string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.workers) < maxWorkers {
		p.workers[script] = true
	}
}

// fromWorker reports whether a service worker makes the request: the Referer is its
// script then.
func (p *handler) fromWorker(r *http.Request, own origin) bool {
	referrer, err := url.Parse(r.Referer())
	if err != nil || originOf(referrer) != own {
		return false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.workers[referrer.Path]
}

// rewriteRequest makes the request to the upstream look as if the browser had sent it
// there directly: Host, Origin and Referer name the upstream.
func (p *handler) rewriteRequest(pr *httputil.ProxyRequest) {
	out, e := pr.Out, exchangeOf(pr.In.Context())
	out.URL.Scheme, out.URL.Host = p.Upstream.Scheme, p.Upstream.Host
	// ReverseProxy drops parameters that it cannot parse.
	out.URL.RawQuery = moveParams(pr.In.URL.RawQuery, e.moves.originToUpstream, opaque)
	out.Host = p.Upstream.Host
	p.hideHost(out.Header)
	moveHeaders(out.Header, e.moves.toUpstream, "Origin")
	moveHeaders(out.Header, e.moves.toUpstreamReferrer, "Referer")
	e.moves.moveForm(out)
	if password, has := p.User.Password(); (has || p.User.Username() != "") && out.Header.Get("Authorization") == "" {
		out.SetBasicAuth(p.User.Username(), password)
	}
	if p.jars != nil {
		p.jars.keep(out.Header, cookieHost(p.upstream.host))
	}
	// Everything else keeps its encoding and its cache headers.
	edited := e.document || e.worker != "" || e.service
	if !edited && !readsText(pr.In) {
		return
	}
	out.Header.Set("Accept-Encoding", acceptedCodings(pr.In.Header["Accept-Encoding"]))
	if !edited {
		return
	}
	if e.document && pr.In.Header.Get("Sec-Fetch-Dest") == "" && !strings.Contains(pr.In.Header.Get("Accept"), "text/html") {
		return // perhaps a video, which is asked for in ranges
	}
	for _, name := range []string{"If-None-Match", "If-Modified-Since", "If-Range", "Range"} {
		out.Header.Del(name) // the browser's copy has another run's tag
	}
}

// hideHost makes a request that the Host page's iframe has caused look like one from
// the address bar: apps also refuse to be framed by Referer and Sec-Fetch-Dest (W3C
// Fetch Metadata).
func (p *handler) hideHost(h http.Header) {
	if !p.isParent(h.Get("Referer")) {
		return
	}
	h.Del("Referer")
	if h.Get("Sec-Fetch-Dest") == "iframe" {
		h.Set("Sec-Fetch-Dest", "document")
		h.Set("Sec-Fetch-Site", "none")
	}
}

// isParent reports whether an address is that of a page that drives the app.
func (p *handler) isParent(address string) bool {
	u, err := url.Parse(address)
	return err == nil && slices.Contains(p.Parents, originOf(u).String())
}

func (p *handler) fromHost(r *http.Request) bool { return p.isParent(r.Referer()) }

// tag is the script tag of the agent. The app's own origin is among the parents: a
// sandboxed frame has an opaque origin, and so its parent, a page of the app, is of
// another one. The other name of this machine is there, too, at which a page of the
// app may have a frame of it.
func (p *handler) tag(own origin, response navigationResponse, nonce string, integrity bool) []byte {
	parents := slices.Clone(p.Parents)
	var also []string
	for i, site := range p.movesFor(own) {
		parents = append(parents, site.own.names()...)
		if i > 0 {
			also = append(also, site.upstream.String(), site.own.String())
		}
	}
	text := `<script src="` + prefix + `agent.js" data-parents="` + html.EscapeString(strings.Join(parents, " ")) + `"`
	text += ` data-proxy-key="` + p.key + `" data-upstream="` + html.EscapeString(p.upstream.String()) + `"`
	// A Host page that is not the hub's may talk to the app by window.parent.
	if len(p.Parents) == 1 {
		text += ` data-alone=""`
	}
	if len(also) > 0 {
		text += ` data-also="` + html.EscapeString(strings.Join(also, " ")) + `"`
	}
	text += response.attribute()
	if nonce != "" {
		text += ` nonce="` + html.EscapeString(nonce) + `"`
	}
	if integrity { // it counts only for requests with CORS
		text += ` integrity="` + p.integrity + `" crossorigin="anonymous"`
	}
	return []byte(text + "></script>")
}
