package harness

import (
	"errors"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"
	"testing"

	"github.com/cdphub/cdphub/internal/docstest"
	"github.com/cdphub/cdphub/internal/hubtest"
)

// cdphubCluster returns the path of cdphub-cluster, which it builds once.
var cdphubCluster = sync.OnceValues(func() (string, error) {
	return hubtest.Program(filepath.Join(Repository(), "internal/cluster/nats/cmd/cdphub-cluster"), "CGO_ENABLED=0") // as releases have it
})

// StartNodes runs the nodes of docs/cluster.md by its commands, on free ports, until the
// test ends. As root, it runs them in a root that has the program and an empty /tmp alone.
func StartNodes(t testing.TB) (nodes []*Hub) {
	t.Helper()
	commands, err := docstest.ClusterCommands(Repository(), func() string { return hubtest.FreeAddr(t) })
	if err != nil {
		t.Fatal(err)
	}
	root, dir := "", t.TempDir()
	if os.Geteuid() == 0 {
		root, dir = freshRoot(t), "/"
	}
	for _, words := range commands {
		switch {
		case words[0] == "serve":
			h := &Hub{find: cdphubCluster, dir: dir, root: root}
			h.args, h.ClientAddr, h.HostAddr = apart(words)
			h.endWith(t)
			h.launch(t)
			nodes = append(nodes, h)
		case len(nodes) == 0:
			path, err := cdphubCluster()
			if err != nil {
				t.Fatal(err)
			}
			cmd := exec.Command(path, words...) //nolint:gosec // a command of the documentation
			cmd.Dir = dir
			if root != "" {
				inRoot(cmd, root)
			}
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Fatalf("%q: %v\n%s", words, err, out)
			}
		}
	}
	for _, h := range nodes { // they wait for each other
		h.await(t)
	}
	return nodes
}

// freshRoot makes a folder that has the program of a node and an empty /tmp.
func freshRoot(t testing.TB) (root string) {
	t.Helper()
	path, err := cdphubCluster()
	if err != nil {
		t.Fatal(err)
	}
	root = t.TempDir()
	program, err := os.ReadFile(path) //nolint:gosec // what was built
	if err == nil {
		err = errors.Join(os.WriteFile(filepath.Join(root, "cdphub-cluster"), program, 0o755), os.Mkdir(filepath.Join(root, "tmp"), 0o755)) //nolint:gosec // a program
	}
	if err != nil {
		t.Fatal(err)
	}
	return root
}

// inRoot runs a node's command in a fresh root, without any variable.
func inRoot(cmd *exec.Cmd, root string) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Chroot: root}
	cmd.Path, cmd.Env = "/cdphub-cluster", []string{}
}

// apart takes the addresses for Clients and Hosts out of a command.
func apart(words []string) (others []string, clients, hosts string) {
	for i := 0; i < len(words); i++ {
		switch words[i] {
		case "--client-addr":
			i++
			clients = words[i]
		case "--host-addr":
			i++
			hosts = words[i]
		default:
			others = append(others, words[i])
		}
	}
	return others, clients, hosts
}

// StartBalancer starts a load balancer in front of addresses and returns its own: a
// connection goes to the first of them that takes it. It ends with the test.
func StartBalancer(t testing.TB, addrs ...string) string {
	t.Helper()
	ln, err := net.Listen("tcp", "localhost:0") // as a page of the hub's own address would have it
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { ln.Close() })
	go func() {
		for {
			near, err := ln.Accept()
			if err != nil {
				return
			}
			go balance(near.(*net.TCPConn), addrs)
		}
	}()
	return ln.Addr().String()
}

func balance(near *net.TCPConn, addrs []string) {
	defer near.Close()
	for _, addr := range addrs {
		far, err := net.Dial("tcp", addr)
		if err != nil {
			continue
		}
		go func() {
			io.Copy(far, near) //nolint:errcheck // either end may be gone
			far.Close()
		}()
		io.Copy(near, far) //nolint:errcheck // either end may be gone
		return
	}
}
