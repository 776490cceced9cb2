package chrome

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"go.uber.org/zap"

	"github.com/cdphub/cdphub/bridge"
	"github.com/cdphub/cdphub/internal/scope"
	"github.com/cdphub/cdphub/internal/urlpolicy"
	"github.com/cdphub/cdphub/internal/wire"
)

// The root has the browser pause every request for a document, of pages,
// frames, popups and downloads by link, and each redirect of it, and judges
// where it leads before it leaves (Fetch domain at browser level). This
// interception is the closest to the network: it sees what Clients' own make of a
// request, and nothing of those that they answer themselves. What the browser
// gets ahead of a navigation it does not see, so that is off (preloads.go).

// Requests of every kind are judged that name a port at which this process listens. They
// are as few as the pages that mean it. WebSockets are never paused; the listeners refuse
// those (fence.Fence.Sent).

// pauses are the params that have all of these requests paused.
func (n *network) pauses() []byte {
	b := []byte(`{"patterns":[{"urlPattern":"*","resourceType":"Document"}`)
	for _, port := range n.fence.Ports() {
		b = strconv.AppendUint(append(b, `,{"urlPattern":"*:`...), uint64(port), 10)
		b = append(b, `/*"}`...)
	}
	return append(b, "]}"...)
}

// network judges the requests of one browser.
type network struct {
	ctx       context.Context // of the Host
	policy    *urlpolicy.Policy
	names     *urlpolicy.Resolver // as the browser resolves them
	fence     Fence
	isolated  bool        // every request is judged again on its way out
	elsewhere atomic.Bool // a proxy, or another machine, may resolve names for some of its pages
	log       *zap.Logger

	asking sync.WaitGroup // for addresses
}

// newNetwork makes the judge of a browser's requests; nil where the options name no policy.
// All methods take a nil *network.
func newNetwork(ctx context.Context, o *Options) *network {
	if o.Network == nil {
		return nil
	}
	n := &network{ctx: ctx, policy: o.Network, names: urlpolicy.NewResolver(o.rules()), log: o.logger(), isolated: o.Isolate, fence: o.fence()}
	n.elsewhere.Store(o.URL != "" || o.proxied())
	return n
}

// wait waits until no address is asked for any more.
func (n *network) wait() {
	if n != nil {
		n.asking.Wait()
	}
}

// interceptLocked has requests paused from now on. A browser that refuses is not served:
// its requests could not be judged.
func (h *Host) interceptLocked() {
	if h.network == nil {
		return
	}
	h.askLocked("Fetch.enable", h.network.pauses(), func(_, cdpErr []byte) {
		if cdpErr != nil {
			h.cancel(errors.New("the browser does not let the hub check its requests: " + string(cdpErr)))
		}
	})
}

