package server

import (
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"syscall"

	"go.uber.org/zap"

	"github.com/cdphub/cdphub/internal/auth"
	"github.com/cdphub/cdphub/internal/httpserver"
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
		name, addr     string
		given          net.Listener
		clients, hosts bool
	}{{"clients", s.o.ClientAddr, s.o.Listeners.Clients, true, false}, {"hosts", s.o.HostAddr, s.o.Listeners.Hosts, false, true}}
	// One address is one listener with the paths of both.
	if s.o.ClientAddr == s.o.HostAddr {
		wanted[0].hosts, wanted = true, wanted[:1]
	}
	for _, w := range wanted {
		ln, err := s.listen(w.name, w.addr, w.given, s.o.InsecureBind || s.guarded(w.clients, w.hosts))
		if err != nil {
			return err
		}
		s.listeners = append(s.listeners, listener{secure(s.limit(ln, s.o.TLS.on())), w.clients, w.hosts})
	}
	if s.o.AdminAddr == "" && s.o.Listeners.Admin == nil {
		return nil
	}
	// Without an admin token it is for programs of this machine alone, whatever
	// the other listeners are.
	ln, err := s.listen("admin", s.o.AdminAddr, s.o.Listeners.Admin, s.tokens.Covers(auth.RoleAdmin))
	if err != nil {
		return fmt.Errorf("admin listener: %w", err)
	}
	s.admin = &endpoint{secure(s.limit(ln, s.o.TLS.on())), s.adminHandler()}
	return nil
}

// listen opens one listener, or takes the one that is given, such as one of systemd's
// socket activation. exposed says that other machines may reach it.
func (s *Server) listen(name, addr string, given net.Listener, exposed bool) (net.Listener, error) {
	if given == nil {
		return listen(addr, exposed)
	}
	// A Unix socket has no address that other machines reach.
	if given.Addr().Network() == "tcp" && !exposed {
		if err := refuseExposed(given.Addr().String()); err != nil {
			return nil, err
		}
	}
	s.log.Info("a listener was handed over", zap.String("name", name), zap.Stringer("addr", given.Addr()))
	return given, nil
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

// listen opens one address, and says what to do when it cannot.
func listen(addr string, insecure bool) (net.Listener, error) {
	if !insecure {
		if err := refuseExposed(addr); err != nil {
			return nil, err
		}
	}
	ln, err := net.Listen("tcp", addr)
	if errors.Is(err, syscall.EADDRINUSE) {
		return nil, fmt.Errorf("%s is taken by another program: stop it, or choose other ports with --client-addr, --host-addr and --app-addr", addr)
	}
	return ln, err
}

// refuseExposed refuses addresses that other machines can reach. A name other than
// localhost counts as exposed: it could lead to any address.
func refuseExposed(addr string) error {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return fmt.Errorf("listen address %q: %w", addr, err)
	}
	ip, err := netip.ParseAddr(host)
	if host == "localhost" || err == nil && ip.IsLoopback() {
		return nil
	}
	return fmt.Errorf("%s can be reached from other machines, and everybody who reaches it could drive every app behind it: "+
		"listen on 127.0.0.1, set tokens for everything that is served there (--client-token, --host-token, --tokens, --jwt-key), or set --insecure-bind", addr)
}

// exposed reports whether other machines can reach a listener. A listener that is no
// TCP port counts as exposed, since nothing is known of it.
func exposed(at net.Addr) bool {
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
		return nil, errors.New("TLS needs both a certificate and its key: set --tls-cert and --tls-key")
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
