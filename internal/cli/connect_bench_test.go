package cli

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/cdphub/cdphub/internal/hubtest"
	"github.com/cdphub/cdphub/internal/wsconn"
)

// BenchmarkConnect prints what a round trip takes by cdphub connect more than at the
// hub itself, which is a process of its own: medians of turns of one run.
func BenchmarkConnect(b *testing.B) {
	clients, local := hubtest.FreeAddr(b), hubtest.FreeAddr(b)
	startProcess(b, nil, "serve", "--client-addr", clients, "--host-addr", hubtest.FreeAddr(b))
	awaitListener(b, clients)
	startProcess(b, nil, "connect", "ws://"+clients, "--listen", local).await("linked")
	direct, linked := newAsker(b, clients), newAsker(b, local)
	var took [2][]time.Duration
	for range 200 { // the first are not counted
		direct.ask()
		linked.ask()
	}
	for b.Loop() {
		for i, a := range []*asker{direct, linked} {
			begun := time.Now()
			a.ask()
			took[i] = append(took[i], time.Since(begun))
		}
	}
	var median [2]float64
	for i, list := range took {
		slices.Sort(list)
		median[i] = float64(list[len(list)/2].Nanoseconds()) / 1000
	}
	b.ReportMetric(0, "ns/op") // it says nothing here
	b.ReportMetric(median[0], "µs-direct")
	b.ReportMetric(median[1], "µs-linked")
	b.ReportMetric(median[1]-median[0], "µs-more")
	b.ReportMetric(median[1]/median[0], "x-time")
}

// asker is a Client that asks one thing at a time.
type asker struct {
	conn *wsconn.Conn
	next chan struct{}
	id   int
}

func newAsker(b *testing.B, addr string) *asker {
	b.Helper()
	conn, err := wsconn.Dial(b.Context(), "ws://"+addr+"/devtools/browser", nil, wsconn.Limits{})
	if err != nil {
		b.Fatal(err)
	}
	a := &asker{conn: conn, next: make(chan struct{}, 1)}
	go conn.Serve(context.Background(), func([]byte) { a.next <- struct{}{} })
	b.Cleanup(func() { conn.Close(wsconn.ReasonNormal) })
	return a
}

func (a *asker) ask() {
	a.id++
	a.conn.Deliver(wsconn.Frame{Head: fmt.Appendf(nil, `{"id":%d,"method":"Browser.getVersion"}`, a.id)})
	<-a.next
}
