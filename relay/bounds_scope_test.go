package relay

import (
	"strings"
	"testing"

	"github.com/cdphub/cdphub/internal/scope"
	"github.com/cdphub/cdphub/session"
)

// TestR235BoundsHoldInEveryScope sends numbers beyond their bounds as a Client of each scope and as one without a
// Policy, as on a hub without tokens. The Host gets none of them.
func TestR235BoundsHoldInEveryScope(t *testing.T) {
	for name, policy := range map[string]Policy{"readonly": scope.Readonly, "standard": scope.Standard, "full": scope.Full, "privileged": scope.Privileged, "none": nil} {
		h := newHub(t, Options{})
		host := &mute{}
		setHost(h, host, list(1))
		peer := &buffer{}
		c, _ := h.Join(session.NewEncoder(peer), policy)
		c.Receive([]byte(`{"id":1,"method":"Target.attachToTarget","params":{"targetId":"T0"}}`))
		s := onlySession(c)
		before := h.calls.len()
		for params, want := range map[string]string{
			`{"clip":{"x":0,"y":0,"width":1e9,"height":1,"scale":1}}`:                 "Page.captureScreenshot: clip.width is 1e9, at most 131072 is allowed",
			`{"\u0063lip":{"x":0,"y":0,"width":20000,"height":20000,"sc\u0061le":1}}`: "clip.width × clip.height × clip.scale² is 400000000, at most 100000000 is allowed",
		} {
			peer.b = nil
			c.Receive([]byte(`{"id":2,"method":"Page.captureScreenshot","params":` + params + `,"sessionId":"` + s + `"}`))
			if got := string(peer.b); !strings.Contains(got, want) || !strings.Contains(got, "-32602") {
				t.Errorf("%s: %s is answered with %s, want %s", name, params, got, want)
			}
		}
		if h.calls.len() != before {
			t.Errorf("%s: the Host got a command", name)
		}
	}
}