// barIfFile reports whether a target is about to show a file, and ends the
// sessions on it that may see no files. A target has the id of its main frame.
func (h *Host) barIfFile(frameID, url string) bool {
	if scope.Web(url) {
		return false
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if t, known := h.targets[frameID]; known {
		t.web = false // none begin, either
		h.targets[frameID] = t
	}
	h.barLocked(frameID)
	return true
}

// mayPassPaused reports whether a Client that may see no files gets an event of
// its own interception, and so may answer the request. It does not when the
// request is for a file. Its session then ends, and the request goes on. It may be the
// Client's own Fetch.enable, in a page that it may see: a link there may lead to a file.
func (h *Host) mayPassPaused(s *session, params []byte) bool {
	var e pausedDocument
	if wire.Decode(params, &e) == nil && !h.barIfFile(e.FrameID, e.Request.URL) {
		return true
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.barLocked(s.target) // the frame may be one that is no target
	return false
}

// judgePaused handles Fetch.requestPaused of the root session. A judgement that
// must wait for DNS does not run on the reader's goroutine.
func (h *Host) judgePaused(params []byte) {
	n := h.network
	if n == nil {
		return
	}
	var e pausedDocument
	if err := wire.Decode(params, &e); err != nil {
		h.cancel(errNotCDP) // a page would wait for ever
		return
	}
	h.barIfFile(e.FrameID, e.Request.URL)
	if !isNetworkURL(e.Request.URL) || n.names.Fast(e.Request.URL) {
		h.decide(e.RequestID, n.judge(e.Request.URL))
		return
	}
	n.asking.Go(func() { h.decide(e.RequestID, n.judge(e.Request.URL)) })
}

// refusePaused fails a request of which only the beginning is known, as it cannot be judged.
// Chromium 156 writes its id first.
func (h *Host) refusePaused(head []byte) {
	_, after, found := bytes.Cut(head, []byte(`"requestId":`))
	end := wire.SkipValue(after, 0)
	if id, ok := wire.Text(after[:max(end, 0)]); found && ok {
		h.decide(id, "BlockedByClient")
		return
	}
	h.cancel(errNotCDP) // a page would wait for ever
}

// judge returns the error with which a request fails; "" when it may leave.
func (n *network) judge(url string) (reason string) {
	if !isNetworkURL(url) {
		return ""
	}
	why := n.policy.Judge(n.ctx, n.names, url)
	switch {
	case why == nil:
		return ""
	case why.Reason != urlpolicy.Unresolved:
		n.log.Debug("a document is refused", zap.String("why", why.Text))
		return "AccessDenied"
	case n.elsewhere.Load() && n.policy.Default():
		return "" // the proxy or the other machine may resolve it
	}
	return "NameNotResolved" // as the browser would say itself
}

// decide answers for a request that is paused. A request that has ended meanwhile is
// unknown to the browser, whose error does not matter.
func (h *Host) decide(requestID, reason string) {
	method, params := "Fetch.continueRequest", wire.AppendString([]byte(`{"requestId":`), requestID)
	if reason != "" {
		method = "Fetch.failRequest"
		params = wire.AppendString(append(params, `,"errorReason":`...), reason)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.askLocked(method, append(params, '}'), nil)
}

// isNetworkURL reports whether a request goes to the network.
func isNetworkURL(url string) bool {
	return strings.HasPrefix(url, "http:") || strings.HasPrefix(url, "https:")
}

// refuses refuses the commands whose requests could not be judged.
func (n *network) refuses(c *bridge.Command) error {
	if n == nil {
		return nil
	}
	switch c.Method {
	case "Network.loadNetworkResource":
		if !n.policy.Default() { // its requests are never paused (Chromium 156)
			return wire.ServerError(c.Method + " is not allowed: the hub cannot check its requests and their redirects against --allow-url, --block-url and --public-urls")
		}
	case "Target.createBrowserContext":
		switch has := c.Args.Has("proxyServer"); {
		case has && n.isolated:
			return wire.ServerError(c.Method + " is not allowed with a proxyServer: the network of this browser is isolated, and its requests would go there")
		case has:
			n.elsewhere.Store(true)
		}
	}
	return nil
}

// rulesArg is the argument by which Chromium resolves names. It takes the last.
const rulesArg = "--host-resolver-rules="

// rules are the host resolver rules of the user.
func (o *Options) rules() (rules string) {
	for _, a := range o.Args {
		if r, ok := strings.CutPrefix(a, rulesArg); ok {
			rules = r
		}
	}
	return rules
}

// network are the arguments with which a browser refuses by itself, before
// anything is asked, what the default list has.
func (o *Options) network() []string {
	if o.egress != "" {
		return isolationArgs(o.egress)
	}
	if o.Network == nil {
		return nil
	}
	rules := urlpolicy.DefaultRules()
	if own := o.rules(); own != "" {
		rules += ", " + own
	}
	return []string{rulesArg + rules}
}

// proxied reports whether the browser may have a proxy, by its arguments or its
// environment. The names of the variables are those that Chromium reads on Linux
// (net/proxy_resolution, ProxyConfigServiceLinux).
func (o *Options) proxied() bool {
	return slices.ContainsFunc(o.Args, isProxy) || slices.ContainsFunc(browserEnvironment(), func(v string) bool {
		name, value, _ := strings.Cut(v, "=")
		switch strings.ToLower(name) {
		case "http_proxy", "https_proxy", "all_proxy", "auto_proxy", "socks_server":
			return value != ""
		}
		return false
	})
}

// isProxy reports whether an argument names a proxy.
func isProxy(arg string) bool {
	name, _, _ := strings.Cut(arg, "=")
	return name == "--proxy-server" || name == "--proxy-pac-url" || name == "--proxy-auto-detect"
}
