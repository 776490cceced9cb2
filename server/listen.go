package server

import (
	"cmp"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"slices"
	"strconv"
	"syscall"

	"go.uber.org/zap"

	"github.com/cdphub/cdphub/internal/auth"
	"github.com/cdphub/cdphub/internal/httpserver"
	"github.com/cdphub/cdphub/internal/optionname"
)

// listenAll opens the listeners for Clients, Hosts and operators, and makes them
// speak TLS where there is a certificate. It opens them before the server runs, so
// that connections queue in the kernel and an address that is taken is an error of
// New.
func (s *Server) listenAll() error {
	if s.o.NoListeners {
		return nil
	}
	secure, err := s.secure()
	if err != nil {
		return err
	}
	wanted := []struct {
		option, addr   string
		given          net.Listener
		clients, hosts bool
	}{{optionClients, s.o.ClientAddr, s.o.Listeners.Clients, true, false}, {optionHosts, s.o.HostAddr, s.o.Listeners.Hosts, false, true}}
	// One address is one listener with the paths of both.
	if s.o.ClientAddr == s.o.HostAddr {
		wanted[0].hosts, wanted = true, wanted[:1]
	}
	for _, w := range wanted {
		ln, err := s.listen(w.option, w.addr, w.given, s.o.InsecureBind || s.guarded(w.clients, w.hosts))
		if err != nil {
			return err
		}
		s.fence.Listens(ln.Addr())
		s.listeners = append(s.listeners, listener{secure(s.limit(ln, s.o.TLS.on())), w.clients, w.hosts})
	}
	if s.o.AdminAddr == "" && s.o.Listeners.Admin == nil {
		return nil
	}
	return s.listenForOperators(secure)
}

// listenForOperators opens the listener for operators. It is a Unix socket that only the
// user of this process can connect to, or wants a token: a port of loopback is open to
// every program of the machine, and to what the pages of a browser there ask for.
func (s *Server) listenForOperators(secure func(net.Listener) net.Listener) error {
	path, unix := httpserver.UnixPath(s.o.AdminAddr)
	if unix && s.o.Listeners.Admin == nil {
		ln, err := httpserver.ListenUnix(path)
		if errors.Is(err, syscall.EADDRINUSE) {
			return fmt.Errorf("%s %s is taken by another program: stop it, or set another path", optionname.Of(optionAdmin), s.o.AdminAddr)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", optionname.Of(optionAdmin), err)
		}
		s.admin = &endpoint{ln, s.adminHandler(false)}
		return nil
	}
	ln, err := s.listen(optionAdmin, s.o.AdminAddr, s.o.Listeners.Admin, true)
	if err != nil {
		return err
	}
	if isPrivate(ln.Addr()) {
		s.admin = &endpoint{ln, s.adminHandler(false)}
		return nil
	}
	if !s.tokens.Covers(auth.RoleAdmin) {
		return errors.Join(optionname.Errorf("{server.Options.AdminAddr} %s is open to every program of this machine, and to the pages of its browsers: "+
			"listen on a Unix socket ({server.Options.AdminAddr}=%s), or set a token of role admin ({server.Tokens.Admin}, {server.Tokens.File}, {server.Tokens.JWTKeys})",
			cmp.Or(s.o.AdminAddr, ln.Addr().String()), httpserver.UnixAddr("/PATH/admin.sock")), ln.Close())
	}
	s.fence.Listens(ln.Addr())
	s.admin = &endpoint{secure(s.limit(ln, s.o.TLS.on())), s.adminHandler(true)}
	return nil
}

// isPrivate reports whether a listener is a Unix socket that no other user can connect to.
func isPrivate(at net.Addr) bool {
	if at.Network() != "unix" {
		return false
	}
	socket, err := os.Stat(at.String())
	return err == nil && socket.Mode().Perm()&0o077 == 0
}

// The options that name an address.
const (
	optionClients = "server.Options.ClientAddr"
	optionHosts   = "server.Options.HostAddr"
	optionAdmin   = "server.Options.AdminAddr"
	optionApp     = "server.App.Addr"
	optionAlso    = "server.App.Also"
)

// listenerNames are the names of listeners in the log.
var listenerNames = map[string]string{optionClients: "clients", optionHosts: "hosts", optionAdmin: "admin"}

// listen opens one listener, or takes the one that is given, such as one of systemd's
// socket activation. exposed says that other machines may reach it. Errors say what to
// do.
func (s *Server) listen(option, addr string, given net.Listener, exposed bool) (net.Listener, error) {
	if given != nil {
		addr = given.Addr().String()
		// A Unix socket has no address that other machines reach.
		exposed = exposed || given.Addr().Network() != "tcp"
	}
	if !exposed {
		if err := refuseExposed(option, addr); err != nil {
			return nil, err
		}
	}
	if given != nil {
		s.log.Info("a listener was handed over", zap.String("name", listenerNames[option]), zap.String("addr", addr))
		return given, nil
	}
	ln, err := net.Listen("tcp", addr)
	switch {
	case err == nil:
		return ln, nil
	case !isAddress(addr):
		return nil, noAddress(option, addr)
	case !errors.Is(err, syscall.EADDRINUSE):
		return nil, fmt.Errorf("%s: %w", optionname.Of(option), err)
	case s.isOwn(addr):
		return nil, fmt.Errorf("%s %s is the address of another option, too: set another one", optionname.Of(option), addr)
	}
	return nil, fmt.Errorf("%s %s is taken by another program: stop it, or set another address", optionname.Of(option), addr)
}

