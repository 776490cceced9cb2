package chrome

import (
	"fmt"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
)

// cputime is how long the process has computed: the clock of a bubble stands still.
func cputime(t *testing.T) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		t.Fatal(err)
	}
	return time.Duration(u.Utime.Nano())
}

// crowdWithin is how long one message may take with a crowd of sessions. It takes a few
// milliseconds, and would take hundreds if each session was compared with each other.
const crowdWithin = 100 * time.Millisecond

// waits has a session wait for new targets, or not.
func (r *rig) waits(session string, waits bool) {
	r.must(session, "Target.setAutoAttach", fmt.Sprintf(`{"autoAttach":true,"waitForDebuggerOnStart":%v,"flatten":true}`, waits))
}

// attached has the browser attach a Client to a target.
func (r *rig) attached(parent, session, target, kind string) {
	r.says(fmt.Sprintf(`{"method":"Target.attachedToTarget","params":{"sessionId":%q,"targetInfo":{"targetId":%q,"type":%q,"browserContextId":"D"},"waitingForDebugger":true},"sessionId":%q}`,
		session, target, kind, parent))
}

// TestR152ManyWaitersAreQuick has a Client with thousands of sessions that wait turn that
// off in one of them.
func TestR152ManyWaitersAreQuick(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const levels, pages = 128, 32
		r := greeted(t, Options{})
		r.clients("a")
		for p := range pages {
			r.says(fmt.Sprintf(`{"method":"Target.targetCreated","params":{"targetInfo":{"targetId":"P%d","type":"page","browserContextId":"D"}}}`, p))
		}
		for l := range levels {
			level := fmt.Sprint("L", l)
			r.attached("A", level, "BROWSER", "browser")
			r.waits(level, true)
			for p := range pages {
				session := fmt.Sprint(level, "P", p)
				r.attached(level, session, fmt.Sprint("P", p), "page")
				r.waits(session, true)
			}
		}
		for l := range levels - 1 { // the last one goes on waiting for all pages
			r.waits(fmt.Sprint("L", l), false)
		}
		began := cputime(t)
		r.waits("L0P0", false)
		if took := cputime(t) - began; took > crowdWithin {
			t.Errorf("one message took %v", took)
		}
	})
}

// TestR151EndOfACrowdIsQuick has a Client leave with thousands of sessions.
func TestR151EndOfACrowdIsQuick(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const n = 4096
		r := greeted(t, Options{})
		r.clients("a")
		for i := range n {
			session := fmt.Sprint("N", i)
			r.attached("A", session, "T0", "page")
			r.must(session, "Browser.setDownloadBehavior", `{"behavior":"deny"}`)
			r.must(session, "Page.printToPDF", "")
		}
		began := cputime(t)
		r.hub.release("a")
		if took := cputime(t) - began; took > crowdWithin {
			t.Errorf("the end of %d sessions took %v", n, took)
		}
	})
}
