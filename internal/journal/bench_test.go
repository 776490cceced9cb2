package journal

import (
	"fmt"
	"runtime"
	"testing"

	"github.com/cdphub/cdphub/bridge"
	"github.com/cdphub/cdphub/internal/wire"
	"github.com/cdphub/cdphub/relay"
	"github.com/cdphub/cdphub/session"
	"github.com/cdphub/cdphub/targets"
)

// BenchmarkRelay is what a command and an event of a page cost the relay, with a
// Journal and without.
func BenchmarkRelay(b *testing.B) {
	in := []byte(`{"id":7,"method":"Runtime.callFunctionOn","params":{"functionDeclaration":"() => location.href","returnByValue":true},"sessionId":"`)
	result := []byte(`{"result":{"type":"string","value":"http://127.0.0.1:3000/"}}`)
	params := []byte(`{"requestId":"1000.1","timestamp":1234.5,"dataLength":4096,"encodedDataLength":4096}`)
	withAndWithout(b, func(host *mute, ev bridge.Events, c *relay.Client) func() {
		if host.session == "" {
			b.Fatal("no session")
		}
		command := fmt.Appendf(nil, `%s%s"}`, in, host.session)
		return func() {
			c.Receive(command)
			ev.Result(host.call, host.session, result, nil)
			ev.Event("T0", "Network.dataReceived", params)
		}
	})
}

// withAndWithout times a step of a hub whose page one Client is attached to, with a
// Journal and without.
func withAndWithout(b *testing.B, prepare func(*mute, bridge.Events, *relay.Client) (step func())) {
	for _, on := range []bool{false, true} {
		b.Run(fmt.Sprintf("journal=%v", on), func(b *testing.B) {
			var o relay.Options
			if on {
				j, err := New(Options{})
				if err != nil {
					b.Fatal(err)
				}
				defer j.Close()
				o.Observe = j.Observe
			}
			h := relay.New(o)
			host := new(mute)
			ev, err := h.SetHost(host, bridge.Announcement{Targets: []targets.Info{{ID: "T0"}}})
			if err != nil {
				b.Fatal(err)
			}
			c, _ := h.Join(session.NewEncoder(new(buffer)), nil)
			c.Receive([]byte(`{"id":1,"method":"Target.attachToTarget","params":{"targetId":"T0"}}`))
			step := prepare(host, ev, c)
			b.ReportAllocs()
			for b.Loop() {
				step()
			}
		})
	}
}

// mute is a Host that answers nothing, and knows its newest session and call.
type mute struct {
	session string
	call    bridge.CallID
}

func (m *mute) Send(c bridge.Command) error {
	m.call = c.Call
	return nil
}
func (*mute) Release(string, string)         {}
func (*mute) Close(bridge.Reason)            {}
func (m *mute) Attached(a bridge.Attachment) { m.session = a.SessionID }

// buffer is a connection that copies what it gets, as an outbox does.
type buffer struct{ b []byte }

func (p *buffer) Deliver(f wire.Frame) bool {
	p.b = f.AppendTo(p.b[:0])
	return true
}

// BenchmarkPage is what the events of one request of a page cost, with a Journal and
// without.
func BenchmarkPage(b *testing.B) {
	headers := `{"Accept":"*/*","Accept-Language":"en-US,en;q=0.9","Referer":"https://app.example/","User-Agent":"Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/156.0.0.0 Safari/537.36"}`
	events := []struct{ method, params string }{
		{"Network.requestWillBeSent", `{"requestId":"1000.1","loaderId":"L","documentURL":"https://app.example/","request":{"url":"https://app.example/static/app.js?v=12","method":"GET","headers":` + headers + `,"mixedContentType":"none","initialPriority":"High","referrerPolicy":"strict-origin-when-cross-origin","isSameSite":true},"timestamp":1234.5,"wallTime":1.79e9,"initiator":{"type":"parser","url":"https://app.example/","lineNumber":5},"redirectHasExtraInfo":false,"type":"Script","frameId":"T0","hasUserGesture":false}`},
		{"Network.requestWillBeSentExtraInfo", `{"requestId":"1000.1","associatedCookies":[],"headers":` + headers + `,"connectTiming":{"requestTime":1234.5}}`},
		{"Network.responseReceivedExtraInfo", `{"requestId":"1000.1","blockedCookies":[],"headers":` + headers + `,"resourceIPAddressSpace":"Public","statusCode":200}`},
		{"Network.responseReceived", `{"requestId":"1000.1","loaderId":"L","timestamp":1234.6,"type":"Script","response":{"url":"https://app.example/static/app.js?v=12","status":200,"statusText":"OK","headers":` + headers + `,"mimeType":"text/javascript","charset":"utf-8","connectionReused":true,"connectionId":12,"remoteIPAddress":"192.0.2.1","remotePort":443,"fromDiskCache":false,"encodedDataLength":300,"responseTime":1.79e12,"protocol":"h2","securityState":"secure"},"hasExtraInfo":true,"frameId":"T0"}`},
		{"Network.dataReceived", `{"requestId":"1000.1","timestamp":1234.5,"dataLength":4096,"encodedDataLength":4096}`},
		{"Network.loadingFinished", `{"requestId":"1000.1","timestamp":1234.7,"encodedDataLength":4396}`},
	}
	withAndWithout(b, func(_ *mute, ev bridge.Events, _ *relay.Client) func() {
		return func() {
			for _, e := range events {
				ev.Event("T0", e.method, []byte(e.params))
			}
			runtime.Gosched()
		}
	})
}
