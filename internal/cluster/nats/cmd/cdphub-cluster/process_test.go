package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/cdphub/cdphub/internal/cli"
	"github.com/cdphub/cdphub/internal/docstest"
	"github.com/cdphub/cdphub/internal/hubtest"
)

// TestMain lets tests run this binary as cdphub-cluster.
func TestMain(m *testing.M) {
	if os.Getenv("CDPHUB_IS_TESTED") != "" {
		cli.Main(clusterExtras())
		return
	}
	if order := os.Getenv(dialsVariable); order != "" {
		if err := dialHosts(order); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// within is how long a process may take on a slow machine. No test expects it.
const within = time.Minute

// process is a running cdphub-cluster.
type process struct {
	*exec.Cmd
	t       testing.TB
	clients string // the addresses of its listeners
	hosts   string
	admin   string

	mu   sync.Mutex // guards what follows
	said strings.Builder
}

func (p *process) collect(r io.Reader) {
	for lines := bufio.NewScanner(r); lines.Scan(); {
		p.mu.Lock()
		p.said.WriteString(lines.Text() + "\n")
		p.mu.Unlock()
	}
}

func (p *process) log() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.said.String()
}

// program is a command of cdphub-cluster in a folder.
func program(ctx context.Context, dir string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, os.Args[0], args...) //nolint:gosec // this binary
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "CDPHUB_IS_TESTED=1")
	return cmd
}

// example runs the three nodes of docs/cluster.md, on ports that are free, and returns
// them and the lines that are no `serve`.
func example(t testing.TB, dir string, more ...string) (nodes []*process, others [][]string) {
	t.Helper()
	commands, err := docstest.ClusterCommands("../../../../..", func() string { return hubtest.FreeAddr(t) })
	if err != nil {
		t.Fatal(err)
	}
	for _, words := range commands {
		switch {
		case words[0] == "serve":
			nodes = append(nodes, startNode(t, dir, append(words, more...)))
		case len(nodes) == 0:
			runs(t, dir, words)
		default:
			others = append(others, words)
		}
	}
	if len(nodes) != 3 {
		t.Fatalf("docs/cluster.md starts %d nodes", len(nodes))
	}
	for _, n := range nodes {
		n.await(`"listening for other nodes"`)
		n.await(`"hosts":true`)
	}
	return nodes, others
}

// runs runs a command that ends, and returns what it prints.
func runs(t testing.TB, dir string, args []string) string {
	t.Helper()
	out, err := program(t.Context(), dir, args...).CombinedOutput()
	if err != nil {
		t.Fatalf("cdphub-cluster %q: %v\n%s", args, err, out)
	}
	return string(out)
}

func startNode(t testing.TB, dir string, args []string) *process {
	t.Helper()
	p := &process{Cmd: program(context.Background(), dir, args...), t: t}
	for i, word := range args[:len(args)-1] {
		switch word {
		case "--client-addr":
			p.clients = args[i+1]
		case "--host-addr":
			p.hosts = args[i+1]
		case "--admin-addr":
			path, _ := strings.CutPrefix(args[i+1], "unix:")
			p.admin = "unix:" + filepath.Join(dir, path) // which is in dir
		}
	}
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	p.Stdout, p.Stderr = w, w
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	w.Close()
	go p.collect(r)
	t.Cleanup(func() {
		p.Process.Kill()
		p.Wait()
		if t.Failed() {
			t.Logf("%q:\n%s", args, p.log())
		}
	})
	return p
}

func (p *process) await(words string) {
	p.t.Helper()
	eventually(p.t, "the log has "+words, func() bool { return strings.Contains(p.log(), words) })
}

func eventually(t testing.TB, what string, holds func() bool) {
	t.Helper()
	for end := time.Now().Add(within); !holds(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("it never came to this: %s", what)
		}
	}
}

// serves reports whether a handshake is answered with 101.
func serves(addr, path string) bool {
	nc, err := net.DialTimeout("tcp", addr, time.Second)
	if err != nil {
		return false
	}
	defer nc.Close()
	nc.SetDeadline(time.Now().Add(5 * time.Second))
	fmt.Fprintf(nc, "GET %s HTTP/1.1\r\nHost: %s\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n", path, addr)
	line, _ := bufio.NewReader(nc).ReadString('\n')
	return strings.Contains(line, " 101 ")
}

