package auth

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"io"
	"math"
	"net/http"
	"net/netip"
	"strconv"
	"strings"
	"time"

	"go.uber.org/zap"

	"github.com/cdphub/cdphub/internal/advice"
	"github.com/cdphub/cdphub/relay/quota"
)

// Gate lets requests in by their tokens. While none are set it lets all of
// them in.
type Gate struct {
	tokens  *Tokens // static after NewGate
	urls    bool
	proxies []netip.Prefix
	log     *zap.Logger
	failed  func(listener, reason string)
	limits  limiter
}

// GateOptions says how a Gate takes tokens.
type GateOptions struct {
	// NoURLs refuses tokens in the query of a URL.
	NoURLs bool
	// Proxies are the addresses whose X-Forwarded-For counts.
	Proxies []netip.Prefix
	Log     *zap.Logger
	// Failed is called for each login that fails, with Ask.Listener and one of
	// Reasons; nil: it is not counted.
	Failed func(listener, reason string)
}

// NewGate makes a gate for these tokens.
func NewGate(t *Tokens, o GateOptions) *Gate {
	if o.Log == nil {
		o.Log = zap.NewNop()
	}
	if o.Failed == nil {
		o.Failed = func(string, string) {}
	}
	return &Gate{tokens: t, urls: !o.NoURLs, proxies: o.Proxies, log: o.Log, failed: o.Failed}
}

// Ask is what a request wants to be let in for.
type Ask struct {
	Role Role
	Hub  string // EveryHub, or NoHub, in place of a name
	Path string // below the hub's prefix
	// Share is the share whose hub the address names; "" for an address that names a
	// hub alone.
	Share string

	Listener  string // that was asked, for the log and for GateOptions.Failed
	WebSocket bool   // the request is a handshake: that it has no token is logged at info
}

// Pass is how a request was let in.
type Pass struct {
	Grant    Grant  // zero where no token was needed
	Protocol string // the subprotocol to answer with; "" for none
	Query    string // what the hub's URLs carry for this asker: "?token=T" or ""
	// Owner is who has the tabs that a Client sees; "" for one that sees all. It is
	// the same for all requests with a token whose grant has OwnTabs, and one of
	// its own for each other request with tabs=own in its URL.
	Owner string
	// Login is there, in place of a grant, for one that RequireLogin has let in
	// without a token: it makes a token a Pass, or says why not. Wrong tokens
	// count as those of a request do.
	Login func(token string) (Pass, error)

	secret Secret
	bearer string // in place of the secret, which only another node knows
	listed bool   // the token of the bearer was known beforehand, and not a signed one
}

// ErrLockedOut refuses an address that has sent too many wrong tokens.
var ErrLockedOut = errors.New("too many wrong tokens came from this address: try again later")

// Bearer tells bearers apart: it is the same for the same token, which it does
// not reveal, and "" where none was needed.
func (p Pass) Bearer() string {
	if p.Grant.Role == "" {
		return ""
	}
	return cmp.Or(p.bearer, p.secret.Hash())
}

// Account tells apart whose Clients are whose: it is the Bearer's, and for a token that was
// made on behalf of another, such as that of a sandbox, that of the other.
func (p Pass) Account() string { return p.Payer().ID }

// Payer is whose part of the limits the bearer uses; the zero value where no token was
// needed.
func (p Pass) Payer() quota.Payer {
	id := p.Bearer()
	switch {
	case p.Grant.Payer.ID != "":
		return p.Grant.Payer
	case id == "":
		return quota.Payer{}
	}
	// Some digits of the hash tell tokens without a name apart.
	const digits = 8
	return quota.Payer{ID: id, Name: cmp.Or(p.Grant.Name, "token "+id[:min(len(id), digits)]), Limits: p.Grant.Limits}
}

// Hold calls end, once, with ErrExpired, ErrRevoked or ErrChanged as soon as the token no
// longer lets its bearer in; end must not wait. release ends the hold. A pass that
// no token has given ends with what gave it.
func (g *Gate) Hold(p Pass, end func(why error)) (release func()) {
	switch {
	case !g.tokens.Set() || p.Login != nil || p.secret.reveal == nil && p.bearer == "":
		return func() {}
	case p.bearer != "":
		return g.tokens.HoldBearer(p.bearer, p.listed, p.Grant, end)
	}
	return g.tokens.Hold(p.secret, p.Grant, end)
}

// passKey finds a Pass in the context of a request.
type passKey struct{}

// PassOf is how a request behind a Gate was let in.
func PassOf(r *http.Request) Pass {
	p, _ := r.Context().Value(passKey{}).(Pass)
	return p
}

// WithPass is the request as if a Gate had let it in like that. What is done with its
// context counts for the Payer of the Pass.
func WithPass(r *http.Request, p Pass) *http.Request {
	return r.WithContext(quota.NewContext(context.WithValue(r.Context(), passKey{}, p), p.Payer()))
}

// Require lets requests through to next that have a token for what ask says.
// The answer to all others says what is wrong with their token, and is the same
// whether there is such a hub or not. The next handler does not see the token.
func (g *Gate) Require(ask func(*http.Request) Ask, next http.Handler) http.Handler {
	return g.require(ask, false, next)
}

