package server

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"net/netip"

	"go.uber.org/zap"

	"github.com/cdphub/cdphub/internal/auth"
	"github.com/cdphub/cdphub/relay"
	"github.com/cdphub/cdphub/wsconn"
)

// gate reads the tokens and makes the gate before every path.
func (t Tokens) gate(log *zap.Logger, failed func(listener, reason string)) (*auth.Tokens, *auth.Gate, error) {
	log = log.Named("auth")
	tokens, err := auth.NewTokens(auth.TokenOptions{
		Client: t.Client, Host: t.Host, Admin: t.Admin, File: t.File, Keys: t.JWTKeys, Log: log,
	})
	if err != nil {
		return nil, nil, err
	}
	o := auth.GateOptions{NoURLs: t.NoURLs, Log: log, Failed: failed}
	for _, text := range t.TrustedProxies {
		p, err := readPrefix(text)
		if err != nil {
			return nil, nil, fmt.Errorf("--trusted-proxy %q: say an address or a CIDR such as 10.0.0.0/8", text)
		}
		o.Proxies = append(o.Proxies, p)
	}
	return tokens, auth.NewGate(tokens, o), nil
}

// readPrefix reads an address or a CIDR. An IPv4 address that is written as an
// IPv6 one stands for itself, as it does where a connection comes from.
func readPrefix(text string) (netip.Prefix, error) {
	p, err := netip.ParsePrefix(text)
	if a, none := netip.ParseAddr(text); none == nil {
		p, err = netip.PrefixFrom(a, a.BitLen()), nil
	}
	if a := p.Addr(); a.Is4In6() && p.Bits() >= 96 {
		p = netip.PrefixFrom(a.Unmap(), p.Bits()-96)
	}
	return p, err
}

// refuseNameless refuses Hosts, where other machines can reach the address,
// that are neither a page of a known origin nor known by a token.
func (s *Server) refuseNameless(r *http.Request) string {
	if s.tokens.Set() || len(r.Header.Values("Origin")) > 0 {
		return ""
	}
	return "A Host without an Origin needs a token here, since this address can be reached from other machines: see --host-token."
}

// NeedsTokens reports whether Clients and Hosts need a token.
func (s *Server) NeedsTokens() bool { return s.tokens.Set() }

// HostToken is a token for Hosts of the hub at the root, "" where none is
// needed. A Host page takes it in its fragment, as #token=….
func (s *Server) HostToken() string { return s.issue(auth.RoleHost, relay.DefaultHub, "own page") }

// ClientToken is a token for Clients of the hub at the root, "" where none is
// needed.
func (s *Server) ClientToken() string { return s.issue(auth.RoleClient, relay.DefaultHub, "own page") }

// issue makes a token for as long as the process lives.
func (s *Server) issue(r auth.Role, hub, name string) string {
	text, _ := s.tokens.Issue(auth.Grant{Role: r, Hub: hub, Scope: auth.ScopeFull, Name: name})
	return text
}

// fragment is what the URL of a Host page of our own ends with.
func (s *Server) fragment() string {
	token := s.HostToken()
	if token == "" {
		return ""
	}
	return "token=" + token
}

// policy is what a Client may do and see, by its token and its URL; nil is
// everything.
func policy(p auth.Pass) relay.Policy {
	switch {
	case p.Owner != "":
		return inTabs(p, cmp.Or(p.Grant.Scope, auth.ScopePrivileged))
	case p.Grant.Scope == 0:
		return nil
	}
	return p.Grant.Scope
}

// inTabs holds a policy to the tabs that a Client has of its own, if it has.
func inTabs(pass auth.Pass, p relay.Policy) relay.Policy {
	if pass.Owner == "" {
		return p
	}
	return relay.OwnTabs{Policy: p, Owner: pass.Owner}
}

// watcher is who looks at targets by the API of the dashboard.
func watcher(r *http.Request) relay.Watcher {
	pass := auth.PassOf(r)
	return relay.Watcher{Policy: policy(pass), Account: pass.Bearer(), Only: guestOf(r).TargetID}
}

// hold closes a connection as soon as its token is no longer good.
func (s *Server) hold(p auth.Pass, conn *wsconn.Conn) (release func()) {
	return s.gate.Hold(p, func(why error) { conn.Close(tokenReason(why)) })
}

// tokenReason closes the connections of a token that is no longer good.
func tokenReason(why error) wsconn.Reason {
	if errors.Is(why, auth.ErrExpired) {
		return wsconn.ReasonTokenExpired
	}
	return wsconn.ReasonTokenRevoked
}
