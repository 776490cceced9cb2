package httpdiscovery

import (
	_ "embed"
	"net/http"
)

//go:generate go run protocol_gen.go

// protocol is the answer to /json/protocol: the whole protocol of Chromium,
// {"version":{…},"domains":[…]}, as chrome-remote-interface wants it to build
// its commands. Which of them a Target has, its answers tell.
//
//go:embed protocol.json
var protocol []byte

// serveProtocol answers /json/protocol, which needs no hub.
func serveProtocol(w http.ResponseWriter) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.Write(protocol) //nolint:errcheck // a peer that is gone
}