// host connects a Host as soon as the node takes one.
func (p *process) host() *hubtest.Peer {
	p.t.Helper()
	eventually(p.t, "a Host is taken", func() bool { return serves(p.hosts, "/icdp/host?standby") })
	h := hubtest.Dial(p.t, "ws://"+p.hosts+"/icdp/host", nil)
	h.Send(hubtest.Ready)
	return h
}

// client connects a Client when its target is there.
func (p *process) client() *hubtest.Peer {
	p.t.Helper()
	eventually(p.t, "a Client sees the target", func() bool {
		status, body := hubtest.Get(p.t, p.clients, "/json/list", nil)
		return status == 200 && strings.Contains(body, `"T1"`)
	})
	return hubtest.Dial(p.t, "ws://"+p.clients+"/devtools/browser", nil)
}

// drives wants a command of a Client to reach the Host, and its answer to come back.
func drives(t testing.TB, client, host *hubtest.Peer) {
	t.Helper()
	id := client.Attach("T1")
	client.Send(`{"id":7,"method":"Page.enable","sessionId":"` + id + `"}`)
	host.Until(`"sessionId":"` + id)
}

// S-01, S-02, S-04: the example of docs/cluster.md, and then its first node is killed.
func TestThreeNodes(t *testing.T) {
	dir := t.TempDir()
	nodes, others := example(t, dir)
	a, b, c := nodes[0], nodes[1], nodes[2]
	for _, args := range others {
		eventually(t, "each node is known", func() bool { return strings.Count(runs(t, dir, args), "serves") == 3 })
		t.Logf("\n%s", runs(t, dir, args))
	}
	host := a.host()
	for _, n := range nodes {
		drives(t, n.client(), host)
	}
	again := b.host() // through another node, and the older Host ends
	host.Reason()
	elsewhere := b.client()
	drives(t, elsewhere, again)

	begun := time.Now()
	a.Process.Kill()
	a.Wait()
	elsewhere.Reason()
	t.Logf("a Client of another node learns of the owner's death after %v", time.Since(begun))
	host = b.host()
	t.Logf("the Host is at another node after %v", time.Since(begun))
	drives(t, c.client(), host)
	t.Logf("a Client of the third node drives it after %v", time.Since(begun))

	drain := func(name string) []string { return []string{"cluster", "drain", name, c.admin} }
	if out, err := program(t.Context(), dir, drain("none")...).CombinedOutput(); err == nil || !strings.Contains(string(out), "node does not exist") {
		t.Errorf("drain of no node: %v\n%s", err, out)
	}
	if out := runs(t, dir, append(drain("b"), "--wait=2s")); !strings.Contains(out, "b drains") || !strings.Contains(out, "b has ended") {
		t.Error(out)
	}
	if why := host.Reason(); why.Code != 1001 {
		t.Errorf("a node that ends closes its Host with %v", why)
	}
	if err := b.Wait(); err != nil {
		t.Errorf("a node that ends: %v", err)
	}
}

// S-06: a node stops for longer than its lease, and goes on. It serves nothing on an
// epoch that is over.
func TestS06StoppedNode(t *testing.T) {
	nodes, _ := example(t, t.TempDir())
	a, b, c := nodes[0], nodes[1], nodes[2]
	old := a.host()
	client := a.client()
	client.Attach("T1")
	a.Process.Signal(syscall.SIGSTOP)
	begun := time.Now()
	host := b.host()
	drives(t, c.client(), host)
	t.Logf("another node has the hub of a stopped one after %v", time.Since(begun))
	time.Sleep(time.Duration(hubtest.Amount(0, 30)) * time.Second) // for which it is stopped, beyond its lease
	a.Process.Signal(syscall.SIGCONT)
	if why := client.Reason(); why.Code != 1012 {
		t.Errorf("the Client of the older owner was closed with %v, want 1012", why)
	}
	old.Reason()
	drives(t, a.client(), host)
}

