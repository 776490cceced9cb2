package server

import (
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/cdphub/cdphub/httpdiscovery"
	"github.com/cdphub/cdphub/internal/advice"
	"github.com/cdphub/cdphub/internal/auth"
	"github.com/cdphub/cdphub/server/internal/front"
)

// socketParams are the parameters of a URL that say what a Client is to be. Discovery passes
// them on to the URL of the socket.
var socketParams = []string{"tabs", "name", "session", "grace", "fresh", "resume"}

// otherParams are all others that a Client or a Host may send.
var otherParams = []string{"token", "access_token", "accessToken", "caps", "snapshot", snapshotParam, "image-responses", "timeout", "pass", "target", httpdiscovery.TicketParam}

// snapshotParam says what the answers of an action API show of the page after an action.
const snapshotParam = "snapshot-mode"

var knownParams = slices.Concat(socketParams, otherParams)

// resourceParams are those that have an effect at the hub's own resources.
var resourceParams = []string{"token", "access_token", "accessToken", "tabs"}

// uselessParam finds a parameter that has no effect at one of the hub's own resources, such as limit=5. At other paths such
// parameters are ignored, as Chromium ignores them.
func uselessParam(r *http.Request, e front.Entry) string {
	if !e.Resource || r.URL.RawQuery == "" {
		return ""
	}
	for _, name := range slices.Sorted(maps.Keys(r.URL.Query())) {
		if !slices.Contains(resourceParams, name) {
			return name
		}
	}
	return ""
}

// misspelledParam finds a parameter that the hub does not know and that is nearly one that it
// knows: it would have no effect. Others are ignored, as Chromium does: clients and
// proxies add their own.
func misspelledParam(r *http.Request, e front.Entry) (wrong, right string) {
	if r.URL.RawQuery == "" || e.Role != auth.RoleClient && e.Role != auth.RoleHost || e.On == front.ForPeople ||
		strings.HasPrefix(front.RouteOf(r).Path, "/json/new") { // whose query is an address
		return "", ""
	}
	for name := range r.URL.Query() {
		nearest, least := "", 3
		for _, k := range knownParams {
			far := advice.EditDistance(name, k)
			if far == 0 {
				nearest = ""
				break
			}
			if far < least && advice.Misspelled(k, far) && (far == 1 || !strings.HasPrefix(name, k)) { // sessionId is a word of its own
				nearest, least = k, far
			}
		}
		if nearest != "" {
			return name, nearest
		}
	}
	return "", ""
}
