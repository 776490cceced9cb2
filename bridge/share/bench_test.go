package share

import (
	"testing"

	"github.com/cdphub/cdphub/bridge"
)

// silent takes everything.
type silent struct{ last int64 }

func (s *silent) Send(call int64, _, _ string, _ []byte)      { s.last = call }
func (*silent) Result(_ bridge.CallID, _ string, _, _ []byte) {}
func (*silent) SessionEvent(_, _ string, _ []byte)            {}
func (*silent) Opened(bridge.Nested) bool                     { return true }
func (*silent) Closed(string)                                 {}

// newBusy is a Tab with two Clients that have usual domains enabled.
func newBusy() (*Tab, *silent) {
	s := &silent{}
	tab := New(s, s)
	for _, id := range []string{"A", "B"} {
		tab.Attach(id)
		for _, domain := range []string{"Page", "Runtime", "Network", "DOM"} {
			_ = tab.Send(bridge.Command{Call: 1, SessionID: id, Method: domain + ".enable"})
			tab.Answer(s.last, []byte(`{}`), nil)
		}
	}
	return tab, s
}

// BenchmarkRoundTrip is a script call of a Client with its answer.
func BenchmarkRoundTrip(b *testing.B) {
	tab, s := newBusy()
	params := []byte(`{"functionDeclaration":"function() { return this.x }","objectId":"1:5.4.3","arguments":[{"value":1},{"objectId":"1:5.4.4"}],"returnByValue":true}`)
	result := []byte(`{"result":{"type":"object","value":{"a":[1,2,3],"b":"text"}}}`)
	b.ReportAllocs()
	for b.Loop() {
		_ = tab.Send(bridge.Command{Call: 1, SessionID: "A", Method: "Runtime.callFunctionOn", Params: params})
		tab.Answer(s.last, result, nil)
	}
}

// BenchmarkPlain is a command in which there is nothing to translate.
func BenchmarkPlain(b *testing.B) {
	tab, s := newBusy()
	params := []byte(`{"type":"mouseMoved","x":10,"y":20}`)
	b.ReportAllocs()
	for b.Loop() {
		_ = tab.Send(bridge.Command{Call: 1, SessionID: "A", Method: "Input.dispatchMouseEvent", Params: params})
		tab.Answer(s.last, []byte(`{}`), nil)
	}
}

// BenchmarkEvent is an event for two Clients.
func BenchmarkEvent(b *testing.B) {
	tab, _ := newBusy()
	params := []byte(`{"requestId":"1000.2","timestamp":3435.209837,"dataLength":512,"encodedDataLength":0}`)
	b.ReportAllocs()
	for b.Loop() {
		tab.Event("", "Network.dataReceived", params)
	}
}
