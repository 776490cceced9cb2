package relay

import (
	"fmt"
	"testing"

	"github.com/cdphub/cdphub/internal/wire"
)

// buffer is a peer that copies what it gets, as an outbox does.
type buffer struct{ b []byte }

func (p *buffer) Deliver(f wire.Frame) bool {
	p.b = f.AppendTo(p.b[:0])
	return true
}

func BenchmarkRoundTrip(b *testing.B) {
	h := New(Options{})
	ev := setHost(h, &mute{}, list(1))
	c, _ := h.Join(&buffer{}, nil)
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
	c, _ := h.Join(&buffer{}, nil)
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
	c, _ := h.Join(&buffer{}, nil)
	c.Receive([]byte(`{"id":1,"method":"Target.setAutoAttach","params":{"autoAttach":true}}`))
	b.Run("unchanged", func(b *testing.B) {
		for b.Loop() {
			c.Receive([]byte(`{"id":1,"method":"Target.getTargets"}`))
		}
	})
	b.Run("changed", func(b *testing.B) {
		for b.Loop() {
			h.stale = true
			c.Receive([]byte(`{"id":1,"method":"Target.getTargets"}`))
		}
	})
}
