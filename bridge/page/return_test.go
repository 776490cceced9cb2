package page

import (
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cdphub/cdphub/bridge"
	"github.com/cdphub/cdphub/internal/wire"
	"github.com/cdphub/cdphub/internal/wsconn"
)

// A Host that may come back, as far as its hub hears of it.
func TestPageReturns(t *testing.T) {
	const ready = `{"kind":"ready","v":1,"hostId":%s,"targets":[],"features":["resume"]}`
	for _, tt := range []struct {
		hostID, announced string
		end               wsconn.Reason
		gone              string
	}{
		{`"H\u0031"`, "ready as H1 [] |", wsconn.ReasonGone, "host lost"},
		{`"H1"`, "ready as H1 [] |", wsconn.ReasonNoStatus, "host lost"},
		{`"H1"`, "ready as H1 [] |", wsconn.ReasonNormal, "host gone"},
		{`"H1"`, "ready as H1 [] |", wsconn.ReasonShutdown, "host gone"}, // so browsers say that a page goes
		{`{}`, "ready [] |", wsconn.ReasonGone, "host lost"},
		{`"` + strings.Repeat("h", 129) + `"`, "ready [] |", wsconn.ReasonGone, "host lost"},
	} {
		p := connect(t)
		p.say(fmt.Sprintf(ready, tt.hostID))
		want(t, p.hub.lines, tt.announced)
		p.hub.host.(bridge.Resumer).Resumed()
		want(t, p.frames, `{"kind":"accepted","features":["resume"]}`, `{"kind":"resumed"}`)
		p.far.Close(tt.end)
		want(t, p.hub.lines, tt.gone)
	}
	late := connect(t)
	late.say(fmt.Sprintf(ready, `"late"`))
	want(t, late.ended, wsconn.ReasonTryAgain)
}

// pongs come from the browser, so that only an answer of the page itself
// says that it runs.
func TestR85HostThatHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		near, far := wsconn.Pipe(Limits(), wsconn.Limits{})
		hub := &ledger{lines: make(chan string, 10)}
		done := make(chan struct{}, 2)
		var hangs atomic.Bool
		go func() { servesPage(t.Context(), t, near, hub); done <- struct{}{} }()
		go func() {
			far.Serve(t.Context(), func(m []byte) {
				if strings.Contains(string(m), `"alive"`) && !strings.Contains(string(m), "accepted") && !hangs.Load() {
					far.Deliver(wire.Frame{Body: m}) // as a page does
				}
			})
			done <- struct{}{}
		}()
		say := func(features string) {
			far.Deliver(wire.Frame{Body: []byte(`{"kind":"ready","v":1,"targets":[]` + features + `}`)})
			<-hub.lines
		}
		say(`,"features":["alive"]`)
		state := func(after time.Duration) (responsive bool, err error) {
			time.Sleep(after)
			synctest.Wait()
			return hub.host.(bridge.Liveness).Responsive(), hub.host.Send(bridge.Command{Call: 1, SessionID: "S", TargetID: "T", Method: "A.b"})
		}
		if ok, err := state(time.Minute); !ok || err != nil {
			t.Errorf("a page that answers: responsive %v, %v", ok, err)
		}
		hangs.Store(true)
		if ok, err := state(20 * time.Second); ok || err == nil {
			t.Errorf("a page that does not: responsive %v, %v", ok, err)
		}
		far.Deliver(wire.Frame{Body: []byte(`{"kind":"alive","n":1}`)}) // an old one
		if ok, _ := state(0); ok {
			t.Error("an answer to another question counts")
		}
		hangs.Store(false)
		for n := range 100 {
			far.Deliver(wire.Frame{Body: fmt.Appendf(nil, `{"kind":"alive","n":%d}`, n)})
		}
		if ok, err := state(0); !ok || err != nil {
			t.Errorf("a page that has come to itself: responsive %v, %v", ok, err)
		}
		far.Close(wsconn.ReasonNormal)
		<-done
		<-done
	})
}
