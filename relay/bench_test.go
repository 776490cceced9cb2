package relay

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/cdphub/cdphub/bridge"
	"github.com/cdphub/cdphub/internal/wire"
	"github.com/cdphub/cdphub/session"
)

// buffer is a connection that copies what it gets, as an outbox does.
type buffer struct{ b []byte }

func (p *buffer) Deliver(f wire.Frame) bool {
	p.b = f.AppendTo(p.b[:0])
	return true
}

func BenchmarkRoundTrip(b *testing.B) {
	h := New(Options{})
	ev := setHost(h, &mute{}, list(1))
	c, _ := h.Join(session.NewEncoder(&buffer{}), nil)
	c.Receive([]byte(`{"id":1,"method":"Target.attachToTarget","params":{"targetId":"T0"}}`))
	s := onlySession(c)
	in := fmt.Appendf(nil, `{"id":7,"method":"Runtime.evaluate","params":{"expression":"location.href","returnByValue":true},"sessionId":%q}`, s)
	result := []byte(`{"result":{"type":"string","value":"http://127.0.0.1:3000/"}}`)
	b.ReportAllocs()
	for b.Loop() {
		c.Receive(in)
		ev.Result(h.calls.last, s, result, nil)
	}
}

func BenchmarkEvent(b *testing.B) {
	for _, n := range []int{1, 100, 5000} {
		b.Run(fmt.Sprintf("sessions=%d", n), func(b *testing.B) { benchEvent(b, n, 0) })
	}
	b.Run("sessions=1,elsewhere=5000", func(b *testing.B) { benchEvent(b, 1, 5000) })
}

func benchEvent(b *testing.B, here, elsewhere int) {
	h := New(Options{})
	ev := setHost(h, &mute{}, list(2))
	c, _ := h.Join(session.NewEncoder(&buffer{}), nil)
	for i := range here + elsewhere {
		target := "T0"
		if i >= here {
			target = "T1"
		}
		c.Receive(fmt.Appendf(nil, `{"id":1,"method":"Target.attachToTarget","params":{"targetId":%q}}`, target))
	}
	params := []byte(`{"requestId":"1000.1","timestamp":1234.5,"dataLength":4096,"encodedDataLength":4096}`)
	b.ReportAllocs()
	for b.Loop() {
		ev.Event("T0", "Network.dataReceived", params)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*here), "ns/delivery")
}

func BenchmarkGetTargets(b *testing.B) {
	h := New(Options{})
	setHost(h, &mute{}, list(5000))
	c, _ := h.Join(session.NewEncoder(&buffer{}), nil)
	c.Receive([]byte(`{"id":1,"method":"Target.setAutoAttach","params":{"autoAttach":true}}`))
	b.Run("unchanged", func(b *testing.B) {
		for b.Loop() {
			c.Receive([]byte(`{"id":1,"method":"Target.getTargets"}`))
		}
	})
	b.Run("one changed", func(b *testing.B) {
		for b.Loop() {
			h.listing.note("T2500", false)
			c.Receive([]byte(`{"id":1,"method":"Target.getTargets"}`))
		}
	})
	b.Run("changed", func(b *testing.B) {
		for b.Loop() {
			h.listing.stale = true
			c.Receive([]byte(`{"id":1,"method":"Target.getTargets"}`))
		}
	})
}

// BenchmarkLocal hands an answer of 1 MiB to a Client within the process.
func BenchmarkLocal(b *testing.B) {
	h := New(Options{})
	ev := setHost(h, &mute{}, list(1))
	l, err := h.JoinLocal(LocalOptions{})
	if err != nil {
		b.Fatal(err)
	}
	defer l.Leave()
	l.Call(b.Context(), "", "Target.attachToTarget", []byte(`{"targetId":"T0"}`))
	s := onlySession(l.client)
	result := fmt.Appendf(nil, `{"data":"%s"}`, bytes.Repeat([]byte("x"), 1<<20))
	b.ReportAllocs()
	for b.Loop() {
		wait := l.Send(s, "Page.captureScreenshot", nil)
		ev.Result(h.calls.last, s, result, nil)
		wait(b.Context())
	}
}

// BenchmarkLeaving is what it costs when 8,192 of something end at once, with
// a Client that has discovered and attached to all of them.
func BenchmarkLeaving(b *testing.B) {
	const many = 8192
	back := bridge.Announcement{HostID: "H", Targets: list(many)}
	none := bridge.Announcement{HostID: "H"}
	stage := func(b *testing.B, method string) (*Hub, *Client) {
		h := New(Options{Limits: Limits{ClientSessions: 2 * many}})
		h.SetHost(&mute{}, back)
		c, _ := h.Join(session.NewEncoder(&buffer{}), nil)
		c.Receive([]byte(`{"id":1,"method":"Target.setDiscoverTargets","params":{"discover":true}}`))
		c.Receive([]byte(method))
		return h, c
	}
	pages, tabs := `{"id":2,"method":"Target.setAutoAttach","params":{"autoAttach":true}}`,
		`{"id":2,"method":"Target.setAutoAttach","params":{"autoAttach":true,"filter":[{"type":"page","exclude":true},{}]}}`
	for name, method := range map[string]string{"pages": pages, "tabs": tabs} {
		b.Run("resume/"+name, func(b *testing.B) {
			for b.Loop() {
				b.StopTimer()
				h, _ := stage(b, method)
				b.StartTimer()
				h.SetHost(&mute{}, none)
			}
		})
		b.Run("client/"+name, func(b *testing.B) {
			for b.Loop() {
				b.StopTimer()
				_, c := stage(b, method)
				b.StartTimer()
				c.Leave()
			}
		})
	}
}
