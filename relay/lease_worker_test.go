package relay

import (
	"strings"
	"testing"

	"github.com/cdphub/cdphub/bridge"
	"github.com/cdphub/cdphub/targets"
)

// TestR175WorkersOfSeveralPagesAreQuiet has an agent attached to the service worker of a
// page that a person has: the worker sends what the person types in a form.
func TestR175WorkersOfSeveralPagesAreQuiet(t *testing.T) {
	h := newHub(t, Options{})
	p := &inbox{}
	host := &familyHost{}
	ev := setHost(h, host, []targets.Info{{ID: "PAGE"}, {ID: "SERVICE", Type: "service_worker"}, {ID: "APART", Type: "service_worker"}})
	c := join(t, h, p)
	c.Receive([]byte(`{"id":1,"method":"Target.setDiscoverTargets","params":{"discover":true}}`)) // makes its root
	for id, target := range map[string]string{"service": "SERVICE", "apart": "APART", "unknown": "UNKNOWN"} {
		ev.Opened(bridge.Nested{Parent: host.root, SessionID: id, TargetID: target, Type: "service_worker"})
	}
	l, err := h.JoinLocal(LocalOptions{})
	if err != nil {
		t.Fatal(err)
	}
	evaluate := func(session string) (paused bool) {
		p.take()
		c.Receive([]byte(`{"id":2,"method":"Runtime.evaluate","params":{"expression":"1"},"sessionId":"` + session + `"}`))
		return strings.Contains(strings.Join(p.take(), ""), "paused: Ann")
	}
	for _, quiet := range []bool{false, true} {
		evaluate("service")
		if err := l.Take("PAGE", "Ann", LeaseOptions{Quiet: quiet}); err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(p.take(), ""); strings.Contains(got, "paused: Ann") != quiet {
			t.Errorf("quiet: %v, and what the worker was asked before: %q", quiet, got)
		}
		for _, session := range []string{"service", "apart", "unknown"} {
			hushed := quiet && session != "apart"
			if got := evaluate(session); got != hushed {
				t.Errorf("quiet: %v, and a script in the session %s is kept waiting: %v", quiet, session, got)
			}
			p.take()
			ev.SessionEvent(session, "Network.requestWillBeSent", []byte(`{"request":{"url":"http://u/","postData":"secret"}}`))
			if got := strings.Join(p.take(), ""); strings.Contains(got, "secret") == hushed || !strings.Contains(got, `"http://u/"`) {
				t.Errorf("quiet: %v, and the session %s hears %q", quiet, session, got)
			}
		}
		if err := l.Release("PAGE"); err != nil {
			t.Fatal(err)
		}
	}
}
