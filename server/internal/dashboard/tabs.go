package dashboard

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"

	"go.uber.org/zap"

	"github.com/cdphub/cdphub/internal/auth"
	"github.com/cdphub/cdphub/internal/uiwire"
	"github.com/cdphub/cdphub/relay"
	"github.com/cdphub/cdphub/server/internal/front"
)

// handsOver reports whether the asker may hand tabs over to Clients, as a Client with
// the same token may by CdpHub.grant: with scope full or more, and not as a guest.
func handsOver(r *http.Request) bool {
	return front.GuestOf(r).Key == "" && auth.PassOf(r).Grant.Includes(auth.ScopeFull)
}

// MaxTabRequest is how long the body of a request to hand over a tab may be.
const MaxTabRequest = 4 << 10

// serveTabs hands a tab over to a Client with tabs of its own, or takes it away again:
//
//	POST /ui/api/grant  {"targetId":"…","client":"playwright #3"} -> 204
//	POST /ui/api/revoke the same
func (d *Dashboard) serveTabs(w http.ResponseWriter, r *http.Request) {
	var asked struct{ TargetID, Client string }
	if err := json.NewDecoder(io.LimitReader(r.Body, MaxTabRequest)).Decode(&asked); err != nil {
		http.Error(w, `The body is not a JSON object: send {"targetId":"…","client":"…"}.`, http.StatusBadRequest)
		return
	}
	if !handsOver(r) {
		http.Error(w, "A token needs scope full or more to hand tabs over.", http.StatusForbidden)
		return
	}
	hub, release := d.o.Hubs.Peek(front.RouteOf(r).Hub)
	defer release()
	// A target that the asker does not see is answered as one that does not exist.
	who := front.WatcherOf(r)
	if _, sees := hub.Control().WatchedTarget(who, asked.TargetID); !sees {
		http.Error(w, "The target does not exist.", http.StatusNotFound)
		return
	}
	what, do := "tab granted", hub.Control().Grant
	if front.RouteOf(r).Path == "/ui/api/revoke" {
		what, do = "tab revoked", hub.Control().Revoke
		if _, own := who.Policy.(relay.OwnTabs); own {
			http.Error(w, "Only a token that sees all tabs may take tabs away here: use CdpHub.revoke.", http.StatusForbidden)
			return
		}
	}
	switch err := do(asked.TargetID, asked.Client); {
	case errors.Is(err, relay.ErrNoTarget):
		http.Error(w, "This target cannot be handed over: it is private to its Client, or not a page.", http.StatusConflict)
	case err != nil:
		http.Error(w, err.Error()+".", http.StatusConflict)
	default:
		d.o.Access.Peer("viewer", r).Audit(what, asked.TargetID, zap.String("client", asked.Client))
		w.WriteHeader(http.StatusNoContent)
	}
}

// ownTabs are the Clients of a hub that have tabs of their own. Each comes with those
// of its tabs that are among the given targets.
func (d *Dashboard) ownTabs(name string, list []uiwire.Target) []relay.TabClient {
	hub, release := d.o.Hubs.Peek(name)
	defer release()
	ids := make([]string, len(list))
	for i, t := range list {
		ids[i] = t.TargetID
	}
	return hub.Control().TabClients(ids)
}
