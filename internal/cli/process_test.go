package cli

import (
	"bufio"
	"context"
	"debug/buildinfo"
	"flag"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/cdphub/cdphub/internal/hubtest"
	"github.com/cdphub/cdphub/internal/logging/logtest"
	"github.com/cdphub/cdphub/internal/wsconn"
)

// TestMain lets this binary be cdphub itself, for tests of a process.
func TestMain(m *testing.M) {
	if os.Getenv("CDPHUB_IS_TESTED") != "" {
		Main(Extras{})
		return
	}
	// Tests that run side by side wait more than they compute. -parallel says
	// otherwise.
	flag.Set("test.parallel", "6")
	os.Exit(m.Run())
}

// process is a running cdphub.
type process struct {
	*exec.Cmd
	t    testing.TB
	logs logtest.Buffer
}

func startProcess(t testing.TB, change func(*exec.Cmd), args ...string) *process {
	t.Helper()
	p := &process{Cmd: exec.CommandContext(context.Background(), os.Args[0], args...), t: t} //nolint:gosec // this binary
	p.Env = append(os.Environ(), "CDPHUB_IS_TESTED=1")
	p.Stderr = &p.logs
	if change != nil {
		change(p.Cmd)
	}
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		p.Process.Kill()
		p.Wait()
		if t.Failed() {
			t.Log(p.logs.String())
		}
	})
	return p
}

// await waits until the log contains want.
func (p *process) await(want string) {
	p.t.Helper()
	hubtest.Eventually(p.t, fmt.Sprintf("the log has %q", want), func() bool { return strings.Contains(p.logs.String(), want) })
}

// awaitListener waits until somebody listens at an address.
func awaitListener(t testing.TB, addr string) {
	t.Helper()
	hubtest.Eventually(t, "it listens at "+addr, func() bool {
		c, err := net.Dial("tcp", addr)
		if err == nil {
			c.Close()
		}
		return err == nil
	})
}

// serveT1 starts a hub with a Host, and a Client that has seen its T1.
func serveT1(t testing.TB, clients, hosts string) (p *process, host, client *hubtest.Peer) {
	t.Helper()
	p = startProcess(t, nil, "serve", "--client-addr", clients, "--host-addr", hosts)
	awaitListener(t, clients)
	awaitListener(t, hosts)
	host = hubtest.Dial(t, "ws://"+hosts+"/icdp/host", nil)
	host.Send(hubtest.Ready)
	client = hubtest.Dial(t, "ws://"+clients+"/devtools/browser", nil)
	client.Send(`{"id":1,"method":"Target.setDiscoverTargets","params":{"discover":true}}`)
	client.Until(`"targetId":"T1"`)
	return p, host, client
}

// TestR102KilledAndStartedAgain kills the hub under a Client and starts it
// again, a few times. The machine may be busy, so it is counted how long the
// hub computes, and not how long it takes.
func TestR102KilledAndStartedAgain(t *testing.T) {
	clients, hosts := hubtest.FreeAddr(t), hubtest.FreeAddr(t)
	least, old := time.Hour, ""
	for range 5 {
		p, _, client := serveT1(t, clients, hosts)
		if old != "" {
			client.Send(`{"id":2,"method":"Page.enable","sessionId":"` + old + `"}`)
			if got := client.Until(`"id":2`); !strings.Contains(got, "-32001") {
				t.Errorf("a session of before the restart is answered with %s", got)
			}
		}
		old = client.Attach("T1")
		p.Process.Kill()
		p.Wait()
		least = min(least, p.ProcessState.UserTime()+p.ProcessState.SystemTime())
	}
	if least > time.Second {
		t.Errorf("the least of 5 starts has computed for %v, want 1 s at most", least)
	}
}

// TestR106NoKnownHoles reads from the binary which version of the WebSocket
// library is in it: up to 1.4.0 a frame header of 14 bytes ends the process.
func TestR106NoKnownHoles(t *testing.T) {
	for _, m := range programDeps(t) {
		if m.Path != "github.com/gobwas/ws" {
			continue
		}
		major, rest, _ := strings.Cut(strings.TrimPrefix(m.Version, "v"), ".")
		minor, _, _ := strings.Cut(rest, ".")
		x, errX := strconv.Atoi(major)
		y, errY := strconv.Atoi(minor)
		if errX != nil || errY != nil || x < 1 || x == 1 && y < 5 {
			t.Errorf("gobwas/ws is at %s, want v1.5.0 or later", m.Version)
		}
		return
	}
	t.Error("gobwas/ws is not in the binary")
}

// S-10: the program holds nothing of the directory of a cluster.
func TestR212NoClusterInTheProgram(t *testing.T) {
	for _, m := range programDeps(t) {
		if strings.Contains(m.Path, "nats") {
			t.Errorf("%s is in the binary of cdphub: it belongs to that of cdphub-cluster", m.Path)
		}
	}
}

// programDeps are the modules in the binary of cdphub.
func programDeps(t *testing.T) []*debug.Module {
	t.Helper()
	path, err := hubtest.Program("../../cmd/cdphub")
	if err != nil {
		t.Fatal(err)
	}
	info, err := buildinfo.ReadFile(path)
	if err != nil || len(info.Deps) == 0 {
		t.Fatalf("%v, %d modules", err, len(info.Deps))
	}
	return info.Deps
}

