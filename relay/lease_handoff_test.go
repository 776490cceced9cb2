package relay

import (
	"strings"
	"testing"

	"github.com/cdphub/cdphub/internal/scope"
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

// TestR340AdviceIsWhatTheStateAllows reads what each Client is told in each state of a page
// that a person has, and wants the page to be readable exactly where it says so.
func TestR340AdviceIsWhatTheStateAllows(t *testing.T) {
	for name, o := range map[string]ClientOptions{
		"no token": {}, "standard": {Policy: scope.Standard, Account: "a"}, "privileged": {Policy: scope.Privileged, Account: "a"},
		"privileged, and another asks": {Policy: scope.Privileged, Account: "b"},
	} {
		for state, quiet := range map[string]bool{"taken over": false, "handed off": true} {
			l, _ := newAsking(t)
			in := &inbox{}
			agent, err := l.hub.Admit(o)
			if err != nil {
				t.Fatal(err)
			}
			agent.Connect(in)
			agent.Receive([]byte(`{"id":1,"method":"Target.attachToTarget","params":{"targetId":"T0","flatten":true}}`))
			if quiet && o.Account == "b" {
				l.send(asks)
			} else if quiet {
				agent.Receive([]byte(`{"id":2,` + asks + `,"sessionId":"` + onlySession(agent) + `"}`))
			}
			l.take("Ann", LeaseOptions{})
			in.take()
			send := func(command string) string {
				agent.Receive([]byte(`{"id":3,` + command + `,"sessionId":"` + onlySession(agent) + `"}`))
				return strings.Join(in.take(), "")
			}
			acts, reads := send(click), send(evaluate)
			says, can := strings.Contains(acts, "you can still read it"), !strings.Contains(reads, "paused")
			if !strings.Contains(acts, "paused: Ann") || says != can {
				t.Errorf("%s, %s: an action is told %s, and reading %s", name, state, acts, reads)
			}
		}
	}
}

// TestR341LinkOpensAgainForItsPerson opens the link of a handoff with several tokens, several times.
func TestR341LinkOpensAgainForItsPerson(t *testing.T) {
	for first, others := range map[string]map[string]bool{
		"ann": {"ann": true, "bob": false, "": false},
		"":    {"ann": false, "": false}, // nobody can tell who comes again
	} {
		l, _ := newAsking(t)
		l.send(asks)
		o := l.hub.handoffs["T0"]
		if _, err := l.hub.Control().OpenHandoff(o.ticket[1:], Opener{Account: first}); err == nil {
			t.Error("a part of the link opens")
		}
		key, err := l.hub.Control().OpenHandoff(o.ticket, Opener{Account: first, Name: first})
		if err != nil || key == "" {
			t.Fatal(err)
		}
		for again, opens := range others {
			got, err := l.hub.Control().OpenHandoff(o.ticket, Opener{Account: again, Name: again})
			if (got == key && err == nil) != opens || !opens && got != "" || o.OpenedBy != first {
				t.Errorf("opened by %q, again by %q: %q, %v", first, again, got, err)
			}
		}
		if err := l.hub.Control().AnswerHandoff(o.ID, "", true); err != nil {
			t.Fatal(err)
		}
		if _, err := l.hub.Control().OpenHandoff(o.ticket, Opener{Account: first}); err == nil {
			t.Error("the link of a handoff that has ended opens")
		}
	}
}
