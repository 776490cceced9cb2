package httpserver

import (
	"errors"
	"net"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// TestR257UnixSocketOfOneUser opens a socket, and again where one is in use, was left
// behind, or is a file of somebody.
func TestR257UnixSocketOfOneUser(t *testing.T) {
	t.Chdir(t.TempDir()) // the path of a socket may have 104 bytes
	ln, err := ListenUnix("s")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	if info, err := os.Lstat("s"); err != nil || info.Mode() != os.ModeSocket|0o600 || ln.Addr().String() != "s" {
		t.Errorf("%s is %v, %v", ln.Addr(), info.Mode(), err)
	}
	if left, _ := filepath.Glob(".cdphub-*"); len(left) > 0 {
		t.Errorf("%q are left", left)
	}
	if _, err := ListenUnix("s"); !errors.Is(err, syscall.EADDRINUSE) {
		t.Errorf("a second listener: %v", err)
	}

	old, err := net.Listen("unix", "old")
	if err != nil {
		t.Fatal(err)
	}
	old.(*net.UnixListener).SetUnlinkOnClose(false)
	old.Close()
	next, err := ListenUnix("old")
	if err != nil {
		t.Fatalf("in place of one that was left: %v", err)
	}
	if nc, err := net.Dial("unix", "old"); err != nil {
		t.Error(err)
	} else {
		nc.Close()
	}
	// The socket of another process stays.
	if err := os.Rename("s", "old"); err != nil {
		t.Fatal(err)
	}
	next.Close()
	if _, err := os.Lstat("old"); err != nil {
		t.Errorf("the socket of another one: %v", err)
	}

	if err := os.WriteFile("file", []byte("kept"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := ListenUnix("file"); err == nil {
		t.Error("it takes the place of a file")
	}
}
