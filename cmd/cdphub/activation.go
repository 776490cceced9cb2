package main

import (
	"fmt"
	"net"
	"slices"
	"sync"

	"github.com/coreos/go-systemd/v22/activation"
	"github.com/coreos/go-systemd/v22/daemon"
	"go.uber.org/zap"
)

// socketNames are those of the sockets that a service manager may hand over
// (FileDescriptorName= of systemd.socket(5)).
var socketNames = []string{"clients", "hosts", "admin"}

// inherited are the listeners that the service manager has opened. The
// environment that names them is read once and then cleared.
var inherited = sync.OnceValues(func() (map[string]net.Listener, error) {
	named, err := activation.ListenersWithNames()
	if err != nil {
		return nil, err
	}
	found := map[string]net.Listener{}
	for name, list := range named {
		switch {
		case !slices.Contains(socketNames, name):
			return nil, fmt.Errorf("the service manager has handed over a socket named %q: "+
				"set FileDescriptorName= to clients, hosts or admin", name)
		case len(list) > 1:
			return nil, fmt.Errorf("the service manager has handed over %d sockets named %q: "+
				"one is served, give it one ListenStream=", len(list), name)
		}
		found[name] = list[0]
	}
	return found, nil
})

// isInherited reports whether the service manager has opened that listener.
func isInherited(name string) bool {
	handed, err := inherited()
	return err == nil && handed[name] != nil
}

// listen opens the listener of that name: the one that the service manager
// has opened, or one at the address.
func (s *server) listen(name, addr string, exposed bool) (net.Listener, error) {
	handed, err := inherited()
	if err != nil {
		return nil, err
	}
	ln := handed[name]
	if ln == nil {
		if ln, err = listen(addr, exposed); err != nil {
			return nil, err
		}
		return s.bound(ln), nil
	}
	if ln.Addr().Network() == "tcp" && !exposed {
		if err := refuseExposed(ln.Addr().String()); err != nil {
			return nil, err
		}
	}
	s.log.Info("the service manager has opened a listener", zap.String("name", name), zap.Stringer("addr", ln.Addr()))
	return s.bound(ln), nil
}

// notify tells the service manager what the process does (sd_notify(3)).
// There may be none.
func notify(log *zap.Logger, state string) {
	if _, err := daemon.SdNotify(false, state); err != nil {
		log.Warn("the service manager cannot be told", zap.String("state", state), zap.Error(err))
	}
}
