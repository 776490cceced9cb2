package server

import (
	"errors"
	"net/http"
	"net/netip"

	"go.uber.org/zap"

	"github.com/cdphub/cdphub/internal/auth"
	"github.com/cdphub/cdphub/internal/optionname"
	"github.com/cdphub/cdphub/internal/wsconn"
	"github.com/cdphub/cdphub/relay"
)

// gate reads the tokens and makes the gate before every path. failed is called for
// each login that fails. Errors name the options.
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
			return nil, nil, optionname.Errorf("{server.Tokens.TrustedProxies} %q is not valid: set an IP address, or a CIDR such as 10.0.0.0/8", text)
		}
		o.Proxies = append(o.Proxies, p)
	}
	return tokens, auth.NewGate(tokens, o), nil
}

// readPrefix reads an address or a CIDR. An IPv4 address written as ::ffff:a.b.c.d
// (RFC 4291, section 2.5.5.2) stands for the IPv4 address, as the gate compares them.
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

// refuseNameless is why a Host is refused that neither a page's origin nor a token
// vouches for; "" for none. It is for listeners that other machines can reach: only
// browsers send an Origin, and any program could come.
func (s *Server) refuseNameless(r *http.Request) string {
	if s.tokens.Set() || len(r.Header.Values("Origin")) > 0 {
		return ""
	}
	return "A Host without an Origin needs a token here, since this address can be reached from other machines: see --host-token."
}

// NeedsTokens reports whether Clients and Hosts need a token.
func (s *Server) NeedsTokens() bool { return s.tokens.Set() }

// HostToken is a token for Hosts of the hub at the root, "" where none is needed. A
// Host page takes it in its fragment, as #token=…, which browsers do not send to
// servers. Each call makes a new token, good while the process lives.
func (s *Server) HostToken() string { return s.issue(auth.RoleHost, relay.DefaultHub, "own page") }

// ClientToken is a token for Clients of the hub at the root, "" where none is
// needed.
func (s *Server) ClientToken() string { return s.issue(auth.RoleClient, relay.DefaultHub, "own page") }

// issue makes a token that is good as long as the process lives. It is in no file,
// and cannot be revoked alone.
func (s *Server) issue(r auth.Role, hub, name string) string {
	text, _ := s.tokens.Issue(auth.Grant{Role: r, Hub: hub, Scope: auth.ScopeFull, Name: name})
	return text
}

// fragment is the fragment of the URL of an own Host page, with its token.
func (s *Server) fragment() string {
	token := s.HostToken()
	if token == "" {
		return ""
	}
	return "token=" + token
}

// hold closes a connection as soon as its token is no longer good. The caller calls
// release when the connection has ended.
func (s *Server) hold(p auth.Pass, conn *wsconn.Conn) (release func()) {
	return s.gate.Hold(p, func(why error) { conn.Close(tokenReason(why)) })
}

// tokenReason is the close code for a token that no longer allows what it did.
func tokenReason(why error) wsconn.Reason {
	switch {
	case errors.Is(why, auth.ErrExpired):
		return wsconn.ReasonTokenExpired
	case errors.Is(why, auth.ErrChanged):
		return wsconn.ReasonTokenChanged
	}
	return wsconn.ReasonTokenRevoked
}
