package chrome

import (
	"testing"

	"github.com/cdphub/cdphub/bridge"
	"github.com/cdphub/cdphub/internal/scope"
	"github.com/cdphub/cdphub/internal/wire"
)

// taking is a browser that takes everything.
type taking struct{ fakeBrowser }

func (*taking) Offer(*lane, wire.Frame) error    { return nil }
func (*taking) OfferOwn(*lane, wire.Frame) error { return nil }

// BenchmarkGuard reads the params of commands and hands them to the Host of a
// browser: those that are judged by their params, and one that is not.
func BenchmarkGuard(b *testing.B) {
	h := newHost(&taking{}, &Options{}, nil, nil)
	s := &session{id: "s", upstream: "S", tail: wire.SessionTail("S")}
	s.client = s
	h.sessions["s"], h.context = s, "D"
	for _, c := range []struct{ method, params string }{
		{"Target.getTargetInfo", `{"targetId":"T0"}`},
		{"Target.createTarget", `{"url":"http://127.0.0.1:8080/some/path?query=1","newWindow":false,"background":true}`},
		{"Storage.getCookies", `{"browserContextId":"D"}`},
		{"Page.navigate", `{"url":"http://127.0.0.1:8080/some/path?query=1","referrer":"","frameId":"0123456789ABCDEF"}`},
		{"Runtime.evaluate", `{"expression":"document.title","returnByValue":true}`},
	} {
		b.Run(c.method, func(b *testing.B) {
			b.ReportAllocs()
			params := []byte(c.params)
			for n := range b.N {
				args, written, err := scope.Full.Read(c.method, params)
				if err != nil {
					b.Fatal(err)
				}
				if err := h.Send(bridge.Command{Call: bridge.CallID(n + 1), SessionID: "s", Method: c.method, Params: written, Args: args}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
