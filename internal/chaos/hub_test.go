package chaos

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/cdphub/cdphub/internal/hubtest"
)

// patience is how long anything may take that must happen: long, since the
// machine may be busy with something else.
const patience = 60 * time.Second

// program is the path of the hub, and nodeProgram that of a node of a cluster.
var (
	program     = sync.OnceValues(func() (string, error) { return build("../../cmd/cdphub") })
	nodeProgram = sync.OnceValues(func() (string, error) { return build("../../internal/cluster/nats/cmd/cdphub-cluster") })
)

// build builds a program, with the race detector if the tests have it.
func build(dir string) (path string, err error) {
	path = filepath.Join(folder, filepath.Base(dir))
	args := []string{"build", "-C", dir, "-o", path}
	if raced() {
		args = append(args, "-race")
	}
	if out, err := exec.Command("go", args...).CombinedOutput(); err != nil {
		return "", fmt.Errorf("build the hub: %w\n%s", err, out)
	}
	return path, nil
}

// folder is where the tests leave files.
var folder string

func TestMain(m *testing.M) {
	var err error
	if folder, err = os.MkdirTemp("", "chaos"); err != nil {
		panic(err)
	}
	status := m.Run()
	os.RemoveAll(folder)
	os.Exit(status)
}

// raced reports whether this program has the race detector.
func raced() bool {
	info, _ := debug.ReadBuildInfo()
	if info == nil {
		return false
	}
	for _, s := range info.Settings {
		if s.Key == "-race" {
			return s.Value == "true"
		}
	}
	return false
}

// place is a hub's two addresses, HOST:PORT.
type place struct{ clients, hosts string }

// hub is a running cdphub.
type hub struct {
	place
	operators string // address of the listener for them: unix:PATH

	t    testing.TB
	find func() (string, error) // the path of the program
	args []string
	wire *hubtest.Network // by which other nodes come; nil for a hub that is no node
	cmd  *exec.Cmd
	up   chan struct{} // told of each listener
	done chan struct{} // closed when it has ended and all of its log is read
	gate sync.Mutex    // held to keep its log from being read

	mu  sync.Mutex // guards log
	log bytes.Buffer
}

// startHub runs `cdphub serve` with these further arguments on free ports,
// until the test ends.
func startHub(t testing.TB, args ...string) *hub {
	t.Helper()
	h := &hub{t: t, find: program, args: args, place: place{"127.0.0.1:0", "localhost:0"}, operators: hubtest.AdminSocket(t)} // one address would be one listener
	h.endWith(t)
	h.run()
	return h
}

// endWith kills the hub at the end of the test, and looks at what it has said.
func (h *hub) endWith(t testing.TB) {
	t.Cleanup(func() {
		h.kill()
		if t.Failed() {
			t.Logf("the hub's log ends with:\n%s", tail(h.said(), 4<<10))
		}
		if strings.Contains(h.said(), "DATA RACE") {
			t.Errorf("the hub has a data race:\n%s", h.said())
		}
	})
}

func tail(s string, n int) string { return s[max(0, len(s)-n):] }

// run starts the hub at its addresses and waits until it listens.
func (h *hub) run() {
	h.t.Helper()
	h.launch()
	h.await()
}

func (h *hub) launch() {
	h.t.Helper()
	path, err := h.find()
	if err != nil {
		h.t.Fatal(err)
	}
	h.cmd = exec.Command(path, append([]string{"serve", "--client-addr", h.clients, "--host-addr", h.hosts, "--admin-addr", h.operators}, h.args...)...)
	h.cmd.Env = append(os.Environ(), "GORACE=halt_on_error=1", "TMPDIR="+folder)
	out, err := h.cmd.StderrPipe()
	if err != nil {
		h.t.Fatal(err)
	}
	if err := h.cmd.Start(); err != nil {
		h.t.Fatal(err)
	}
	h.done, h.up = make(chan struct{}), make(chan struct{}, 3)
	go h.follow(h.cmd, out, h.done, h.up)
}

// await waits until the hub listens.
func (h *hub) await() {
	h.t.Helper()
	for range 3 {
		select {
		case <-h.up:
		case <-h.done:
			h.t.Fatalf("the hub does not start: %s", h.said())
		case <-time.After(patience):
			h.t.Fatalf("the hub does not listen: %s", h.said())
		}
	}
}

// follow reads the log to its end. Where the hub listens stands in lines as
//
//	{"msg":"listening","addr":"127.0.0.1:40123","clients":true,"hosts":false}
//	{"msg":"listening for operators","addr":"unix:/tmp/admin1/s"}
func (h *hub) follow(cmd *exec.Cmd, r io.Reader, done, listening chan<- struct{}) {
	defer close(done)
	for s := bufio.NewScanner(r); s.Scan(); {
		h.mu.Lock()
		if h.log.Len() < 16<<20 {
			h.log.Write(append(s.Bytes(), '\n'))
		}
		h.mu.Unlock()
		h.gate.Lock()
		h.gate.Unlock() //nolint:staticcheck // to wait is all
		var l struct {
			Msg, Addr      string
			Clients, Hosts bool
		}
		json.Unmarshal(s.Bytes(), &l)
		switch {
		case l.Msg == "listening for operators":
			h.operators = l.Addr
		case l.Msg == "listening" && l.Clients:
			h.clients = l.Addr
		case l.Msg == "listening" && l.Hosts:
			h.hosts = l.Addr
		default:
			continue
		}
		listening <- struct{}{}
	}
	cmd.Wait()
}

// said is the log so far.
func (h *hub) said() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.log.String()
}

// stop asks the hub to end in good order.
func (h *hub) stop() { h.signal(syscall.SIGTERM) }

func (h *hub) signal(s syscall.Signal) { h.cmd.Process.Signal(s) }

// kill ends the hub as a crash would.
func (h *hub) kill() {
	h.signal(syscall.SIGKILL)
	<-h.done
}

// ended waits for the hub to end by itself, and returns its exit status.
func (h *hub) ended() int {
	h.t.Helper()
	select {
	case <-h.done:
	case <-time.After(patience):
		h.t.Fatal("the hub does not end")
	}
	return h.cmd.ProcessState.ExitCode()
}

// eventually waits until ok, which must be some time.
func eventually(t testing.TB, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(patience); !ok(); time.Sleep(2 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("it never was that %s", what)
		}
	}
}
