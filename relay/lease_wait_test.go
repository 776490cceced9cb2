package relay

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cdphub/cdphub/quota"
)

func TestLeaseMayLetOthersWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLeased(t)
		l.take("Ann", LeaseOptions{Wait: time.Minute})
		l.send(`"method":"Input.insertText","params":{"text":"a"}`)
		time.Sleep(30 * time.Second)
		if got, reached := l.send(click); got != "" || reached {
			t.Errorf("a second one does not wait: %q", got)
		}
		if got, reached := l.send(evaluate); got != "" || !reached {
			t.Errorf("reading waits: %q", got)
		}
		time.Sleep(31 * time.Second)
		if got := l.took(); len(got) != 1 || !strings.Contains(got[0], "paused: Ann") {
			t.Errorf("after a minute: %q", got)
		}
		acts := make(chan error, 1)
		agent, err := l.hub.JoinLocal(LocalOptions{})
		if err != nil {
			t.Fatal(err)
		}
		go func() { acts <- agent.MayAct(t.Context(), "T0") }()
		synctest.Wait()
		before := l.host.commands
		if err := l.ann.Release("T0"); err != nil {
			t.Fatal(err)
		}
		if got := l.took(); len(got) != 0 || l.host.commands != before+1 {
			t.Errorf("after the release: %q, %d commands", got, l.host.commands-before)
		}
		if err := <-acts; err != nil {
			t.Errorf("who asked may not act: %v", err)
		}
		l.take("Ann", LeaseOptions{Wait: time.Minute})
		go func() { acts <- agent.MayAct(t.Context(), "T0") }()
		if err := <-acts; err == nil || !strings.Contains(err.Error(), "paused") {
			t.Errorf("who asked may act: %v", err)
		}
		l.send(click)
		l.agent.Leave() // with a command that waits
		l.wantsHolder("Ann")
	})
}

func TestLeaseIsBoundedInWhatWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLeased(t)
		l.take("Ann", LeaseOptions{Wait: time.Hour, Idle: 2 * time.Hour})
		for range int(quota.Table[quota.Paused].Total) {
			l.send(click)
		}
		if got, _ := l.send(click); !strings.Contains(got, "paused") {
			t.Errorf("one too many waits: %q", got)
		}
		l.hub.Drain()
		if got := l.took(); len(got) != int(quota.Table[quota.Paused].Total) || !strings.Contains(got[0], "shutting down") {
			t.Errorf("%d were answered when the hub ended", len(got))
		}
		l.wantsHolder("")
	})
}
