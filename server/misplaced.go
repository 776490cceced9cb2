package server

import (
	"net/http"
	"strings"

	"github.com/cdphub/cdphub/httpdiscovery"
	"github.com/cdphub/cdphub/relay"
)

// misplaced says what is wrong with an address that leads nowhere, if it is one of two
// common mistakes: the port of the other listener, or a name that no hub has.
func misplaced(at route, known bool, on audience) string {
	socket := browserSocket(at.path) || strings.HasPrefix(at.path, pageSocketPath) || at.path == linkPath
	switch {
	case !known && at.hub != relay.DefaultHub && !relay.ValidName(at.hub):
		return "No hub can have this name: use 1 to 63 of the characters a-z, 0-9 and -."
	case !on.hosts && at.path == "/icdp/host":
		return "This is the listener for Clients: Hosts connect to the one of --host-addr, by default at port 9223."
	case !on.clients && (socket || httpdiscovery.Serves(at.path)):
		return "This is the listener for Hosts: Clients connect to the one of --client-addr, by default at port 9222."
	}
	return ""
}

// orMisplaced serves a path that leads nowhere: with what is wrong with it where that is
// known, else as before.
func orMisplaced(at route, known bool, on audience, otherwise http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if why := misplaced(at, known, on); why != "" {
			http.Error(w, why, http.StatusNotFound)
			return
		}
		otherwise(w, r)
	}
}

// notFound has the text that icdp's relay and package httpdiscovery have.
func notFound(w http.ResponseWriter, _ *http.Request) {
	http.Error(w, "Not found", http.StatusNotFound)
}
