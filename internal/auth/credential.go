package auth

import (
	"net/http"
	"net/url"
	"strings"
)

// credential is the token of a request, in the first of these forms that it
// has:
//
//	Authorization: Bearer T
//	Sec-WebSocket-Protocol: bearer.T
//	X-BAP-Token: T, for the Browser Agent Protocol
//	?token=T, on /devtools/…, /json/… and /icdp/host, and for that protocol
type credential struct {
	secret   Secret
	given    bool
	protocol string // the subprotocol to answer with, whichever form counts
	query    string // "?token=T" where that form counts
	inURL    bool   // the URL names a token, whether it counts or not
}

// protocolPrefix begins the subprotocol that carries a token.
const protocolPrefix = "bearer."

// credential finds a request's token. The request returned has none in its
// URL, which may be logged.
func (g *Gate) credential(r *http.Request, path string) (*http.Request, credential) {
	c := credential{inURL: namesToken(r.URL.Query())}
	upgrade := r.Header.Get("Upgrade") != ""
	if upgrade {
		c.protocol = offered(r.Header)
	}
	inURL, found := "", false
	agents := upgrade && (path == "/bap" || path == "/")
	if takesQuery(path) || agents {
		r, inURL, found = takeQuery(r, path)
	}
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	switch {
	case strings.EqualFold(scheme, "Bearer"):
		c.secret, c.given = NewSecret(strings.TrimSpace(token)), true
	case c.protocol != "":
		c.secret, c.given = NewSecret(c.protocol[len(protocolPrefix):]), true
	case agents && r.Header.Get("X-BAP-Token") != "":
		c.secret, c.given = NewSecret(r.Header.Get("X-BAP-Token")), true
	case found && g.urls:
		c.secret, c.given = NewSecret(inURL), true
		c.query = "?token=" + url.QueryEscape(inURL)
	}
	return r, c
}

// offered is the first subprotocol that carries a token, or "".
func offered(h http.Header) string {
	for _, line := range h.Values("Sec-WebSocket-Protocol") {
		for part := range strings.SplitSeq(line, ",") {
			if part = strings.TrimSpace(part); strings.HasPrefix(part, protocolPrefix) && isToken(part) {
				return part
			}
		}
	}
	return ""
}

// isToken reports whether a word is a token of RFC 9110, section 5.6.2, which
// is what a subprotocol must be.
func isToken(s string) bool {
	for i := range len(s) {
		if c := s[i]; c <= ' ' || c >= 0x7f || strings.IndexByte(`"(),/:;<=>?@[\]{}`, c) >= 0 {
			return false
		}
	}
	return s != ""
}

func takesQuery(path string) bool {
	return path == "/json" || strings.HasPrefix(path, "/json/") || strings.HasPrefix(path, "/devtools/") || path == "/icdp/host"
}

// refusesQuery says where a token must not stand in the URL at all, even a
// right one.
func refusesQuery(path string) bool { return path == "/ndjson" || path == "/cdp" }

func namesToken(query url.Values) bool {
	return query.Has("token") || query.Has("access_token") || query.Has("accessToken")
}

// takeQuery takes token=T out of a request's query. The query of /json/new is
// an address, which may well have a token of its own: there it must be first.
func takeQuery(r *http.Request, path string) (without *http.Request, token string, found bool) {
	var rest []string
	first := strings.HasPrefix(path, "/json/new")
	for i, part := range strings.Split(r.URL.RawQuery, "&") {
		value, is := strings.CutPrefix(part, "token=")
		if is && !found && (i == 0 || !first) {
			if text, err := url.QueryUnescape(value); err == nil {
				token, found = text, true
				continue
			}
		}
		rest = append(rest, part)
	}
	if !found {
		return r, "", false
	}
	u := *r.URL
	u.RawQuery = strings.Join(rest, "&")
	without = r.WithContext(r.Context())
	without.URL = &u
	return without, token, true
}
