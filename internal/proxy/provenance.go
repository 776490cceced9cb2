package proxy

import (
	"html"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"
)

// hop is one request for a document and its response. The agent makes Network events
// of it, since page script sees neither. A page must not learn cookies that are
// HttpOnly (RFC 6265, section 4.1.2.6): the request's cookies are left out, and the
// response's HttpOnly ones.
type hop struct {
	URL        string            `json:"url"`
	Method     string            `json:"method"`
	Sent       map[string]string `json:"sent"` // request headers as the app's server got them
	Status     int               `json:"status"`
	StatusText string            `json:"statusText"`
	Headers    map[string]string `json:"headers"`        // response headers as the app's server sent them
	Announced  bool              `json:"told,omitempty"` // the agent before has announced the request
}

// navigationResponse is how a document was loaded. The agent's script element has it
// as the attribute data-response, in JSON.
type navigationResponse struct {
	hop
	Redirects []hop  `json:"redirects,omitempty"` // the redirect chain, the first one first
	Body      string `json:"body,omitempty"`      // key of the body, below bodyPath
	Error     string `json:"error,omitempty"`     // the net error, when this is the page about it
	ErrorTold bool   `json:"errorTold,omitempty"` // the agent before has told Clients of it
}

// attribute is the attribute of the agent's script element.
func (a navigationResponse) attribute() string {
	if a.URL == "" {
		return ""
	}
	return ` data-response="` + html.EscapeString(string(mustEncode(a))) + `"`
}

// hopOf describes an exchange with the upstream, with URLs as the browser knows them.
func (e *exchange) hopOf(res *http.Response) hop {
	headers := scriptHeader(e.visibleHeader(res))
	for _, name := range []string{"location", "content-location"} {
		if address, has := headers[name]; has {
			headers[name] = e.moves.toOwn(address)
		}
	}
	sent := map[string]string{"Host": res.Request.Host} // the names as the app's server gets them
	for name, values := range res.Request.Header {
		sent[name] = strings.Join(values, "\n")
	}
	if sent["Cookie"] != "" {
		sent["Cookie"] = "" // the agent fills in those that script can read
	}
	return hop{
		URL: e.own.String() + e.uri, Method: res.Request.Method, Sent: sent,
		Status: res.StatusCode, StatusText: statusText(res), Headers: headers,
	}
}

// scriptHeader is the header of a response as page script may see it.
func scriptHeader(h http.Header) map[string]string {
	headers := flatHeader(h, "Set-Cookie")
	if cookies := cookieLines(h, false); len(cookies) > 0 {
		headers["set-cookie"] = strings.Join(cookies, "\n")
	}
	return headers
}

// cookieLines are the lines of Set-Cookie whose cookies script can read, or those of the
// others.
func cookieLines(h http.Header, httpOnly bool) (lines []string) {
	for _, line := range h.Values("Set-Cookie") {
		_, attributes, _ := strings.Cut(line, ";")
		hidden := false
		for attribute := range strings.SplitSeq(attributes, ";") {
			name, _, _ := strings.Cut(attribute, "=")
			hidden = hidden || strings.EqualFold(strings.TrimSpace(name), "HttpOnly")
		}
		if hidden == httpOnly {
			lines = append(lines, line)
		}
	}
	return lines
}

// flatHeader is a header in the form of CDP's Network.Headers: names in lower case,
// several values separated by line feeds. One header is left out.
func flatHeader(h http.Header, without string) map[string]string {
	all := make(map[string]string, len(h))
	for name, values := range h {
		if name != without {
			all[strings.ToLower(name)] = strings.Join(values, "\n")
		}
	}
	return all
}

const (
	// The limits of redirectChains: chains at a time, the age of one, and its
	// hops. Browsers follow 20 (Fetch standard, HTTP-redirect fetch).
	maxChains = 100
	chainAge  = 10 * time.Second
	maxHops   = 20
)

// redirectChains keeps the redirects of a navigation by the address that they
// lead to, until the browser asks for that.
type redirectChains struct {
	mu   sync.Mutex
	byTo map[string]redirectChain `stays:"bounded by number and age"`
}

type redirectChain struct {
	hops []hop
	at   time.Time
}

// add appends a redirect to the chain that led to it, under the address of the next
// request. A chain of more than maxHops is dropped: the browser gives up there, too.
func (c *redirectChains) add(before []hop, last hop) {
	from, err := url.Parse(last.URL)
	if err != nil {
		return
	}
	to, err := from.Parse(last.Headers["location"])
	if err != nil || len(before) >= maxHops {
		return
	}
	// The fragment is never sent to a server.
	to.Fragment, to.RawFragment = "", ""
	c.mu.Lock()
	defer c.mu.Unlock()
	now := time.Now()
	for address, old := range c.byTo {
		if now.Sub(old.at) > chainAge || len(c.byTo) >= maxChains {
			delete(c.byTo, address)
		}
	}
	// The capacity is cut, so that append cannot write into the array of another
	// chain.
	c.byTo[to.String()] = redirectChain{append(before[:len(before):len(before)], last), now}
}

// take returns the redirects that lead to an address, and removes them: only the next
// request for it belongs to the chain.
func (c *redirectChains) take(address string) []hop {
	c.mu.Lock()
	defer c.mu.Unlock()
	found := c.byTo[address]
	delete(c.byTo, address)
	if time.Since(found.at) > chainAge {
		return nil
	}
	return found.hops
}

func isRedirect(res *http.Response) bool {
	switch res.StatusCode {
	case http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther, http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
		return res.Header.Get("Location") != ""
	}
	return false
}
