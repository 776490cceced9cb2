package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/netip"
	"os"
	"strings"
	"sync"
	"syscall"

	"go.uber.org/zap"

	"github.com/cdphub/cdphub/internal/auth"
	"github.com/cdphub/cdphub/internal/wsconn"
	"github.com/cdphub/cdphub/relay"
)

// accessFlags say who may connect. With any of the tokens everybody needs one.
type accessFlags struct {
	ClientToken  string   `help:"The token of Clients, for every hub with scope full; of 16 characters or more." env:"CDPHUB_CLIENT_TOKEN" placeholder:"TOKEN"`
	HostToken    string   `help:"The token of Hosts, for every hub." env:"CDPHUB_HOST_TOKEN" placeholder:"TOKEN"`
	AdminToken   string   `help:"The token of the admin listener." env:"CDPHUB_ADMIN_TOKEN" placeholder:"TOKEN"`
	Tokens       string   `help:"A YAML file of tokens and of revoked ids, read again when it changes and on SIGHUP (see cdphub token new)." env:"CDPHUB_TOKENS" placeholder:"FILE"`
	JWTKey       []string `help:"A key that signed tokens are good by: an Ed25519 public key in PEM, a JWK set, or a secret; read again likewise." name:"jwt-key" env:"CDPHUB_JWT_KEY" placeholder:"FILE"`
	URLToken     bool     `help:"Take a token as ?token= of a URL, too." name:"url-token" default:"true" negatable:"" env:"CDPHUB_URL_TOKEN"`
	TrustedProxy []string `help:"An address or CIDR whose X-Forwarded-For says where requests come from." env:"CDPHUB_TRUSTED_PROXY" placeholder:"CIDR"`
}

// gate reads the tokens and makes the gate before every path.
func (f accessFlags) gate(log *zap.Logger) (*auth.Tokens, *auth.Gate, error) {
	log = log.Named("auth")
	tokens, err := auth.NewTokens(auth.TokenOptions{
		Client: f.ClientToken, Host: f.HostToken, Admin: f.AdminToken, File: f.Tokens, Keys: f.JWTKey, Log: log,
	})
	if err != nil {
		return nil, nil, err
	}
	o := auth.GateOptions{NoURLs: !f.URLToken, Log: log}
	for _, text := range f.TrustedProxy {
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

// guarded reports whether tokens keep strangers out of a listener.
func (s *server) guarded(clients, hosts bool) bool {
	return (!clients || s.tokens.Covers(auth.RoleClient)) && (!hosts || s.tokens.Covers(auth.RoleHost))
}

// refuseNameless refuses Hosts, where other machines can reach the address,
// that are neither a page of a known origin nor known by a token.
func (s *server) refuseNameless(r *http.Request) string {
	if s.tokens.Set() || len(r.Header.Values("Origin")) > 0 {
		return ""
	}
	return "A Host without an Origin needs a token here, since this address can be reached from other machines: see --host-token."
}

// fragment is what the URL of a Host page of our own ends with: its token,
// where one is needed, which is good for the default hub alone.
func (s *server) fragment() string {
	token := s.tokens.Issue(auth.RoleHost, relay.DefaultHub)
	if token == "" {
		return ""
	}
	return "token=" + token
}

// withoutToken is such a URL as it may be logged.
func withoutToken(page string) string {
	page, _, _ = strings.Cut(page, "#")
	return page
}

// policy is what the bearer of a token may do; nil is everything.
func policy(p auth.Pass) relay.Policy {
	if p.Grant.Scope == 0 {
		return nil
	}
	return p.Grant.Scope
}

// hold closes a connection as soon as its token is no longer good.
func (s *server) hold(p auth.Pass, conn *wsconn.Conn) (release func()) {
	return s.gate.Hold(p, func(why error) {
		if errors.Is(why, auth.ErrExpired) {
			conn.Close(wsconn.ReasonTokenExpired)
		} else {
			conn.Close(wsconn.ReasonTokenRevoked)
		}
	})
}

// watchTokens follows the files of tokens until stop is called, which waits.
func (s *server) watchTokens() (stop func()) {
	if !s.tokens.Set() {
		return func() {}
	}
	reload := make(chan os.Signal, 1)
	s.reloads.add("tokens", func() error {
		select {
		case reload <- syscall.SIGHUP:
		default: // it will be seen to
		}
		return nil
	})
	ctx, cancel := context.WithCancel(context.Background())
	var done sync.WaitGroup
	done.Go(func() { s.tokens.Watch(ctx, reload) })
	return func() {
		cancel()
		done.Wait()
	}
}
