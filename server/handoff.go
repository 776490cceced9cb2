package server

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"

	"github.com/cdphub/cdphub/internal/auth"
	"github.com/cdphub/cdphub/relay"
)

// handoffURL is the link of a handoff, which opens the dashboard for one target; ""
// where no listener serves the dashboard. Its host is Options.PublicURL, or the
// listener of Clients as this machine reaches it. The ticket is in the fragment,
// which browsers do not send to servers (RFC 9110, section 4.2.5).
func (s *Server) handoffURL(hub, ticket string) string {
	if !s.servesUI() {
		return ""
	}
	base := strings.TrimSuffix(s.o.PublicURL, "/")
	if base == "" {
		at := s.ClientAddr()
		if _, _, err := net.SplitHostPort(at); err != nil { // there is no listener, or it is no TCP port
			return ""
		}
		base = "http://" + Reachable(at)
		if s.o.TLS.on() {
			base = "https://" + Reachable(at)
		}
	}
	return base + hubPrefix(hub) + "/#handoff=" + ticket
}

// servesUI reports whether a listener of Clients serves the dashboard.
func (s *Server) servesUI() bool {
	for _, ln := range s.listeners {
		if s.hasUI(audience{ln.clients, ln.hosts, isExposed(ln.Addr())}) {
			return true
		}
	}
	return false
}

// guest is a person who came by the link of a handoff. A guest has no token, sees one
// target, and stays until the handoff ends. The zero value is no guest.
type guest struct {
	key string
	relay.Handoff
}

type guestKey struct{}

// guestOf is the guest who has sent a request.
func guestOf(r *http.Request) guest {
	g, _ := r.Context().Value(guestKey{}).(guest)
	return g
}

// stays reports whether the handoff of a guest is still open; without a guest it is true.
func (g guest) stays(hub *relay.Hub) bool {
	if g.key == "" {
		return true
	}
	_, open := hub.Control().HandoffByKey(g.key)
	return open
}

func (s *Server) guestStays(r *http.Request) bool {
	hub, release := s.hubs.Peek(routeOf(r).hub)
	defer release()
	return guestOf(r).stays(hub)
}

// guestPrefix begins the keys of guests, which take the place of a token.
const guestPrefix = "handoff."

const ownHandoff = "The token that has asked for this handoff cannot open its link: enter another token for this hub."

const handoffOver = "This link was used already, or it has expired: ask for a new one."

// forGuests lets guests in by their key, in place of a token. A request without such
// a key is left to the gate.
func (s *Server) forGuests(r *http.Request, e entry) entry {
	token, protocol, _ := auth.Bearer(r)
	key, is := strings.CutPrefix(token, guestPrefix)
	if !is {
		return e
	}
	serve := e.serve
	// The gate does not know the key. The handler below checks it.
	e.role = ""
	e.serve = func(w http.ResponseWriter, r *http.Request) {
		hub, release := s.hubs.Peek(routeOf(r).hub)
		h, open := hub.Control().HandoffByKey(key)
		release()
		if !open {
			http.Error(w, handoffOver, http.StatusUnauthorized)
			return
		}
		r = auth.WithPass(r, auth.Pass{
			Grant:    auth.Grant{Name: cmp.Or(h.OpenedBy, "somebody") + " with the link", Role: auth.RoleClient, Hub: routeOf(r).hub, Scope: auth.ScopeStandard, Payer: h.Payer},
			Protocol: protocol,
		})
		serve(w, r.WithContext(context.WithValue(r.Context(), guestKey{}, guest{key, h})))
	}
	return e
}

// maxTicket is how long the body of a request for a key may be.
const maxTicket = 1 << 10

// serveHandoff exchanges the ticket of a link for the key of a guest, once. Where there are tokens, a link
// needs one, too: the agent has got the link, and could open it itself.
//
//	POST {"ticket":"…"} -> {"key":"handoff.…","targetId":"…","instructions":"…","until":MS}
func (s *Server) serveHandoff(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPost {
		w.Header().Set("Allow", http.MethodPost)
		http.Error(w, "Send the ticket of the link by POST.", http.StatusMethodNotAllowed)
		return
	}
	var asked struct{ Ticket string }
	if err := json.NewDecoder(io.LimitReader(r.Body, maxTicket)).Decode(&asked); err != nil {
		http.Error(w, `The body is not a JSON object: send {"ticket":"…"}.`, http.StatusBadRequest)
		return
	}
	pass := auth.PassOf(r)
	if pass.Grant.Scope != 0 && pass.Grant.Scope.ReadOnly() {
		http.Error(w, "A token needs scope standard or more to open the link of a handoff.", http.StatusForbidden)
		return
	}
	hub, release := s.hubs.Peek(routeOf(r).hub)
	defer release()
	key, err := hub.Control().OpenHandoff(asked.Ticket, relay.Opener{Account: s.handoffAccount(r), Name: tokenName(pass)})
	h, open := hub.Control().HandoffByKey(key)
	switch {
	case errors.Is(err, relay.ErrOwnHandoff):
		http.Error(w, ownHandoff, http.StatusForbidden)
		return
	case err != nil || !open:
		http.Error(w, handoffOver, http.StatusNotFound)
		return
	}
	s.audit(s.peer("viewer", r), "handoff opened", h.TargetID)
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	json.NewEncoder(w).Encode(struct { //nolint:errcheck // a peer that is gone
		Key          string `json:"key"`
		TargetID     string `json:"targetId"`
		Instructions string `json:"instructions"`
		Until        int64  `json:"until"`
	}{guestPrefix + key, h.TargetID, h.Instructions, h.Until.UnixMilli()})
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
func (s *Server) handoffAccount(r *http.Request) string {
	if guestOf(r).key != "" || s.o.HandoffByLink {
		return ""
	}
	return auth.PassOf(r).Account()
}
