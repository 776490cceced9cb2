package server

import (
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"net/url"
	"path"
	"strings"
	"sync"

	"github.com/cdphub/cdphub/actions/hooks"
	"github.com/cdphub/cdphub/internal/proxy"
	"github.com/cdphub/cdphub/server/internal/front"
	"github.com/cdphub/cdphub/web"
)

// bundle is one file that pages load from the hub.
type bundle struct {
	body        []byte
	contentType string
	hash        string
	immutable   bool // its name has the hash in it
	isPage      bool // a Host page, not a script
}

// bundles finds the embedded files by path: /agent.js, and /agent.HASH.js for
// pages that want it cached for ever.
var bundles = sync.OnceValue(func() map[string]bundle {
	found := map[string]bundle{}
	add := func(file, at, contentType string) {
		// The file is missing in a build without it, and then has no path.
		body, err := web.Dist.ReadFile("dist/" + file)
		if err != nil {
			return
		}
		// Eight bytes suffice to tell versions of a file apart; nobody can choose
		// their contents.
		sum := sha256.Sum256(body)
		b := bundle{body: body, contentType: contentType, hash: hex.EncodeToString(sum[:8]), isPage: at == "/shell"}
		found[at] = b
		b.immutable = true
		ext := path.Ext(at)
		found[strings.TrimSuffix(at, ext)+"."+b.hash+ext] = b
	}
	add("agent.js", "/agent.js", script)
	add("agent.mjs", "/agent.mjs", script)
	add("accessibility.js", "/accessibility.js", script)
	add("dom.js", "/dom.js", script)
	add("input.js", "/input.js", script)
	add("extras.js", "/extras.js", script)
	add("network.js", "/network.js", script)
	add("worker.js", "/worker.js", script)
	add("snapshot.js", "/snapshot.js", script)
	add("shot.js", "/shot.js", script)
	add("devtools.js", "/devtools.js", script)
	add("host.js", "/host.js", script)
	add("host.mjs", "/host.mjs", script)
	add("home.js", "/home.js", script)
	add("dashboard.js", "/ui/app.js", script)
	add("dashboard.css", "/ui/app.css", "text/css; charset=utf-8")
	add("shell.html", "/shell", "text/html; charset=utf-8")
	add("NOTICE.txt", "/NOTICE.txt", "text/plain; charset=utf-8")
	return found
})

const (
	script    = "text/javascript; charset=utf-8"
	plainText = "text/plain; charset=utf-8"
)

// serve answers with a bundle. Bundles are the same for everybody and hold no secret,
// so every page may load them. A path without a hash is checked each time by its ETag
// ("no-cache", RFC 9111, section 5.2.2.4); one with a hash is kept for a year
// ("immutable", RFC 8246).
func (b bundle) serve(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	front.ForEveryPage(h, b.contentType)
	if b.isPage {
		reportLeaving(h, r.URL.Query())
		if r.URL.Query().Has("isolated") { // for an app that is; see docs/pages.md
			h.Set("Cross-Origin-Opener-Policy", "same-origin")
			h.Set("Cross-Origin-Embedder-Policy", "require-corp")
		}
	}
	h.Set("ETag", `"`+b.hash+`"`)
	h.Set("Cache-Control", "no-cache")
	if b.immutable {
		h.Set("Cache-Control", "public, max-age=31536000, immutable")
	}
	switch {
	// Browsers set Sec-Fetch-Site themselves; scripts of pages cannot (W3C Fetch
	// Metadata).
	case b.isPage && r.Header.Get("Sec-Fetch-Site") == "cross-site":
		// A page that sends its visitor here could put its own app in the
		// place of the Host that the hub has.
		http.Error(w, "Another site has sent you here. To go on, open this address yourself.", http.StatusForbidden)
	case !front.OnlyReads(w, r):
	case r.Header.Get("If-None-Match") == `"`+b.hash+`"`:
		w.WriteHeader(http.StatusNotModified)
	default:
		w.Write(b.body) //nolint:errcheck // a peer that is gone
	}
}

// reportLeaving has the browser tell the shell where its frames go when they leave the app,
// which script cannot see otherwise: by the event securitypolicyviolation (CSP Level 3,
// frame-src) of a policy that forbids nothing.
func reportLeaving(h http.Header, shell url.Values) {
	served := append([]string{shell.Get("app")}, shell["origin"]...)
	for _, pair := range shell["also"] {
		at, _, _ := strings.Cut(pair, "=")
		served = append(served, at)
	}
	policy := "frame-src data: blob:"
	for _, text := range served {
		u, err := url.Parse(text)
		// What url.Parse takes for a host could end the directive.
		if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || strings.ContainsAny(u.Host, ";, '\"") {
			continue
		}
		policy += " " + strings.Join(proxy.NamesOf(u), " ") // the shell pairs both names of this machine
	}
	if len(policy) > maxShellPolicy { // no page has that many frames
		return
	}
	h.Set("Content-Security-Policy-Report-Only", policy)
}

// maxShellPolicy is the longest policy that the shell gets, in bytes.
const maxShellPolicy = 4096

// serveHookScript serves /rp.js, which is the same for everybody and holds no
// secret either.
func serveHookScript(w http.ResponseWriter, r *http.Request) {
	front.ForEveryPage(w.Header(), script)
	if front.OnlyReads(w, r) {
		w.Write(hooks.Script) //nolint:errcheck // a peer that is gone
	}
}
