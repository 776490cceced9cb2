package proxy

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"html/template"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"syscall"
	"time"

	"go.uber.org/zap"

	"github.com/cdphub/cdphub/internal/advice"
	"github.com/cdphub/cdphub/internal/webpage"
)

// netErrorOf names an error of the transport as Chromium does
// (net/base/net_error_list.h). Agents pass the name on in Network.loadingFailed.
func netErrorOf(err error) string {
	var (
		known   netError
		name    *net.DNSError
		unknown x509.UnknownAuthorityError
		other   x509.HostnameError
		invalid x509.CertificateInvalidError
		tlsErr  *tls.CertificateVerificationError
	)
	switch {
	case errors.As(err, &known):
		return string(known)
	case errors.As(err, &name):
		return "net::ERR_NAME_NOT_RESOLVED"
	case errors.Is(err, syscall.ECONNREFUSED):
		return "net::ERR_CONNECTION_REFUSED"
	case errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE):
		return "net::ERR_CONNECTION_RESET"
	case errors.Is(err, syscall.EHOSTUNREACH), errors.Is(err, syscall.ENETUNREACH):
		return "net::ERR_ADDRESS_UNREACHABLE"
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return "net::ERR_EMPTY_RESPONSE"
	case errors.Is(err, os.ErrDeadlineExceeded):
		return "net::ERR_TIMED_OUT"
	case errors.As(err, &unknown):
		return "net::ERR_CERT_AUTHORITY_INVALID"
	case errors.As(err, &other):
		return "net::ERR_CERT_COMMON_NAME_INVALID"
	case errors.As(err, &invalid), errors.As(err, &tlsErr):
		return "net::ERR_CERT_INVALID"
	}
	return "net::ERR_FAILED"
}

// serveFailure answers when the upstream does not, or when a Client has failed the
// request. A frame gets a document with the agent, so that Clients can go on from
// there. A script or an element gets a network error, as without the proxy.
func (p *handler) serveFailure(w http.ResponseWriter, r *http.Request, err error) {
	e := exchangeOf(r.Context())
	if errors.Is(err, context.Canceled) {
		e.paused.finish(agentEvent{What: "failed", Error: "net::ERR_ABORTED"})
		return // the browser has gone
	}
	name := netErrorOf(err)
	e.paused.finish(agentEvent{What: "failed", Error: name})
	var decided netError
	if !errors.As(err, &decided) {
		p.Log.Warn("no answer from the app", zap.Stringer("app", p.Upstream), zap.Error(err))
	}
	// Chromium leaves the document in place when a navigation is aborted; 204 has the
	// same effect (RFC 9110, section 15.3.5).
	if e.navigates && name == "net::ERR_ABORTED" {
		w.WriteHeader(http.StatusNoContent) // the frame stays where it is
		return
	}
	if !e.document {
		breakResponse(w)
		return
	}
	if r.Header.Get("Sec-Fetch-Dest") == "" && !strings.Contains(r.Header.Get("Accept"), "text/html") {
		p.tellFailure(w, r, p.explain(name, err)) // it is no browser that asks for a document
		return
	}
	response := navigationResponse{Redirects: e.redirects, Error: name, ErrorTold: e.failed}
	if e.navigates {
		response.URL, response.Method, response.Announced = e.own.String()+e.uri, r.Method, e.announced
	}
	p.writeFailure(w, r, p.tag(e.own, response, "", false), p.explain(name, err))
	if e.paused.isMain() {
		e.paused.committed(response.URL)
	}
}

// failure is what the agent gets of a request that has failed.
type failure struct {
	Error  string `json:"error"`  // what is the case, and what to do
	Reason string `json:"reason"` // as Chromium names it
	Detail string `json:"detail"` // in Go's words
	comes  bool   // the app may be there later
}

// explain says why there is no response.
func (p *handler) explain(name string, err error) failure {
	f := failure{Reason: name, Detail: err.Error()}
	entry := advice.AppDown
	var decided netError
	switch {
	case errors.As(err, &decided):
		f.Error = "A client of cdphub has failed this request (" + name + ")"
		return f
	case strings.HasPrefix(name, "net::ERR_CERT_"):
		entry = advice.AppCertificate
	default:
		f.comes = true
	}
	f.Error = entry.With("app", p.upstream.String(), "reason", name).String()
	return f
}

// tellFailure answers a program, as JSON if it accepts that, else as text.
func (p *handler) tellFailure(w http.ResponseWriter, r *http.Request, f failure) {
	h := w.Header()
	h.Set("Cache-Control", "no-store")
	if !strings.Contains(r.Header.Get("Accept"), "json") {
		h.Set("Content-Type", "text/plain; charset=utf-8")
		w.WriteHeader(http.StatusBadGateway)
		fmt.Fprintf(w, "%s.\n%s\n", f.Error, f.Detail)
		return
	}
	h.Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusBadGateway)
	json.NewEncoder(w).Encode(f) //nolint:errcheck // a peer that is gone
}

// appPath is where a page asks whether the app can be reached: 204, or 503.
const appPath = "/app"

// comeBack reloads a page as soon as the app can be reached. It asks once a second.
// It runs before the agent, which would announce its requests to Clients, and keeps
// fetch and setTimeout before the agent wraps them.
const comeBack = `<script>{const ask=fetch,later=setTimeout,look=()=>ask("` + prefix + `app").then(r=>r.status===204?location.reload():later(look,1000),()=>later(look,1000));later(look,1000)}</script>`

// writeFailure answers with a page that says why, with the agent in it.
func (p *handler) writeFailure(w http.ResponseWriter, r *http.Request, tag []byte, f failure) {
	page := webpage.Problem{Status: http.StatusBadGateway, Title: "The app cannot be shown", Text: f.Error + ".", Head: template.HTML(tag), Detail: f.Detail}
	if f.comes && r.Method == http.MethodGet {
		page.Head = comeBack + page.Head
		page.Next = "This page opens the app as soon as it answers."
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(page.Status)
	w.Write(page.Render()) //nolint:errcheck // a peer that is gone
}

// serveUp answers whether the app accepts TCP connections, within a second: 204 or
// 503. It sends no request, which could change something in the app.
func (p *handler) serveUp(w http.ResponseWriter, r *http.Request) {
	address := p.Upstream.Host
	if p.Upstream.Port() == "" {
		address = net.JoinHostPort(p.Upstream.Hostname(), p.Upstream.Scheme) // by the name of a service
	}
	ctx, cancel := context.WithTimeout(r.Context(), time.Second)
	defer cancel()
	w.Header().Set("Cache-Control", "no-store")
	conn, err := new(net.Dialer).DialContext(ctx, "tcp", address)
	if err != nil {
		w.WriteHeader(http.StatusServiceUnavailable)
		return
	}
	conn.Close()
	w.WriteHeader(http.StatusNoContent)
}

// breakResponse sends a response that browsers treat as a network error: it has two
// lengths (RFC 9112, section 6.3). If the connection were just closed, the browser
// would send the request again.
func breakResponse(w http.ResponseWriter) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	defer conn.Close()
	fmt.Fprint(conn, "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n")
}
