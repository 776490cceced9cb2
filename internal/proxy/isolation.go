package proxy

import (
	"net/http"
	"strings"
)

// isolate lets an app be cross-origin isolated in a frame, as in a tab of its own. There its
// Cross-Origin-Opener-Policy counts, which browsers ignore in frames. A Document-Isolation-Policy has the
// same effect there (WICG Document Isolation Policy; Chromium 137), whatever the page around the frame is.
// Other browsers isolate a frame only if the Host page is isolated: then it shows only documents that other
// origins may embed (Fetch Standard, "Cross-Origin-Resource-Policy header").
func (p *handler) isolate(h http.Header) {
	policy := valueOf(h, "Cross-Origin-Embedder-Policy")
	if policy != "require-corp" && policy != "credentialless" {
		return
	}
	if valueOf(h, "Cross-Origin-Opener-Policy") == "same-origin" {
		p.isolated.Store(true)
	}
	// Documents of an isolated page's own frames have an embedder policy alone.
	if !p.isolated.Load() {
		return
	}
	h.Set("Cross-Origin-Resource-Policy", "cross-origin")
	if h.Get("Document-Isolation-Policy") == "" {
		h.Set("Document-Isolation-Policy", "isolate-and-"+policy)
	}
}

// valueOf is the value of a header that is one token, without parameters.
func valueOf(h http.Header, name string) string {
	value, _, _ := strings.Cut(h.Get(name), ";")
	return strings.TrimSpace(value)
}