// RequireLogin is Require for a path where a token may come later, within what
// is spoken there: a request without any passes, and its Pass has a Login.
func (g *Gate) RequireLogin(ask func(*http.Request) Ask, next http.Handler) http.Handler {
	return g.require(ask, true, next)
}

// require is Require and, with later, RequireLogin.
func (g *Gate) require(ask func(*http.Request) Ask, later bool, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		a := ask(r)
		r, c := g.credential(r, a.Path)
		// Even a right token is refused here, see refusesQuery.
		if refusesQuery(a.Path) && c.inURL {
			g.refused(errInURL, Grant{}, g.Address(r), a)
			answerUnauthorized(w, advice.TokenInURL)
			return
		}
		pass := Pass{Protocol: c.protocol, Query: c.query, secret: c.secret}
		if OwnTabs(r, a.Path) {
			pass.Owner = rand.Text()
		}
		if g.tokens.Set() {
			from := g.Address(r)
			if !c.given && later {
				owner := pass.Owner
				pass.Login = func(token string) (Pass, error) { return g.login(token, owner, from, a) }
			} else if left, err := g.grant(&pass, c, from, a); left > 0 {
				lockedOut(w, left)
				return
			} else if err != nil {
				answerUnauthorized(w, err)
				return
			}
		}
		next.ServeHTTP(w, WithPass(r, pass))
	})
}

// grant makes a pass that of its token, or counts and logs why not. A good
// token is let in even where its address is locked out: a Client that shares that
// address could keep others out otherwise. What keeps guessers out is that no
// token has less than 16 characters; for how much longer their wrong ones do
// not even count is left, and it says nothing of the token. The error is an
// advice.Entry. A token of ours that
// is for another role or hub, or was good once, is no guess, and is not counted:
// an operator has mixed up two tokens, or has yet to take the new one.
func (g *Gate) grant(pass *Pass, c credential, from netip.Addr, a Ask) (left time.Duration, err error) {
	grant, err := g.check(c, a)
	if err == nil {
		if pass.Grant = grant; grant.OwnTabs { // the URL cannot widen that
			pass.Owner = "token " + pass.secret.Hash()
		}
		return 0, nil
	}
	began := false
	switch {
	case !c.given && c.inURL:
		err = errInURL
	case !c.given:
		err = errMissing
	case isOurs(err):
		left = g.limits.locked(from, a.Hub)
	default:
		left, began = g.limits.wrong(from, a.Hub)
	}
	if began {
		g.log.Warn("too many wrong tokens: the address is answered 429 for a while, unless it brings a good one",
			zap.String("hub", a.Hub), zap.Stringer("peer", from), zap.Duration("for", lockOut))
	}
	g.refused(err, grant, from, a)
	return left, refusalFor(err, grant, a)
}

// refused logs and counts a login that has failed. The name of the bearer is
// known for a token of ours. Browsers and MCP clients try without a token first,
// which is logged at debug.
func (g *Gate) refused(why error, grant Grant, from netip.Addr, a Ask) {
	reason := reasonOf(why)
	g.failed(a.Listener, reason)
	fields := []zap.Field{
		zap.String("listener", a.Listener), zap.String("hub", a.Hub), zap.Stringer("peer", from),
		zap.String("reason", reason), zap.Error(why),
	}
	if grant.Name != "" {
		fields = append(fields, zap.String("bearer", grant.Name))
	}
	level := zap.InfoLevel
	if errors.Is(why, errMissing) && !a.WebSocket {
		level = zap.DebugLevel
	}
	g.log.Log(level, "login failed", fields...)
}

// login is Pass.Login.
func (g *Gate) login(token, owner string, from netip.Addr, a Ask) (Pass, error) {
	c := credential{secret: NewSecret(token), given: true}
	pass := Pass{secret: c.secret, Owner: owner}
	left, err := g.grant(&pass, c, from, a)
	if left > 0 {
		err = ErrLockedOut
	}
	return pass, err
}

// Admin lets through to next what brings an admin token; everything while no
// tokens are set.
func (g *Gate) Admin(next http.Handler) http.Handler {
	return g.Require(func(r *http.Request) Ask {
		return Ask{Role: RoleAdmin, Hub: EveryHub, Path: r.URL.Path, Listener: "admin"}
	}, next)
}

// check returns what a token allows. With an error it is what the token would
// allow or has allowed, for the log.
func (g *Gate) check(c credential, a Ask) (Grant, error) {
	grant, err := g.tokens.Inspect(c.secret)
	if err == nil {
		err = grant.Refuses(a.Role, a.Hub)
	}
	// In the words for another hub: a token does not learn which shares there are.
	if err == nil && a.Share != "" && !(Pass{Grant: grant, secret: c.secret}).Enters(a.Share) {
		err = errOtherHub
	}
	return grant, err
}

