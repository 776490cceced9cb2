package cli

import (
	"fmt"
	"net"
	"slices"
	"sync"

	"github.com/coreos/go-systemd/v22/activation"
	"github.com/coreos/go-systemd/v22/daemon"
	"go.uber.org/zap"

	"github.com/cdphub/cdphub/server"
)

// socketNames are those of the sockets that a service manager may hand over
// (FileDescriptorName= of systemd.socket(5)).
var socketNames = []string{"clients", "hosts", "admin"}

// inherited are the listeners that the service manager has opened (sd_listen_fds(3)).
// The environment that names them is read once and then cleared.
var inherited = sync.OnceValues(func() (server.Listeners, error) {
	named, err := activation.ListenersWithNames()
	if err != nil {
		return server.Listeners{}, err
	}
	found := map[string]net.Listener{}
	for name, list := range named {
		switch {
		case !slices.Contains(socketNames, name):
			return server.Listeners{}, fmt.Errorf("the service manager has handed over a socket named %q: "+
				"set FileDescriptorName= to clients, hosts or admin", name)
		case len(list) > 1:
			return server.Listeners{}, fmt.Errorf("the service manager has handed over %d sockets named %q: "+
				"one is served, give it one ListenStream=", len(list), name)
		}
		found[name] = list[0]
	}
	return server.Listeners{Clients: found["clients"], Hosts: found["hosts"], Admin: found["admin"]}, nil
})

// notifyManager reports a state to the service manager, if there is one
// (sd_notify(3)).
func notifyManager(log *zap.Logger, state server.State) {
	text := map[server.State]string{
		server.Ready:     daemon.SdNotifyReady,
		server.Reloading: daemon.SdNotifyReloading + "\n" + daemon.SdNotifyMonotonicUsec(),
		server.Stopping:  daemon.SdNotifyStopping,
	}[state]
	if _, err := daemon.SdNotify(false, text); err != nil {
		log.Warn("the service manager cannot be reached", zap.String("state", string(state)), zap.Error(err))
	}
}
