// Package httpserver makes HTTP servers and listeners that strangers may reach, with
// limits for headers, bodies, answers, and connections of one address:
//
//	ln = httpserver.Listen(ln, httpserver.ListenerOptions{Connections: httpserver.Connections(0), Log: log})
//	err := httpserver.New(handler, httpserver.OwnRate, log).Serve(ln)
package httpserver

import (
	"net/http"
	"time"

	"go.uber.org/zap"

	"github.com/cdphub/cdphub/internal/logging"
)

// The limits of every server.
const (
	headerWithin = 5 * time.Second // from a connection's first moment, or a request's first byte
	maxHeader    = 16 << 10        // bytes; net/http adds 4 KiB of its own
	idleWithin   = time.Minute     // between two requests
	writeWithin  = time.Minute     // for each part of an answer
)

// The rates of request bodies. Bodies for the hub itself are short; those for an app
// may be files.
var (
	OwnRate = BodyRate{10 * time.Second, 64 << 10}
	AppRate = BodyRate{time.Minute, 4 << 10}
)

// New makes a server of the hub's own paths. It speaks HTTP/1.1 alone, the
// version that a WebSocket begins in (RFC 6455, section 4.1).
func New(h http.Handler, bodies BodyRate, log *zap.Logger) *http.Server {
	hs := NewApp(h, bodies, log)
	hs.MaxHeaderBytes = maxHeader
	hs.Handler = limitBodies(bodies, limitAnswers(h))
	return hs
}

// NewApp makes a server of an app's pages. It does not limit the time of an answer,
// which may be a download or a stream.
func NewApp(h http.Handler, bodies BodyRate, log *zap.Logger) *http.Server {
	var only http.Protocols
	only.SetHTTP1(true)
	return &http.Server{
		Handler:           limitBodies(bodies, h),
		Protocols:         &only,
		ReadHeaderTimeout: headerWithin,
		IdleTimeout:       idleWithin,
		ErrorLog:          zap.NewStdLog(logging.HTTPErrors(log)),
	}
}
