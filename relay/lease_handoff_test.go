package relay

import (
	"strings"
	"testing"
)

// newAsking is newLeased with a hub whose agents may ask for handoffs.
func newAsking(t *testing.T) (l *leased, seen *notes) {
	l, seen = newLeased(t), &notes{}
	l.hub.observer, l.hub.opts.HandoffURL = seen, func(_, ticket string) string { return "http://hub/#" + ticket }
	return l, seen
}

const asks = `"method":"CdpHub.handoff","params":{"instructions":"Log in."}`

// TestHandoffOfAPageThatIsTaken has an agent ask for a handoff while a person has the
// page. Nothing changes until the person takes the page for the handoff: then what the
// person types is for nobody.
func TestHandoffOfAPageThatIsTaken(t *testing.T) {
	l, seen := newAsking(t)
	l.take("Ann", LeaseOptions{})
	seen.take()
	if got, _ := l.send(asks); strings.Contains(got, "paused") || !strings.Contains(got, "handoffId") {
		t.Errorf("the agent asks, and gets %q", got)
	}
	seen.wantsTold(t)
	if got, reached := l.send(evaluate); got != "" || !reached {
		t.Fatalf("the agent cannot ask the page: %q", got)
	}
	l.take("Ann", LeaseOptions{})
	if got := strings.Join(l.took(), ""); !strings.Contains(got, `"message":"paused: Ann has the page. A person`) {
		t.Errorf("what the agent has asked the page before was not refused: %q", got)
	}
	seen.wantsTold(t, "lease {T0 Ann true true}")
}

// TestTakeAfterAHandoffHasBegun has a person take the page without having heard of the
// handoff that has just begun.
func TestTakeAfterAHandoffHasBegun(t *testing.T) {
	l, seen := newAsking(t)
	l.send(asks)
	l.take("Ann", LeaseOptions{})
	if got, reached := l.send(evaluate); !strings.Contains(got, "paused: Ann") || reached {
		t.Errorf("the agent reads the page during the handoff: %q", got)
	}
	seen.wantsTold(t, "lease {T0 Ann true true}")
	if err := l.hub.Control().AnswerHandoff(l.hub.handoffs["T0"].ID, "", true); err != nil {
		t.Fatal(err)
	}
	l.wantsHolder("Ann")
	if got, reached := l.send(evaluate); !strings.Contains(got, "paused: Ann") || reached {
		t.Errorf("the agent reads the page before Ann has given it back: %q", got)
	}
}
