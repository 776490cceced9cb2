package relay

import (
	"strings"
	"testing"

	"github.com/cdphub/cdphub/targets"
)

// TestR175QuietLeaseCoversTheWholeBrowser has a Client intercept the requests of all
// pages, where a browser is shared.
func TestR175QuietLeaseCoversTheWholeBrowser(t *testing.T) {
	h := newHub(t, Options{})
	p, host := &inbox{}, &familyHost{}
	ev := setHost(h, host, []targets.Info{{ID: "PAGE"}})
	c := join(t, h, p)
	c.Receive([]byte(`{"id":1,"method":"Target.setDiscoverTargets","params":{"discover":true}}`)) // makes its root
	ann, err := h.JoinLocal(LocalOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, quiet := range []bool{false, true} {
		if err := ann.Take("PAGE", "Ann", LeaseOptions{Quiet: quiet}); err != nil {
			t.Fatal(err)
		}
		p.take()
		ev.SessionEvent(host.root, "Fetch.requestPaused", []byte(`{"requestId":"1","request":{"url":"http://app/","postData":"secret"}}`))
		if got := strings.Join(p.take(), ""); !strings.Contains(got, "http://app/") || strings.Contains(got, "secret") == quiet {
			t.Errorf("quiet=%v: the event came as %q", quiet, got)
		}
		for command, paused := range map[string]bool{
			`"method":"Fetch.continueRequest","params":{"requestId":"1"}`:                                false,
			`"method":"Fetch.continueRequest","params":{"requestId":"1","url":"https://thief.example/"}`: quiet,
			`"method":"Fetch.getRequestPostData","params":{"requestId":"1"}`:                             true, // it is unknown
			`"method":"Fetch.getResponseBody","params":{"requestId":"1"}`:                                quiet,
			`"method":"Storage.getCookies"`:                                                              false,
		} {
			c.Receive([]byte(`{"id":2,` + command + `}`))
			if got := strings.Join(p.take(), ""); strings.Contains(got, "paused: Ann") != paused {
				t.Errorf("quiet=%v, %s: %q", quiet, command, got)
			}
		}
	}
	if err := h.check(); err != nil {
		t.Error(err)
	}
}
