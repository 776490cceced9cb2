package main

import (
	"net/http"
	"time"

	"go.uber.org/zap"
)

// The limits of every listener.
const (
	headerWithin = 5 * time.Second // from a connection's first moment, or a request's first byte
	maxHeader    = 16 << 10        // bytes; net/http adds 4 KiB of its own
	idleWithin   = time.Minute     // between two requests
)

// newHTTPServer speaks HTTP/1.1 alone, the version that a WebSocket begins
// in.
func newHTTPServer(h http.Handler, log *zap.Logger) *http.Server {
	var only http.Protocols
	only.SetHTTP1(true)
	return &http.Server{
		Handler:           h,
		Protocols:         &only,
		ReadHeaderTimeout: headerWithin,
		IdleTimeout:       idleWithin,
		MaxHeaderBytes:    maxHeader,
		ErrorLog:          zap.NewStdLog(httpErrors(log)),
	}
}
