package server

import (
	"errors"
	"net/http"

	"github.com/cdphub/cdphub/internal/auth"
	"github.com/cdphub/cdphub/internal/optionname"
	"github.com/cdphub/cdphub/relay"
	"github.com/cdphub/cdphub/server/internal/front"
)

// Tokens of different owners do not share a browser that the hub launches: one of them
// could end it, or have it do nothing else, for all. So each share of tokens (auth.Pass)
// has a hub of its own in place of a hub with a browser, at the same address:
//
//	/hub/work/…          with a token of share: team    -> the hub work_team
//	/hub/work/…          with a token of no share       -> the hub work_token-0123456789abcdef
//	/hub/work_team/…     the hub work_team, for what carries a key in place of a token, such
//	                     as the link of a handoff, and for tokens that may enter it
//
// Only the hub of a route is replaced, right after the gate: whatever is behind it serves
// another hub, and knows nothing of shares.

// divides reports whether each share of tokens has a hub of its own in place of a hub.
// Sandboxes are not divided: their names are keys, and their tokens were made with them.
// A node without browsers asks what the others have.
func (s *Server) divides(hub string) bool {
	return s.tokens.Set() && !front.IsSandbox(hub) && (s.browsers.Divided() && s.browsers.Has(hub) || s.cluster.Divides(hub))
}

// hubFor is the hub that serves a pass where a route leads to a hub by its name.
func (s *Server) hubFor(name string, pass auth.Pass) string {
	if hub, share := relay.CutShare(name); share != "" || !s.divides(hub) {
		return name
	}
	return relay.HubOfShare(name, pass.Share())
}

// intoShare is a request whose route leads to the hub of the share of a pass.
func (s *Server) intoShare(r *http.Request, pass auth.Pass) *http.Request {
	at := front.RouteOf(r)
	at.Hub = s.hubFor(at.Hub, pass)
	return at.With(r)
}

const noShareOfHost = "This token has no share, and at this hub each token has a browser of its own, so no Client would see the page. " +
	"Give the token of the Host page, and the tokens of the Clients that are to see the page, the same share (share: NAME in the tokens file, " +
	"cdphub token new --share NAME), or start cdphub with --browser-share=hub."

// shared is what serves a request after the gate: in the hub of its token's share.
func (s *Server) shared(e front.Entry) http.HandlerFunc {
	serve := s.forward.AtOwner(e)
	// After AtOwner, so that a plain GET is answered here and reaches no other
	// node.
	if e.WS {
		serve, e.Serve = front.OnlyHandshakes(serve), front.OnlyHandshakes(e.Serve)
	}
	if e.Undivided() {
		return serve
	}
	return func(w http.ResponseWriter, r *http.Request) {
		at, pass := front.RouteOf(r), auth.PassOf(r)
		hub, _ := relay.CutShare(at.Hub)
		switch {
		case !s.divides(hub):
			serve(w, r)
		// The share is known after the login, see login.enter. Before it, no node may
		// claim a hub.
		case pass.Login != nil:
			e.Serve(w, r)
		case e.Role == auth.RoleHost && e.WS && pass.Grant.Share == "" && !pass.Grant.Own:
			http.Error(w, noShareOfHost, http.StatusForbidden)
		default:
			serve(w, s.intoShare(r, pass))
		}
	}
}

// frameHubs are the hubs that a request of a frame may mean. A frame knows the address of
// its Host page alone, which names no share; its key fits one of the hubs at most.
func (s *Server) frameHubs(name string) (hubs []*relay.Hub, release func()) {
	if s.divides(name) {
		return s.hubs.PeekShares(name)
	}
	hub, release := s.hubs.Peek(name)
	return []*relay.Hub{hub}, release
}

// sees reports whether the lists of a pass may have a hub. The operator's own hub is at
// no address for other shares.
func (s *Server) sees(pass auth.Pass, name string) bool {
	hub, share := relay.CutShare(name)
	if share == "" && s.divides(hub) {
		return pass.Share() == ""
	}
	return share == "" || pass.Enters(share)
}

// prefixFor is the path under which a listener serves a hub to a pass: that of the hub
// without a share where its token leads there anyway.
func prefixFor(name string, pass auth.Pass) string {
	if hub, share := relay.CutShare(name); share == pass.Share() {
		return front.HubPrefix(hub)
	}
	return front.HubPrefix(name)
}

// checkProfile refuses a profile that tokens of several owners would use one after the
// other, unless the operator has asked for it.
func (s *Server) checkProfile() error {
	if b := s.o.Browsers; b.Profiles != "" && (b.Chrome.Profile != "" || b.Chrome.URL != "") {
		return optionname.Errorf("{server.Browsers.Profiles} is for browsers that the hub starts, each with a folder of its own: leave {chrome.Options.Profile} and {chrome.Options.URL} out")
	}
	if b := s.o.Browsers; b != nil && b.Chrome.Profile != "" && b.Chrome.URL == "" && !b.Undivided && s.tokens.FromFiles() {
		return optionname.Errorf("{chrome.Options.Profile} is the profile of one browser, whose cookies all tokens of {server.Tokens.File} and {server.Tokens.JWTKeys} would share: " +
			"set {server.Browsers.Undivided} to allow that, or leave {chrome.Options.Profile} out")
	}
	return nil
}

// errLoginElsewhere is answered to a login that comes after the handshake: a WebSocket
// cannot be passed on any more.
var errLoginElsewhere = errors.New("another node of the cluster has the browser of this token: send the token with the handshake, as the header Authorization: Bearer TOKEN")
