package dashboard

import (
	"cmp"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"

	"github.com/cdphub/cdphub/internal/auth"
	"github.com/cdphub/cdphub/relay"
	"github.com/cdphub/cdphub/server/internal/front"
)

func (d *Dashboard) guestStays(r *http.Request) bool {
	hub, release := d.o.Hubs.Peek(front.RouteOf(r).Hub)
	defer release()
	return front.GuestOf(r).Stays(hub)
}

const ownHandoff = "The token that has asked for this handoff cannot open its link: enter another token for this hub."

const handoffOver = "This link was used already, or it has expired: ask for a new one."

// LetGuestsIn lets guests in by their key, in place of a token. A request without such
// a key is left to the gate.
func (d *Dashboard) LetGuestsIn(r *http.Request, e front.Entry) front.Entry {
	token, protocol, _ := auth.Bearer(r)
	key, is := strings.CutPrefix(token, front.GuestPrefix)
	if !is {
		return e
	}
	serve := e.Serve
	// The gate does not know the key. The handler below checks it.
	e.Role = ""
	e.Serve = func(w http.ResponseWriter, r *http.Request) {
		hub, release := d.o.Hubs.Peek(front.RouteOf(r).Hub)
		h, open := hub.Control().HandoffByKey(key)
		release()
		if !open {
			http.Error(w, handoffOver, http.StatusUnauthorized)
			return
		}
		r = auth.WithPass(r, auth.Pass{
			Grant:    auth.Grant{Name: cmp.Or(h.OpenedBy, "somebody") + " with the link", Role: auth.RoleClient, Hub: front.RouteOf(r).Hub, Scope: auth.ScopeStandard, Payer: h.Payer},
			Protocol: protocol,
		})
		serve(w, front.Guest{Key: key, Handoff: h}.With(r))
	}
	return e
}

// MaxTicket is how long the body of a request for a key may be.
const MaxTicket = 1 << 10

// serveHandoff exchanges the ticket of a link for the key of a guest, once. Where there are tokens, a link
// needs one, too: the agent has got the link, and could open it itself.
//
//	POST {"ticket":"…"} -> {"key":"handoff.…","targetId":"…","instructions":"…","until":MS}
func (d *Dashboard) serveHandoff(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPost {
		w.Header().Set("Allow", http.MethodPost)
		http.Error(w, "Send the ticket of the link by POST.", http.StatusMethodNotAllowed)
		return
	}
	var asked struct{ Ticket string }
	if err := json.NewDecoder(io.LimitReader(r.Body, MaxTicket)).Decode(&asked); err != nil {
		http.Error(w, `The body is not a JSON object: send {"ticket":"…"}.`, http.StatusBadRequest)
		return
	}
	pass := auth.PassOf(r)
	if pass.Grant.Scope != 0 && pass.Grant.Scope.ReadOnly() {
		http.Error(w, "A token needs scope standard or more to open the link of a handoff.", http.StatusForbidden)
		return
	}
	hub, release := d.o.Hubs.Peek(front.RouteOf(r).Hub)
	defer release()
	key, err := hub.Control().OpenHandoff(asked.Ticket, relay.Opener{Account: d.handoffAccount(r), Name: front.TokenName(pass)})
	h, open := hub.Control().HandoffByKey(key)
	switch {
	case errors.Is(err, relay.ErrOwnHandoff):
		http.Error(w, ownHandoff, http.StatusForbidden)
		return
	case err != nil || !open:
		http.Error(w, handoffOver, http.StatusNotFound)
		return
	}
	d.o.Access.Peer("viewer", r).Audit("handoff opened", h.TargetID)
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	json.NewEncoder(w).Encode(struct { //nolint:errcheck // a peer that is gone
		Key          string `json:"key"`
		TargetID     string `json:"targetId"`
		Instructions string `json:"instructions"`
		Until        int64  `json:"until"`
	}{front.GuestPrefix + key, h.TargetID, h.Instructions, h.Until.UnixMilli()})
}

// answerHandoff ends the handoff of a target with the answer of the person whose token has
// the account. Its error is for that person to read.
func answerHandoff(hub *relay.Hub, target, account string, done bool) error {
	h, open := hub.Control().HandoffOf(target)
	if !open {
		return errNotAsked
	}
	err := hub.Control().AnswerHandoff(h.ID, account, done)
	if errors.Is(err, relay.ErrHandoffOver) {
		return errNotAsked
	}
	return err
}

var errNotAsked = errors.New("the agent no longer asks for anything here")

// handoffAccount is the account of a person that is compared with that of the Client that has
// asked for a handoff: "" for a guest, who was let in before, and where a link alone opens a
// handoff, so that the asking token could do so anyway.
func (d *Dashboard) handoffAccount(r *http.Request) string {
	if front.GuestOf(r).Key != "" || d.o.HandoffByLink {
		return ""
	}
	return auth.PassOf(r).Account()
}
