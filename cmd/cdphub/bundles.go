package main

import (
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"path"
	"strings"
	"sync"

	"github.com/cdphub/cdphub/web"
)

// bundle is one file that pages load from the hub.
type bundle struct {
	body        []byte
	contentType string
	hash        string
	immutable   bool // its name has the hash in it
}

// bundles finds the embedded files by path: /agent.js, and /agent.HASH.js for
// pages that want it cached for ever.
var bundles = sync.OnceValue(func() map[string]bundle {
	found := map[string]bundle{}
	add := func(file, at, contentType string) {
		body, err := web.Dist.ReadFile("dist/" + file)
		if err != nil {
			return
		}
		sum := sha256.Sum256(body)
		b := bundle{body: body, contentType: contentType, hash: hex.EncodeToString(sum[:8])}
		found[at] = b
		b.immutable = true
		ext := path.Ext(at)
		found[strings.TrimSuffix(at, ext)+"."+b.hash+ext] = b
	}
	const script = "text/javascript; charset=utf-8"
	add("agent.js", "/agent.js", script)
	add("agent.mjs", "/agent.mjs", script)
	add("snapshot.js", "/snapshot.js", script)
	add("shot.js", "/shot.js", script)
	add("host.js", "/host.js", script)
	add("host.mjs", "/host.mjs", script)
	add("shell.html", "/shell", "text/html; charset=utf-8")
	add("NOTICE.txt", "/NOTICE.txt", "text/plain; charset=utf-8")
	return found
})

// serveBundle serves a bundle and reports whether there is one at that path.
// They are the same for everybody and hold no secret, so every page may load
// them.
func serveBundle(w http.ResponseWriter, r *http.Request, at string) bool {
	b, ok := bundles()[at]
	if !ok {
		return false
	}
	h := w.Header()
	h.Set("Content-Type", b.contentType)
	h.Set("Access-Control-Allow-Origin", "*")
	h.Set("Cross-Origin-Resource-Policy", "cross-origin")
	h.Set("ETag", `"`+b.hash+`"`)
	h.Set("Cache-Control", "no-cache")
	if b.immutable {
		h.Set("Cache-Control", "public, max-age=31536000, immutable")
	}
	switch {
	case at == "/shell" && r.Header.Get("Sec-Fetch-Site") == "cross-site":
		// A page that sends its visitor here could put its own app in the
		// place of the Host that the hub has.
		http.Error(w, "Another site has sent you here. To go on, open this address yourself.", http.StatusForbidden)
	case r.Method != http.MethodGet && r.Method != http.MethodHead:
		h.Set("Allow", "GET, HEAD")
		http.Error(w, "Method not allowed", http.StatusMethodNotAllowed)
	case r.Header.Get("If-None-Match") == `"`+b.hash+`"`:
		w.WriteHeader(http.StatusNotModified)
	default:
		w.Write(b.body) //nolint:errcheck // a peer that is gone
	}
	return true
}
