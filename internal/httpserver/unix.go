package httpserver

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"

	"github.com/cdphub/cdphub/internal/tempdir"
)

// unixPrefix begins an address that is a Unix socket: unix:/run/cdphub/admin.sock.
const unixPrefix = "unix:"

// UnixPath is the path of an address that is a Unix socket.
func UnixPath(addr string) (path string, is bool) { return strings.CutPrefix(addr, unixPrefix) }

// UnixAddr is the address of the Unix socket at a path.
func UnixAddr(path string) string { return unixPrefix + path }

// ListenUnix opens a Unix socket that only its user, and root, can connect to: its mode is
// 0600. It takes the place of one without a listener. The error is
// syscall.EADDRINUSE where there is one.
func ListenUnix(path string) (net.Listener, error) {
	if nc, err := net.Dial("unix", path); err == nil { //nolint:noctx // it is on this machine
		nc.Close()
		return nil, fmt.Errorf("listen on %s: %w", path, syscall.EADDRINUSE)
	}
	if was, err := os.Lstat(path); err == nil && was.Mode().Type() != os.ModeSocket {
		return nil, fmt.Errorf("listen on %s: there is a file of that name, which is no socket: choose another path", path)
	}
	// The socket is made in a folder that no other user can enter, since its mode can be set
	// only afterwards.
	tempdir.Sweep(filepath.Dir(path))
	dir, err := tempdir.Make(filepath.Dir(path), tempdir.Hidden)
	if err != nil {
		return nil, err
	}
	defer dir.Remove() //nolint:errcheck // the next listener removes it
	made := filepath.Join(dir.Path, "s")
	ln, err := net.Listen("unix", made) //nolint:noctx // it is on this machine
	if err != nil {
		return nil, err
	}
	ln.(*net.UnixListener).SetUnlinkOnClose(false) // it moves
	u := &unixListener{Listener: ln, path: path}
	err = os.Chmod(made, 0o600)
	if err == nil {
		u.file, err = os.Lstat(made)
	}
	if err == nil {
		err = os.Rename(made, path)
	}
	if err != nil {
		return nil, errors.Join(err, ln.Close())
	}
	return u, nil
}

// unixListener is a socket that is removed with its listener.
type unixListener struct {
	net.Listener
	path string
	file os.FileInfo
	once sync.Once
}

// Addr implements net.Listener.
func (u *unixListener) Addr() net.Addr { return &net.UnixAddr{Name: u.path, Net: "unix"} }

// Close implements net.Listener. A socket of another process that has taken the path
// meanwhile stays.
func (u *unixListener) Close() error {
	u.once.Do(func() {
		if now, err := os.Lstat(u.path); err == nil && os.SameFile(now, u.file) {
			os.Remove(u.path) //nolint:errcheck // the next listener takes its place
		}
	})
	return u.Listener.Close()
}

// UnixTransport sends all requests to the Unix socket at a path.
func UnixTransport(path string) *http.Transport {
	return &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		var d net.Dialer
		return d.DialContext(ctx, "unix", path)
	}}
}
