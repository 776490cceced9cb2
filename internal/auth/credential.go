package auth

import (
	"context"
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

// lentKey finds the secret of Lend in a context.
type lentKey struct{}

// Lend is a request that the token of a pass counts for, where it has none of its
// own: that of the connection which has carried it. The token is judged anew, as if
// the request had it.
func (p Pass) Lend(r *http.Request) *http.Request {
	if p.secret.reveal == nil {
		return r
	}
	return r.WithContext(context.WithValue(r.Context(), lentKey{}, p.secret))
}

// lentSecret is the secret that Lend has given a request.
func lentSecret(r *http.Request) (Secret, bool) {
	s, is := r.Context().Value(lentKey{}).(Secret)
	return s, is
}

// protocolPrefix begins the subprotocol that carries a token.
const protocolPrefix = "bearer."

// credential finds a request's token. The request returned has none in its
// URL, which may be logged.
func (g *Gate) credential(r *http.Request, path string) (*http.Request, credential) {
	token, protocol, given := Bearer(r)
	c := credential{inURL: namesToken(r.URL.Query()), protocol: protocol}
	upgrade := r.Header.Get("Upgrade") != ""
	inURL, found := "", false
	// The Browser Agent Protocol has its WebSocket at either path.
	agents := upgrade && (path == "/bap" || path == "/")
	if takesQuery(path) || agents {
		r, inURL, found = takeQuery(r, path)
	}
	switch {
	case given:
		c.secret, c.given = NewSecret(token), true
	case agents && r.Header.Get("X-BAP-Token") != "":
		c.secret, c.given = NewSecret(r.Header.Get("X-BAP-Token")), true
	case found && g.urls:
		c.secret, c.given = NewSecret(inURL), true
		c.query = "?token=" + url.QueryEscape(inURL)
	case !found:
		c.secret, c.given = lentSecret(r)
	}
	return r, c
}

// Bearer is the token that a request gives in the header Authorization or in a
// subprotocol, and the subprotocol to answer with, "" for none. RFC 6750, section 2.1, has
// the header; its scheme counts in any case (RFC 9110, section 11.1). Pages cannot set it
// for a WebSocket, hence the subprotocol.
func Bearer(r *http.Request) (token, protocol string, given bool) {
	if r.Header.Get("Upgrade") != "" {
		protocol = offeredProtocol(r.Header)
	}
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	if strings.EqualFold(scheme, "Bearer") {
		return strings.TrimSpace(token), protocol, true
	}
	return strings.TrimPrefix(protocol, protocolPrefix), protocol, protocol != ""
}

// Strip takes the tokens out of the header of a request: Authorization, X-BAP-Token, and
// the subprotocols that carry one. It is for a request that is passed on to another server.
func Strip(h http.Header) {
	h.Del("Authorization")
	h.Del("X-BAP-Token")
	var others []string
	for _, line := range h.Values("Sec-WebSocket-Protocol") {
		for part := range strings.SplitSeq(line, ",") {
			if part = strings.TrimSpace(part); part != "" && !strings.HasPrefix(part, protocolPrefix) {
				others = append(others, part)
			}
		}
	}
	h.Del("Sec-WebSocket-Protocol")
	if len(others) > 0 {
		h.Set("Sec-WebSocket-Protocol", strings.Join(others, ", "))
	}
}

// offeredProtocol is the first subprotocol that carries a token, or "".
func offeredProtocol(h http.Header) string {
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

// takesQuery says at which paths a token may be in the URL: those that tools ask for which
// can set no header.
func takesQuery(path string) bool {
	return path == "/json" || strings.HasPrefix(path, "/json/") || strings.HasPrefix(path, "/devtools/") || path == "/icdp/host"
}

// refusesQuery says where a token must not stand in the URL at all, even a
// right one.
func refusesQuery(path string) bool { return path == "/ndjson" || path == "/cdp" }

// OwnTabs reports whether a request, to a path below its hub's prefix, asks for tabs
// of its own. The query of /json/new is an address, which may have any words.
func OwnTabs(r *http.Request, path string) bool {
	return !strings.HasPrefix(path, "/json/new") && r.URL.Query().Get("tabs") == ownTabs
}

// namesToken reports whether a query has a token, by the names that APIs use.
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
			// Not url.Values: the rest of the query must stay as it is, byte for byte.
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