// noAddress is the error for an option whose value is not an address.
func noAddress(option, addr string) error {
	return fmt.Errorf("%s %q is not an address: set a host and a port, such as 127.0.0.1:9222", optionname.Of(option), addr)
}

// isAddress reports whether a text is a host, which may be missing, and the number of a
// port.
func isAddress(text string) bool {
	_, port, err := net.SplitHostPort(text)
	if err != nil {
		return false
	}
	_, err = strconv.ParseUint(port, 10, 16)
	return err == nil
}

// isOwn reports whether an address is that of a listener which the server has opened.
func (s *Server) isOwn(addr string) bool {
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return false
	}
	ip := net.ParseIP(host)
	own := func(ln net.Listener) bool {
		at, is := ln.Addr().(*net.TCPAddr)
		return is && strconv.Itoa(at.Port) == port && (host == "localhost" || at.IP.IsUnspecified() || at.IP.Equal(ip))
	}
	return slices.ContainsFunc(s.listeners, func(l listener) bool { return own(l.Listener) }) ||
		s.admin != nil && own(s.admin.Listener) || s.app != nil && own(s.app.Listener)
}

// limit gives one address only so many connections to a listener. silent drops the
// others without an answer, since a peer that expects TLS could not read it.
func (s *Server) limit(ln net.Listener, silent bool) net.Listener {
	return httpserver.Listen(ln, httpserver.ListenerOptions{
		Connections: httpserver.Connections(s.o.Limits.MaxConnections), Exempt: s.gate.Trusts, Silent: silent, Log: s.log,
	})
}

// guarded reports whether tokens keep strangers out of a listener. Then it may be
// exposed without --insecure-bind.
func (s *Server) guarded(clients, hosts bool) bool {
	return (!clients || s.tokens.Covers(auth.RoleClient)) && (!hosts || s.tokens.Covers(auth.RoleHost))
}

// refuseExposed refuses addresses that other machines can reach. A name other than
// localhost counts as exposed: it could lead to any address.
func refuseExposed(option, addr string) error {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return noAddress(option, addr)
	}
	ip, err := netip.ParseAddr(host)
	if host == "localhost" || err == nil && ip.IsLoopback() {
		return nil
	}
	could, cure := "could drive every app behind it", "set tokens for everything that is served there ({server.Tokens.Client}, {server.Tokens.Host}, {server.Tokens.File}, {server.Tokens.JWTKeys}), or set {server.Options.InsecureBind}"
	if option == optionApp {
		could, cure = "could use the app", "or set {server.Options.InsecureBind}"
	}
	return fmt.Errorf("%s %s can be reached from other machines, and everybody who reaches it %s: listen on 127.0.0.1, %s", optionname.Of(option), addr, could, optionname.Text(cure))
}

// isExposed reports whether other machines can reach a listener. A listener that is no
// TCP port counts as exposed, since nothing is known of it.
func isExposed(at net.Addr) bool {
	tcp, ok := at.(*net.TCPAddr)
	return !ok || !tcp.IP.IsLoopback()
}

func (s *Server) closeListeners() {
	for _, ln := range s.listeners {
		ln.Close()
	}
	if s.admin != nil {
		s.admin.Close()
	}
	if s.app != nil {
		s.app.Close()
		for _, other := range s.app.also {
			other.Close()
		}
	}
	if s.o.Cluster != nil && s.o.Cluster.Listener != nil {
		s.o.Cluster.Listener.Close()
	}
}

// TLS makes all listeners speak TLS. Its zero value leaves them as they are.
type TLS struct {
	CertFile string // the certificate and the chain to its root, in PEM; read again when it changes
	KeyFile  string // its private key, in PEM
	Min      uint16 // the oldest version: tls.VersionTLS12, or tls.VersionTLS13, the default
}

func (t TLS) on() bool { return t.CertFile != "" || t.KeyFile != "" }

// secure returns what makes a listener speak TLS; without a certificate it
// leaves listeners as they are.
func (s *Server) secure() (func(net.Listener) net.Listener, error) {
	t := s.o.TLS
	if !t.on() {
		return func(ln net.Listener) net.Listener { return ln }, nil
	}
	if t.CertFile == "" || t.KeyFile == "" {
		return nil, optionname.Errorf("TLS needs both a certificate and its key: set {server.TLS.CertFile} and {server.TLS.KeyFile}")
	}
	// A first load here makes a wrong file an error of New.
	k := &keyPair{certFile: t.CertFile, keyFile: t.KeyFile, log: s.log}
	if err := k.load(); err != nil {
		return nil, err
	}
	s.files = append(s.files, file{"TLS certificate", k.load})
	config := &tls.Config{
		GetCertificate: k.get,
		// No "h2": a WebSocket takes a connection over with the Upgrade header of
		// HTTP/1.1 (RFC 6455, section 1.3), which HTTP/2 has not (RFC 9113, section
		// 8.6).
		NextProtos: []string{"http/1.1"},
		MinVersion: tls.VersionTLS13,
	}
	if t.Min == tls.VersionTLS12 {
		config.MinVersion = tls.VersionTLS12
	}
	return func(ln net.Listener) net.Listener { return tls.NewListener(ln, config) }, nil
}
