package server

import (
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/cdphub/cdphub/httpdiscovery"
	"github.com/cdphub/cdphub/internal/auth"
	"github.com/cdphub/cdphub/server/internal/front"
)

// socketParams are the parameters of a URL that say what a Client is to be. Discovery passes
// them on to the URL of the socket.
var socketParams = []string{"tabs", "name", "session", "grace", "fresh", "resume"}

// otherParams are all others that a Client or a Host may send.
var otherParams = []string{"token", "access_token", "accessToken", "caps", "snapshot", "pass", "target", httpdiscovery.TicketParam}

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
// proxies add their own. A name of five letters or less may be one letter off, a longer one two,
// where two that change places are one letter off.
func misspelledParam(r *http.Request, e front.Entry) (wrong, right string) {
	if r.URL.RawQuery == "" || e.Role != auth.RoleClient && e.Role != auth.RoleHost || e.On == front.ForPeople ||
		strings.HasPrefix(front.RouteOf(r).Path, "/json/new") { // whose query is an address
		return "", ""
	}
	for name := range r.URL.Query() {
		nearest, least := "", 3
		for _, k := range knownParams {
			far := editDistance(name, k)
			if far == 0 {
				nearest = ""
				break
			}
			if far < least && (far == 1 || len(k) > 5 && !strings.HasPrefix(name, k)) { // sessionId is a word of its own
				nearest, least = k, far
			}
		}
		if nearest != "" {
			return name, nearest
		}
	}
	return "", ""
}

// editDistance is how many letters must be added, left out, changed, or exchanged with the next one
// to make b of a (optimal string alignment distance). More than 2 are 3.
func editDistance(a, b string) int {
	if len(a)-len(b) > 2 || len(b)-len(a) > 2 {
		return 3
	}
	var before []int
	last := make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := range len(a) {
		next := make([]int, len(b)+1)
		next[0] = i + 1
		for j := range len(b) {
			change := last[j]
			if a[i] != b[j] {
				change++
			}
			next[j+1] = min(change, last[j+1]+1, next[j]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				next[j+1] = min(next[j+1], before[j-1]+1)
			}
		}
		before, last = last, next
	}
	return min(last[len(b)], 3)
}
