package proxy

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"html"
	"io"
	"net"
	"net/http"
	"os"
	"syscall"

	"go.uber.org/zap"
)

// netErrorOf names an error of the transport as Chromium does (net_error_list.h).
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
// there. A script or an element gets a network error.
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
	if e.navigates && name == "net::ERR_ABORTED" {
		w.WriteHeader(http.StatusNoContent) // the frame stays where it is
		return
	}
	if !e.document {
		breakResponse(w)
		return
	}
	response := navigationResponse{Redirects: e.redirects, Error: name}
	if e.navigates {
		response.URL, response.Method, response.Announced = e.own.String()+e.uri, r.Method, e.announced
	}
	text := fmt.Sprintf("cdphub: no answer from %s: %v", p.upstream, err)
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(http.StatusBadGateway)
	fmt.Fprintf(w, "<!doctype html><html><head>%s<title>502 Bad Gateway</title></head><body><p>%s</p></body></html>\n",
		p.tag(e.own, response, "", false), html.EscapeString(text))
	if e.paused != nil && e.paused.main {
		e.paused.committed(response.URL)
	}
}

// breakResponse sends a response that browsers treat as a network error. When the
// connection just closes, they ask again.
func breakResponse(w http.ResponseWriter) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	defer conn.Close()
	fmt.Fprint(conn, "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n")
}
