package chrome

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

// TestR244MessagesAreNoSignOfLife wants an answer from a browser that sends events all the
// time.
func TestR244MessagesAreNoSignOfLife(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := greeted(t, Options{})
		r.clients("a")
		r.must("a", "X.y", "")
		r.after(tickEvery)
		r.wantSent(`{"id":1,"method":"X.y","params":{},"sessionId":"A"}`, `{"id":-6,"method":"Target.getTargets","params":{}}`)
		for range deadAfter - 1 {
			r.says(`{"method":"Target.targetInfoChanged","params":{"targetInfo":{"targetId":"T0","type":"page"}}}`,
				`{"method":"X.happened","params":{},"sessionId":"A"}`, `{"id":1,"result":{},"sessionId":"A"}`)
			r.after(tickEvery)
		}
		r.wantSent() // while the answer is due it is not asked again
		r.forget()
		r.after(tickEvery)
		select {
		case err := <-r.ended:
			if !errors.Is(err, errSilent) {
				t.Errorf("Serve = %v, want %v", err, errSilent)
			}
		default:
			t.Fatal("it goes on")
		}
		r.wantTold("a fails: "+errSilentCommand.Message, "host gone false")
	})
}

// TestR244BrowserThatAnswersLives however late it does.
func TestR244BrowserThatAnswersLives(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := greeted(t, Options{})
		r.clients("a")
		for range 3 {
			r.must("a", "X.y", "")
			r.after(tickEvery)
			r.after((deadAfter - 1) * tickEvery)
			r.says(`{"id":` + r.numberOf("Target.getTargets") + `,"error":{"code":-32000,"message":"no"}}`)
			r.forget()
		}
		r.after(tickEvery)
		r.wantSent()
	})
}

// TestSilentBrowserIsAsked only once in a while, and ends if it does not answer.
func TestSilentBrowserIsAsked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := greeted(t, Options{})
		r.after(tickEvery) // it was greeted meanwhile
		r.wantLook()
		for range 3 {
			r.says(`{"id":` + r.numberOf("Target.getTargets") + `,"result":{"targetInfos":[]}}`)
			r.forget()
			r.after(askSilent * tickEvery)
			r.wantSent()
			r.after(tickEvery)
			r.wantLook()
		}
		began := time.Now()
		if err := <-r.ended; !errors.Is(err, errSilent) {
			t.Errorf("Serve = %v, want %v", err, errSilent)
		}
		if got, want := time.Since(began), deadAfter*tickEvery; got != want {
			t.Errorf("it was given up after %v, want %v", got, want)
		}
		r.wantTold("host gone false")
	})
}

// after lets time pass.
func (r *rig) after(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

// wantLook checks that the browser has been asked for its targets and nothing
// else.
func (r *rig) wantLook() {
	r.Helper()
	n := r.numberOf("Target.getTargets")
	r.browser.mu.Lock()
	defer r.browser.mu.Unlock()
	if want := `{"id":` + n + `,"method":"Target.getTargets","params":{}}`; len(r.browser.sent) != 1 || r.browser.sent[0] != want {
		r.Errorf("the browser was sent %q, want %s", r.browser.sent, want)
	}
}

// TestTargetsAreLookedAtWhileTheBrowserIsInUse changes a title, for which
// Chromium sends no event.
func TestTargetsAreLookedAtWhileTheBrowserIsInUse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := withContext(t, Options{})
		r.forget()
		r.after(tickEvery)
		n := r.numberOf("Target.getTargets")
		r.says(`{"method":"Page.loadEventFired","params":{},"sessionId":"A"}`, `{"method":"Page.loadEventFired","params":{},"sessionId":"A"}`)
		r.forget()
		r.after(tickEvery)
		r.wantSent() // the first look is still to be answered
		r.says(`{"id":` + n + `,"result":{"targetInfos":[{"targetId":"T0","type":"page","title":"new","browserContextId":"D"},` +
			`{"targetId":"TA","type":"page","title":"new","browserContextId":"CA"},{"targetId":"unknown","type":"page"}]}}`)
		r.wantTold("changed T0 new", "changed TA new")
		r.says(`{"method":"Target.targetInfoChanged","params":{"targetInfo":{"targetId":"T0","type":"other","title":"new","browserContextId":"D"}}}`)
		r.wantTold() // nothing new
	})
}

func TestBrowserThatNeverSpeaksIsGivenUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, Options{})
		if err := <-r.ended; !errors.Is(err, errSilent) {
			t.Errorf("Serve = %v, want %v", err, errSilent)
		}
		r.wantTold()
	})
}
