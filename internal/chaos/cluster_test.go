package chaos

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/cdphub/cdphub/internal/hubtest"
)

// quietAtLast is how long nothing goes wrong at the end of a run with a cluster: a lease
// is over after 10 s (docs/cluster.md), and all must have found their hubs by then.
const quietAtLast = 20 * time.Second

// startNodes runs the nodes of a cluster until the test ends. Each has a server of the
// directory, and other nodes reach it by a link of its own.
func startNodes(t testing.TB, n int) (all []*hub) {
	t.Helper()
	path, err := nodeProgram()
	if err != nil {
		t.Fatal(err)
	}
	keys := filepath.Join(t.TempDir(), "keys")
	if out, err := exec.Command(path, "cluster", "keys", keys).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	free := hubtest.FreeAddrs(t, 5*n)
	directories := free[4*n:]
	for i := range n {
		own := free[4*i : 4*i+4]
		h := &hub{t: t, find: nodeProgram, place: place{own[0], own[1]}, operators: own[2], wire: hubtest.NewNetwork(t, own[3])}
		h.args = []string{
			"--cluster-name", fmt.Sprintf("n%d", i), "--cluster-keys", keys, "--cluster-addr", own[3], "--cluster-advertise", h.wire.Addr,
			"--directory-addr", directories[i], "--directory-peers", strings.Join(directories, ","),
		}
		h.endWith(t)
		h.launch()
		all = append(all, h)
	}
	for _, h := range all {
		h.await()
	}
	return all
}

// What happens to a node, and how often. With three nodes, a third of those that are
// killed lead the directory.
var nodeDoes = []chance{
	{"node killed", 4},
	{"node cut off from the others", 4},
	{"node stopped", 4},
	{"node stopped for longer than its lease", 1},
}

// playNodes does such things to one node after the other until it is late.
func (w *world) playNodes(ctx context.Context, late time.Time) {
	r := w.chance(-1)
	for rest(ctx, time.Duration(500+r.IntN(2000))*time.Millisecond) {
		w.ledgers(false)
		if time.Now().After(late) {
			continue
		}
		n := w.all[r.IntN(len(w.all))]
		what := pick(r, nodeDoes)
		w.did(what)
		switch what {
		case "node killed":
			n.kill()
			time.Sleep(time.Duration(r.IntN(4000)) * time.Millisecond)
			n.run()
		case "node cut off from the others":
			end := n.wire.Silence()
			time.Sleep(time.Duration(r.IntN(6000)) * time.Millisecond)
			n.wire.Cut()
			end()
		default:
			n.signal(syscall.SIGSTOP)
			if what == "node stopped" {
				time.Sleep(time.Duration(r.IntN(3000)) * time.Millisecond)
			} else {
				time.Sleep(12 * time.Second)
			}
			n.signal(syscall.SIGCONT)
		}
	}
}

// reach connects to a hub. In a cluster, it tries one node after the other as long as
// they are away, or say that they cannot serve now.
func (w *world) reach(r *rand.Rand, connect func(place) error) error {
	for end := time.Now().Add(patience); ; time.Sleep(20 * time.Millisecond) {
		err := connect(w.at[r.IntN(len(w.at))])
		var no refused
		if err == nil || w.hub != nil || time.Now().After(end) || errors.As(err, &no) && no != http.StatusServiceUnavailable {
			return err
		}
		w.did("connection refused")
	}
}

// why is the end of a connection in few words.
func why(err error) string {
	var c closed
	if errors.As(err, &c) {
		return fmt.Sprint(c.code)
	}
	return "cut"
}

// settle connects whoever is not connected at the end, and has new Clients of each node
// drive each Host.
func (w *world) settle() {
	r := w.chance(-2)
	for i, h := range w.hosts {
		if h.ended() != nil {
			h = newHost(w.b, h.name, "last", manyTargets)
			if err := w.reach(r, h.connect); err != nil {
				w.t.Fatalf("host %s cannot connect at the end: %v", h.name, err)
			}
			w.hosts[i] = h
		}
	}
	var stay []*client
	for _, c := range w.clients {
		if c.ended() == nil {
			stay = append(stay, c)
		}
	}
	w.clients = stay
	for i, h := range w.hosts {
		h.holdAnswers(false)
		for j, at := range w.at {
			c := startClient(w.t, w.b, at, h.name, fmt.Sprintf("last%d-%d", i, j))
			c.hub = i
			c.echoes(c.mustAttach(w.t, h.target(0)), 100)
			w.clients = append(w.clients, c)
		}
	}
}
