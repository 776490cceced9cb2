package main

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cdphub/cdphub/internal/hubtest"
)

// asker is a Client that asks one thing at a time.
type asker struct {
	*hubtest.Peer
	session string
	took    []time.Duration
}

func newAsker(tb testing.TB, addr string) *asker {
	tb.Helper()
	a := &asker{Peer: hubtest.Dial(tb, "ws://"+addr+"/devtools/browser", nil)}
	a.session = a.Attach("T1")
	return a
}

// ask has the Host answer with so many bytes.
func (a *asker) ask(size int) {
	begun := time.Now()
	a.Send(fmt.Sprintf(`{"id":%d,"method":"A.b","params":{"size":%d},"sessionId":%q}`, len(a.took)+1, size, a.session))
	if got := a.Until(fmt.Sprintf(`{"id":%d,`, len(a.took)+1)); len(got) < size {
		a.T.Fatalf("answered %.200s", got)
	}
	a.took = append(a.took, time.Since(begun))
}

// median forgets what it has counted.
func (a *asker) median() float64 {
	slices.Sort(a.took)
	m := a.took[len(a.took)/2]
	a.took = a.took[:0]
	return float64(m.Nanoseconds()) / 1000
}

// answering connects a Host whose answers have the size that commands ask for.
func answering(tb testing.TB, addr string) {
	tb.Helper()
	var host *hubtest.Peer
	ready := make(chan struct{})
	host = hubtest.DialTo(tb, "ws://"+addr+"/icdp/host", nil, func(m []byte) {
		<-ready
		var c struct {
			Kind, SessionID string
			ID              int
			Params          struct{ Size int }
		}
		if json.Unmarshal(m, &c) == nil && c.Kind == "command" {
			host.Send(fmt.Sprintf(`{"kind":"response","sessionId":%q,"id":%d,"result":{"fill":%q}}`, c.SessionID, c.ID, strings.Repeat("x", c.Params.Size)))
		}
	})
	close(ready)
	host.Send(hubtest.Ready)
}

// BenchmarkHop prints what a round trip takes through another node, through cdphub
// connect, and through both, by the medians of turns of one run. Each process is one of
// its own.
func BenchmarkHop(b *testing.B) {
	dir := b.TempDir()
	nodes, _ := example(b, dir)
	eventually(b, "a Host is taken", func() bool { return serves(nodes[0].hosts, "/icdp/host?standby") })
	answering(b, nodes[0].hosts)
	eventually(b, "a Client sees the target", func() bool {
		status, body := hubtest.Get(b, nodes[1].clients, "/json/list", nil)
		return status == 200 && strings.Contains(body, `"T1"`)
	})
	ways := []string{"direct", "node", "connect", "connect-and-node"}
	askers := []*asker{newAsker(b, nodes[0].clients), newAsker(b, nodes[1].clients)}
	for _, n := range nodes[:2] {
		local := hubtest.FreeAddr(b)
		startNode(b, dir, []string{"connect", "ws://" + n.clients, "--listen", local}).await("linked")
		askers = append(askers, newAsker(b, local))
	}
	for _, size := range []int{200, 4 << 10, 256 << 10} {
		b.Run(fmt.Sprint(size, "B"), func(b *testing.B) {
			for range 20 { // they are not counted
				for _, a := range askers {
					a.ask(size)
				}
			}
			for _, a := range askers {
				a.took = a.took[:0]
			}
			for b.Loop() {
				for _, a := range askers {
					a.ask(size)
				}
			}
			b.ReportMetric(0, "ns/op") // it says nothing here
			direct := askers[0].median()
			b.ReportMetric(direct, "µs-direct")
			for i, a := range askers[1:] {
				m := a.median()
				b.ReportMetric(m-direct, "µs-more-"+ways[i+1])
				b.ReportMetric(m/direct, "x-"+ways[i+1])
			}
		})
	}
}

// BenchmarkTakeover prints how long it takes until a Client of a third node drives a Host
// that has come by another node, with its hub's owner alive, and with it killed. Then, until
// the third node has every hub of the killed one, which has led the records of some.
func BenchmarkTakeover(b *testing.B) {
	var alive, dead, every []time.Duration
	for b.Loop() {
		nodes, _ := example(b, b.TempDir())
		nodes[0].host()
		client := nodes[2].client()
		client.Attach("T1")
		begun := time.Now()
		host := hubtest.Dial(b, "ws://"+nodes[1].hosts+"/icdp/host", nil)
		host.Send(hubtest.Ready)
		client.Until("Target.detachedFromTarget") // the older Host is replaced
		drives(b, client, host)
		alive = append(alive, time.Since(begun))

		for i := range ownedHubs {
			asks(b, nodes[0], i)
		}
		begun = time.Now()
		nodes[0].Process.Kill()
		host.Reason()
		host = nodes[1].host()
		drives(b, nodes[2].client(), host)
		dead = append(dead, time.Since(begun))
		for i := range ownedHubs {
			asks(b, nodes[2], i)
		}
		every = append(every, time.Since(begun))
		b.Logf("the owner killed: its Host's hub after %v, every hub after %v", dead[len(dead)-1].Round(time.Millisecond), every[len(every)-1].Round(time.Millisecond))
	}
	b.ReportMetric(0, "ns/op")
	for name, list := range map[string][]time.Duration{"owner-alive": alive, "owner-killed": dead, "every-hub": every} {
		b.ReportMetric(float64(slices.Max(list).Microseconds())/1000, "ms-"+name)
	}
}

// ownedHubs is enough for some in each bucket of the directory, which has 16.
const ownedHubs = 64

// asks has a node answer for a hub: it owns the hub, or knows who does.
func asks(b *testing.B, n *process, i int) {
	eventually(b, "a hub is served", func() bool {
		status, _ := hubtest.Get(b, n.clients, fmt.Sprintf("/hub/owned%d/json/list", i), nil)
		return status == 200
	})
}

// resident is the memory of all nodes in bytes (proc(5), statm).
func resident(tb testing.TB, nodes []*process) (sum int) {
	tb.Helper()
	for _, n := range nodes {
		text, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", n.Process.Pid))
		if err != nil {
			tb.Fatal(err)
		}
		var size, pages int
		if _, err := fmt.Sscan(string(text), &size, &pages); err != nil {
			tb.Fatal(err)
		}
		sum += pages * os.Getpagesize()
	}
	return sum
}
