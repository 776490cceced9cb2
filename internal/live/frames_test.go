package live

import (
	"encoding/json"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/cdphub/cdphub/internal/wire"
)

// FuzzR250Frames has a page send any event that a view reads, with any JSON that the hub
// would pass on. What viewers and the target get of it is JSON, and bounded.
func FuzzR250Frames(f *testing.F) {
	events := []string{"Page.screencastFrame", "Page.screencastVisibilityChanged", "Target.detachedFromTarget", "Page.javascriptDialogOpening"}
	for _, s := range []struct {
		which            uint8
		head, unit, tail string
		n                uint16
	}{
		{0, `{"data":"AAAA","metadata":{"deviceWidth":1e308,"deviceHeight":-5},"sessionId":{"a":1}}`, "", "", 0},
		{0, `{"data":"`, "AAAA", `","metadata":{"deviceWidth":1,"deviceHeight":1},"sessionId":1}`, 60000},
		{0, `{"sessionId":1e5,"data":"","metadata":[]}`, "", "", 0},
		{1, `{"visible":{}}`, "", "", 0},
		{2, `{"sessionId":"`, "S", `"}`, 60000},
		{3, `{"type":"alert","message":"`, "é", `"}`, 60000},
	} {
		f.Add(s.which, s.head, s.unit, s.tail, s.n)
	}
	f.Fuzz(func(t *testing.T, which uint8, head, unit, tail string, n uint16) {
		if len(unit)*int(n) > 1<<20 {
			return
		}
		text := head + strings.Repeat(unit, int(n)) + tail
		if !wire.IsObject([]byte(text)) || !utf8.ValidString(text) {
			return
		}
		c := new(fake)
		v := newView(c.options())
		v.client, v.session, v.ended = c, "S", func() {}
		w := new(watcher)
		w.Viewer = v.add(w.options())
		w.Receive([]byte(`{"kind":"take"}`))
		method := events[int(which)%len(events)]
		v.event("S", method, []byte(text))
		if method == "Page.screencastFrame" {
			v.frame([]byte(text))
			v.show(time.Now())
		}
		v.input.wait()
		for _, m := range w.messages {
			if !json.Valid([]byte(m)) || len(m) > longestText+1000 {
				t.Errorf("%s: a viewer gets %d bytes: %.200s", method, len(m), m)
			}
		}
		var ack struct{ SessionID int }
		if len(v.ack) > 64 || len(v.ack) > 0 && json.Unmarshal(v.ack, &ack) != nil {
			t.Errorf("the target gets %.200s", v.ack)
		}
		w.Leave()
	})
}