// S-08: a node with other keys is no node.
func TestS08OtherKeys(t *testing.T) {
	dir := t.TempDir()
	nodes, _ := example(t, dir)
	runs(t, dir, []string{"cluster", "keys", "other"})
	args := slices.Clone(nodes[0].Args[1:])
	for i, word := range args {
		switch {
		case strings.HasSuffix(word, "-addr"):
			args[i+1] = hubtest.FreeAddr(t)
		case word == "--cluster-name":
			args[i+1] = "stranger"
		case word == "--cluster-keys":
			args[i+1] = "other"
		}
	}
	stranger := startNode(t, dir, args)
	stranger.await("waiting for the directory")
	time.Sleep(2 * time.Second) // it must not get in
	if out := runs(t, dir, []string{"cluster", "status", nodes[1].admin}); strings.Contains(out, "stranger") || strings.Count(out, "serves") != 3 {
		t.Errorf("a node with other keys is one of the cluster:\n%s", out)
	}
}

// The program says its own name.
func TestName(t *testing.T) {
	for _, args := range []string{"version", "--version"} {
		if out := runs(t, t.TempDir(), []string{args}); !strings.HasPrefix(out, "cdphub-cluster ") || !strings.HasSuffix(out, ")\n") {
			t.Errorf("cdphub-cluster %s: %q", args, out)
		}
	}
	out, err := program(t.Context(), t.TempDir(), "no-such-command").CombinedOutput()
	if err == nil || !strings.Contains(string(out), "cdphub-cluster: ") || !strings.Contains(string(out), "see cdphub-cluster --help") {
		t.Errorf("a command that there is not: %v\n%s", err, out)
	}
}

func TestKeysAreNotReplaced(t *testing.T) {
	dir := t.TempDir()
	runs(t, dir, []string{"cluster", "keys", "k"})
	before, err := os.ReadFile(filepath.Join(dir, "k", secretFile))
	if err != nil {
		t.Fatal(err)
	}
	out, err := program(t.Context(), dir, "cluster", "keys", "k").CombinedOutput()
	if err == nil || !strings.Contains(string(out), "not replaced") {
		t.Errorf("%v\n%s", err, out)
	}
	if after, _ := os.ReadFile(filepath.Join(dir, "k", secretFile)); string(after) != string(before) {
		t.Error("the keys were replaced")
	}
	if info, err := os.Stat(filepath.Join(dir, "k", keyFile)); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the key can be read by others: %v, %v", info, err)
	}
}

func TestOptions(t *testing.T) {
	dir := t.TempDir()
	runs(t, dir, []string{"cluster", "keys", "k"})
	for want, args := range map[string][]string{
		"--cluster-keys":      {"--cluster-addr=127.0.0.1:0"},
		"needs a directory":   {"--cluster-addr=127.0.0.1:0", "--cluster-keys=k"},
		"no effect without":   {"--cluster-keys=k"},
		"no effect with":      {"--cluster-addr=127.0.0.1:0", "--cluster-keys=k", "--directory-addr=127.0.0.1:0", "--directory-url=nats://127.0.0.1:1"},
		"--cluster-advertise": {"--cluster-addr=0.0.0.0:0", "--cluster-keys=k", "--directory-addr=127.0.0.1:0"},
		"1, 3 or 5":           {"--cluster-addr=127.0.0.1:0", "--cluster-keys=k", "--directory-addr=127.0.0.1:0", "--directory-replicas=2"},
		"no such file":        {"--cluster-addr=127.0.0.1:0", "--cluster-keys=none", "--directory-addr=127.0.0.1:0"},
	} {
		out, err := program(t.Context(), dir, append([]string{"serve", "--client-addr=127.0.0.1:0", "--host-addr=localhost:0"}, args...)...).CombinedOutput()
		if err == nil || !strings.Contains(string(out), want) {
			t.Errorf("%q: %v, %s; want %q", args, err, out, want)
		}
	}
	for want, url := range map[string]string{"refused": "http://" + hubtest.FreeAddr(t), "invalid": "::"} {
		if out, err := program(t.Context(), dir, "cluster", "status", url).CombinedOutput(); err == nil {
			t.Errorf("%s: %s", want, out)
		}
	}
}