// refusalFor says to the bearer of a token why it is refused. Only the bearer of a token
// learns what it allows, and no answer says which hubs there are.
func refusalFor(why error, grant Grant, a Ask) advice.Entry {
	switch {
	case errors.Is(why, errMissing):
		return advice.TokenMissing
	case errors.Is(why, errInURL):
		return advice.TokenInURL
	case errors.Is(why, ErrExpired):
		return advice.TokenExpired
	case errors.Is(why, ErrRevoked):
		return advice.TokenRevoked
	case errors.Is(why, errOtherRole):
		return advice.TokenRole.With("role", string(grant.Role), "needed", string(a.Role))
	case errors.Is(why, errOtherHub) && grant.Hub == EveryHub: // so the address names a share, whether or not there is one
		return advice.TokenShare
	case errors.Is(why, errOtherHub):
		hub := "the hub " + grant.Hub
		if grant.Hub == "" {
			hub = "the default hub"
		}
		return advice.TokenHub.With("hub", hub)
	case errors.Is(why, errUnknown):
		return advice.TokenUnknown
	}
	return advice.TokenClaims.With("reason", why.Error()) // a key of ours has signed it
}

// answerUnauthorized answers 401 with the challenge that RFC 9110, section 15.5.2, wants:
// WWW-Authenticate: Bearer (RFC 6750, section 3).
func answerUnauthorized(w http.ResponseWriter, why error) {
	w.Header().Set("WWW-Authenticate", "Bearer")
	answerText(w, http.StatusUnauthorized, why.Error()+".")
}

// lockedOut answers 429 with the seconds to wait in Retry-After (RFC 6585, section 4).
func lockedOut(w http.ResponseWriter, left time.Duration) {
	seconds := strconv.Itoa(int(math.Ceil(left.Seconds())))
	w.Header().Set("Retry-After", seconds)
	answerText(w, http.StatusTooManyRequests, "Too many wrong tokens came from this address: try again in "+seconds+" s.")
}

// answerText writes a text for a person.
func answerText(w http.ResponseWriter, status int, text string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.WriteHeader(status)
	io.WriteString(w, text) //nolint:errcheck // a peer that is gone
}

// Address is where a request comes from: the peer, or what a trusted proxy says it relays
// for. X-Forwarded-For is read from its end: each proxy appends the address that it was
// asked from, and only what trusted ones have appended counts. A Client may have written
// the rest.
func (g *Gate) Address(r *http.Request) netip.Addr {
	peer, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil {
		return netip.Addr{}
	}
	from := peer.Addr().Unmap().WithZone("")
	hops := strings.Split(strings.Join(r.Header.Values("X-Forwarded-For"), ","), ",")
	for i := len(hops) - 1; i >= 0 && g.Trusts(from); i-- {
		before, err := netip.ParseAddr(strings.TrimSpace(hops[i]))
		if err != nil {
			break
		}
		from = before.Unmap().WithZone("")
	}
	return from
}

// Trusts reports whether an address is that of a proxy which says for whom it
// relays.
func (g *Gate) Trusts(a netip.Addr) bool {
	a = a.Unmap().WithZone("")
	for _, p := range g.proxies {
		if p.Contains(a) {
			return true
		}
	}
	return false
}

// Verdict is a Pass as one node of a cluster tells it to another: without the token.
//
//	{"grant":{…},"bearer":"SHA-256 of the token","query":"?token=WORD"}
type Verdict struct {
	Grant  Grant  `json:"grant"`
	Bearer string `json:"bearer,omitempty"` // Pass.Bearer
	Query  string `json:"query,omitempty"`  // Pass.Query, with a word in place of the token
	Owner  string `json:"owner,omitempty"`
	Later  bool   `json:"later,omitempty"` // there is a Login
	// Listed is of Lasting alone: the token was known beforehand, and is not a signed one.
	Listed bool `json:"listed,omitempty"`
}

// Verdict is what another node needs to know of a Pass. In place of the token of its
// Query stands mark, where there is one.
func (p Pass) Verdict(mark string) Verdict {
	v := Verdict{Grant: p.Grant, Bearer: p.Bearer(), Owner: p.Owner, Later: p.Login != nil}
	if p.Query != "" {
		v.Query = "?token=" + mark
	}
	return v
}

// PassFrom makes a Verdict of another node a Pass again, for a request from an
// address.
func (g *Gate) PassFrom(v Verdict, from netip.Addr, a Ask) Pass {
	p := Pass{Grant: v.Grant, Query: v.Query, Owner: v.Owner, bearer: v.Bearer, listed: g.tokens.Lists(v.Bearer)}
	if v.Later {
		p.Login = func(token string) (Pass, error) { return g.login(token, v.Owner, from, a) }
	}
	return p
}

// Lasting is the Verdict of a Pass for what may go on at another node later (PassAgain).
func (g *Gate) Lasting(p Pass) Verdict {
	v := p.Verdict("")
	v.Listed = p.listed || g.tokens.Lists(v.Bearer)
	return v
}

// PassAgain makes a Verdict of Lasting a Pass again. A token that was listed may have been
// revoked since. PassFrom would take its hash for that of a signed token, and Hold would
// never end.
func (g *Gate) PassAgain(v Verdict) Pass {
	p := g.PassFrom(v, netip.Addr{}, Ask{})
	p.listed = p.listed || v.Listed
	return p
}
