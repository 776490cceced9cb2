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
	takenWithin  = time.Minute     // each part of an answer
)

// The pace of bodies: the hub's own are short, those of an app may be files.
var (
	ownPace = pace{10 * time.Second, 64 << 10}
	appPace = pace{time.Minute, 4 << 10}
)

// newHTTPServer speaks HTTP/1.1 alone, the version that a WebSocket begins
// in.
func newHTTPServer(h http.Handler, log *zap.Logger) *http.Server {
	hs := newAppServer(h, log)
	hs.MaxHeaderBytes = maxHeader
	hs.Handler = paced(ownPace, taken(h))
	return hs
}

// newAppServer is newHTTPServer for pages of an app, whose answers may take as
// long as who plays or downloads them likes.
func newAppServer(h http.Handler, log *zap.Logger) *http.Server {
	var only http.Protocols
	only.SetHTTP1(true)
	return &http.Server{
		Handler:           paced(appPace, h),
		Protocols:         &only,
		ReadHeaderTimeout: headerWithin,
		IdleTimeout:       idleWithin,
		ErrorLog:          zap.NewStdLog(httpErrors(log)),
	}
}