// TestReloadAtSIGHUP changes the certificate of a process and tells it so.
func TestReloadAtSIGHUP(t *testing.T) {
	dir := t.TempDir()
	cert, key := hubtest.WriteCertificate(t, dir, 1)
	p := startProcess(t, nil, "serve", "--client-addr", "127.0.0.1:0", "--host-addr", "localhost:0", "--tls-cert", cert, "--tls-key", key)
	p.await(`"listening"`)
	p.Process.Signal(syscall.SIGHUP)
	p.await(`"reloaded"`)
	p.Process.Signal(syscall.SIGTERM)
	if err := p.Wait(); err != nil {
		t.Errorf("it ended with %v", err)
	}
}

// TestSocketActivation hands the process its listeners and a socket to notify
// as a service manager does.
func TestSocketActivation(t *testing.T) {
	manager, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: filepath.Join(t.TempDir(), "notify"), Net: "unixgram"})
	if err != nil {
		t.Fatal(err)
	}
	defer manager.Close()
	addrs := map[string]string{}
	var files []*os.File
	for _, name := range socketNames {
		ln, f := listenFor(t, name)
		defer ln.Close()
		defer f.Close()
		addrs[name], files = ln.Addr().String(), append(files, f)
	}
	p := startProcess(t, func(cmd *exec.Cmd) {
		cmd.ExtraFiles = files
		cmd.Env = append(cmd.Env, "LISTEN_FDS=3", "LISTEN_FDNAMES="+strings.Join(socketNames, ":"), "NOTIFY_SOCKET="+manager.LocalAddr().String())
		// Only the process itself knows its number, which must be in LISTEN_PID.
		cmd.Args = append([]string{"sh", "-c", `LISTEN_PID=$$ exec "$0" "$@"`}, cmd.Args...)
		cmd.Path = "/bin/sh"
	}, "serve")
	told := func(want string) {
		t.Helper()
		message := make([]byte, 1000)
		manager.SetReadDeadline(time.Now().Add(hubtest.Within))
		n, err := manager.Read(message)
		if err != nil || !strings.HasPrefix(string(message[:n]), want) {
			t.Errorf("the service manager was told %q, %v; want %s", message[:n], err, want)
		}
	}
	told("READY=1")
	for name, path := range map[string]string{"clients": "/json/version", "hosts": "/host.js", "admin": "/readyz"} {
		at := addrs[name]
		if name == "admin" {
			at = "unix:" + at
		}
		if status, _ := hubtest.Get(t, at, path, nil); status != 200 {
			t.Errorf("%s from %s: %d", path, name, status)
		}
	}
	p.Process.Signal(syscall.SIGHUP)
	told("RELOADING=1\nMONOTONIC_USEC=")
	told("READY=1")
	p.Process.Signal(syscall.SIGTERM)
	told("STOPPING=1")
	if err := p.Wait(); err != nil {
		t.Errorf("it ended with %v", err)
	}
}

// listenFor listens as the service manager does for a listener of that name: for operators at a
// Unix socket of one user.
func listenFor(t *testing.T, name string) (net.Listener, *os.File) {
	t.Helper()
	network, at := "tcp", "127.0.0.1:0"
	if name == "admin" {
		network, at = "unix", filepath.Join(t.TempDir(), "admin")
	}
	ln, err := net.Listen(network, at)
	if err != nil {
		t.Fatal(err)
	}
	if network == "unix" {
		if err := os.Chmod(at, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	f, err := ln.(interface{ File() (*os.File, error) }).File()
	if err != nil {
		t.Fatal(err)
	}
	return ln, f
}

// TestF19LogReaderGone ends whoever reads the log, and wants the process to
// serve on.
func TestF19LogReaderGone(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	p := startProcess(t, func(cmd *exec.Cmd) { cmd.Stderr = w }, "serve", "--client-addr", "127.0.0.1:0", "--host-addr", "127.0.0.1:0", "--log-level", "debug")
	w.Close()
	first, err := bufio.NewReader(r).ReadBytes('\n')
	if err != nil {
		t.Fatal(err)
	}
	lines := logtest.Read(t, string(first))
	r.Close()
	client := hubtest.Dial(t, fmt.Sprintf("ws://%s/devtools/browser", lines[0].Addr), nil)
	for i := range 20 {
		c := hubtest.Dial(t, fmt.Sprintf("ws://%s/devtools/browser", lines[0].Addr), nil) // each is logged
		c.Conn.Close(wsconn.ReasonNormal)
		client.Send(fmt.Sprintf(`{"id":%d,"method":"Browser.getVersion"}`, i))
		client.Until(fmt.Sprintf(`{"id":%d,`, i))
	}
	p.Process.Signal(syscall.SIGTERM)
	if err := p.Wait(); err != nil {
		t.Errorf("it ended with %v", err)
	}
}

// run carries out a command line of cdphub.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	return Extras{}.run(ctx, args, stdout, stderr)
}
