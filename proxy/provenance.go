package proxy

import (
	"encoding/json"
	"html"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"
)

// A hop is one request for a document and its answer, as the agent tells
// clients of them: page script cannot know either. Cookies are left out, since
// a page must not learn of those that are HttpOnly.
type hop struct {
	URL        string            `json:"url"`
	Method     string            `json:"method"`
	Sent       map[string]string `json:"sent"` // headers of the request, as the app's server got them
	Status     int               `json:"status"`
	StatusText string            `json:"statusText"`
	Headers    map[string]string `json:"headers"` // of the answer, as the app's server sent them
	Told       bool              `json:"told,omitempty"`
}

// An arrival is how a document came.
type arrival struct {
	hop
	Redirects []hop  `json:"redirects,omitempty"` // that led to it, the first one first
	Body      string `json:"body,omitempty"`      // the key of its text, below bodyPath
	Error     string `json:"error,omitempty"`     // the net error that there is a page about
}

// attribute is the arrival as an attribute of the agent's script element.
func (a arrival) attribute() string {
	if a.URL == "" {
		return ""
	}
	text, err := json.Marshal(a)
	if err != nil {
		return "" // of strings and numbers there is always a JSON text
	}
	return ` data-response="` + html.EscapeString(string(text)) + `"`
}

// hopOf tells of an exchange with the upstream; the address is the browser's.
func (e *exchange) hopOf(res *http.Response) hop {
	headers := plain(e.header(res), "Set-Cookie")
	for _, name := range []string{"location", "content-location"} {
		if address, has := headers[name]; has {
			headers[name] = move(address, e.upstream, e.own)
		}
	}
	sent := plain(res.Request.Header, "Cookie")
	sent["host"] = res.Request.Host
	_, text, _ := strings.Cut(res.Status, " ")
	return hop{
		URL: e.own.String() + e.uri, Method: res.Request.Method, Sent: sent,
		Status: res.StatusCode, StatusText: text, Headers: headers,
	}
}

// plain is a header as the Network domain has it, with names in lower case,
// but for one.
func plain(h http.Header, without string) map[string]string {
	all := make(map[string]string, len(h))
	for name, values := range h {
		if name != without {
			all[strings.ToLower(name)] = strings.Join(values, "\n")
		}
	}
	return all
}

const (
	// maxChains bounds how many redirects are remembered at a time, chainAge
	// for how long, and maxHops how long a chain may grow: browsers follow 20.
	maxChains = 100
	chainAge  = 10 * time.Second
	maxHops   = 20
)

// chains remembers redirects of documents by the address they lead to, until
// the browser asks for that.
type chains struct {
	mu   sync.Mutex
	byTo map[string]chain
}

type chain struct {
	hops []hop
	at   time.Time
}

// add remembers a redirect after those that led to it.
func (c *chains) add(before []hop, last hop) {
	from, err := url.Parse(last.URL)
	if err != nil {
		return
	}
	to, err := from.Parse(last.Headers["location"])
	if err != nil || len(before) >= maxHops {
		return
	}
	to.Fragment, to.RawFragment = "", ""
	c.mu.Lock()
	defer c.mu.Unlock()
	now := time.Now()
	for address, old := range c.byTo {
		if now.Sub(old.at) > chainAge || len(c.byTo) >= maxChains {
			delete(c.byTo, address)
		}
	}
	c.byTo[to.String()] = chain{append(before[:len(before):len(before)], last), now}
}

// take returns the redirects that lead to an address, once.
func (c *chains) take(address string) []hop {
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
