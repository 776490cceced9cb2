package chrome

import (
	"errors"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/cdphub/cdphub/bridge"
	"github.com/cdphub/cdphub/internal/wire"
)

func TestHostEntersWithWhatTheBrowserTells(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, Options{})
		r.wantSent(
			`{"id":-1,"method":"Browser.getVersion","params":{}}`,
			`{"id":-2,"method":"Target.getBrowserContexts","params":{}}`,
			`{"id":-3,"method":"Browser.setDownloadBehavior","params":{"behavior":"deny","eventsEnabled":true}}`,
			`{"id":-4,"method":"Target.setDiscoverTargets","params":{"discover":true,"filter":[{}]}}`,
		)
		r.says(
			`{"id":-1,"result":{"product":"Chrome/156","userAgent":"UA"}}`,
			`{"id":-2,"result":{"browserContextIds":[]}}`,
			`{"method":"Target.targetCreated","params":{"targetInfo":{"targetId":"B","type":"browser"}}}`,
			`{"method":"Target.targetCreated","params":{"targetInfo":{"targetId":"TAB","type":"tab"}}}`,
			`{"method":"Target.targetCreated","params":{"targetInfo":{"targetId":"P","type":"page","url":"u","openerId":"O"}}}`,
			`{"method":"Target.targetCreated","params":{"targetInfo":{"targetId":"Q","type":"page"}}}`,
			`{"method":"Target.targetInfoChanged","params":{"targetInfo":{"targetId":"P","type":"page","title":"t","url":"v"}}}`,
			`{"method":"Target.targetDestroyed","params":{"targetId":"Q"}}`,
		)
		r.wantTold()
		r.says(`{"id":-4,"result":{}}`)
		r.wantTold("host")
		_, browser := r.hub.host.(bridge.BrowserSessions)
		if a := r.hub.said; !browser || a.Version.Product != "Chrome/156" || a.Version.UserAgent != "UA" || len(a.Targets) != 1 ||
			a.Targets[0].ID != "P" || a.Targets[0].Title != "t" || a.Targets[0].URL != "v" {
			t.Errorf("announced %+v", a)
		}
		r.says(
			`{"method":"Target.targetCreated","params":{"targetInfo":{"targetId":"W","type":"worker"}}}`,
			`{"method":"Target.targetInfoChanged","params":{"targetInfo":{"targetId":"TAB","type":"page","title":"a tab that ends"}}}`,
			`{"method":"Target.targetInfoChanged","params":{"targetInfo":{"targetId":"W","type":"worker","title":"n"}}}`,
			`{"method":"Target.targetDestroyed","params":{"targetId":"W"}}`,
			`{"method":"Target.targetDestroyed","params":{"targetId":"TAB"}}`,
		)
		r.wantTold("created W worker", "changed W n", "gone W")
		r.cancel()
		r.wantTold("host gone false")
	})
}

func TestHostEndsWithItsReason(t *testing.T) {
	refusal := errors.New("refused")
	for _, c := range []struct {
		name string
		do   func(*rig)
		want error
	}{
		{"replaced", func(r *rig) { r.hub.host.Close(bridge.ReasonReplaced) }, ErrReplaced},
		{"shutdown", func(r *rig) { r.hub.host.Close(bridge.ReasonShutdown) }, errShutdown},
		{"the browser ends", func(r *rig) { r.browser.die() }, errFakeGone},
		{"the browser speaks no CDP", func(r *rig) { r.says(`{"id":`) }, errNotCDP},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := greeted(t, Options{})
				c.do(r)
				if err := <-r.ended; !errors.Is(err, c.want) {
					t.Errorf("Serve = %v, want %v", err, c.want)
				}
				r.wantTold("host gone false")
			})
		})
	}
	t.Run("the hub refuses", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			r := newRig(t, Options{})
			r.hub.refuse = refusal
			r.says(`{"id":-4,"result":{}}`)
			if err := <-r.ended; !errors.Is(err, refusal) {
				t.Errorf("Serve = %v, want %v", err, refusal)
			}
			r.wantTold()
		})
	})
}

func TestCommandsWaitForTheirSession(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := greeted(t, Options{})
		r.hub.attach("s", "")
		r.hub.attach("p", "T0")
		r.must("s", "A.one", `{"a":1}`)
		r.must("p", "B.one", "")
		r.must("s", "A.two", "")
		r.wantSent(
			`{"id":-5,"method":"Target.attachToBrowserTarget","params":{}}`,
			`{"id":-6,"method":"Target.attachToTarget","params":{"targetId":"T0","flatten":true}}`,
		)
		r.says(
			`{"method":"Target.attachedToTarget","params":{"sessionId":"UP","targetInfo":{"targetId":"x","type":"browser"}}}`,
			`{"id":-5,"result":{"sessionId":"UP"}}`,
		)
		r.must("s", "A.three", "")
		r.wantSent(
			`{"id":1,"method":"A.one","params":{"a":1},"sessionId":"UP"}`,
			`{"id":3,"method":"A.two","params":{},"sessionId":"UP"}`,
			`{"id":4,"method":"A.three","params":{},"sessionId":"UP"}`,
		)
		r.says(
			`{"id":-6,"result":{"sessionId":"UP2"}}`,
			`{"id":3,"error":{"code":-32000,"message":"no"},"sessionId":"UP"}`,
			`{"id":1,"result":{"x":[1,{}]},"sessionId":"UP"}`,
			`{"method":"A.happened","params":{"y":"}"},"sessionId":"UP"}`,
			`{"method":"B.happened","sessionId":"UP2"}`,
			`{"method":"B.happened","params":{},"sessionId":"nobody's"}`,
			`{"id":2,"error":{"code":-32001,"message":"Session with given id not found."}}`,
		)
		r.wantSent(`{"id":2,"method":"B.one","params":{},"sessionId":"UP2"}`)
		r.wantTold(
			`s 3 error {"code":-32000,"message":"no"}`,
			`s 1 {"x":[1,{}]}`,
			`s < A.happened {"y":"}"}`,
			`p < B.happened {}`,
		)
		r.refuses("other", "A.one", "", "-32001 Session with given id not found.")
	})
}

func TestCommandsThatWaitAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := greeted(t, Options{})
		r.hub.attach("s", "")
		large := `{"a":"` + strings.Repeat("x", maxLane/2) + `"}`
		r.must("s", "A.one", large)
		if err := r.hub.send("s", "A.two", large); !errors.Is(err, errLaneFull) {
			t.Errorf("Send = %v, want %v", err, errLaneFull)
		}
		r.must("s", "A.three", "")
	})
}

func TestSessionThatCannotAttachEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := greeted(t, Options{})
		r.hub.attach("s", "T9")
		r.must("s", "Target.createBrowserContext", "")
		r.says(`{"id":-5,"error":{"code":-32602,"message":"No target with given id found"}}`)
		r.wantTold("closed s")
		r.wantSent(`{"id":-5,"method":"Target.attachToTarget","params":{"targetId":"T9","flatten":true}}`)
		r.refuses("s", "A.one", "", "-32001 ")
	})
}

func TestReleaseEndsTheSession(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := greeted(t, Options{})
		r.clients("a")
		r.hub.release("a")
		r.hub.release("a")
		r.hub.release("unknown")
		r.wantSent(`{"id":-6,"method":"Target.detachFromTarget","params":{"sessionId":"A"}}`)
		r.says(
			`{"method":"A.happened","params":{},"sessionId":"A"}`,
			`{"method":"Target.attachedToTarget","params":{"sessionId":"N","targetInfo":{"targetId":"T0","type":"page"}},"sessionId":"A"}`,
			`{"method":"Target.detachedFromTarget","params":{"sessionId":"A"}}`,
			`{"id":-6,"result":{}}`,
		)
		r.wantTold()
	})
}

func TestReleaseBeforeTheSessionHasAttached(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := greeted(t, Options{})
		r.hub.attach("a", "")
		r.hub.attach("b", "T9")
		r.must("a", "A.one", "")
		r.hub.release("a")
		r.hub.release("b")
		r.forget()
		r.says(`{"id":-5,"result":{"sessionId":"A"}}`, `{"id":-6,"error":{"code":-32602,"message":"No"}}`)
		r.wantSent(`{"id":-7,"method":"Target.detachFromTarget","params":{"sessionId":"A"}}`)
		r.wantTold()
	})
}

func TestSessionsBornInside(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := greeted(t, Options{})
		r.clients("a")
		page := `{"sessionId":"P","targetInfo":{"targetId":"T0","type":"page","browserContextId":"D"},"waitingForDebugger":true}`
		frame := `{"sessionId":"F","targetInfo":{"targetId":"T1","type":"iframe","browserContextId":"D"}}`
		r.says(
			`{"method":"Target.attachedToTarget","params":`+page+`,"sessionId":"A"}`,
			`{"method":"Target.attachedToTarget","params":`+frame+`,"sessionId":"P"}`,
			`{"method":"Page.loaded","params":{},"sessionId":"F"}`,
		)
		r.must("F", "Page.enable", "")
		r.wantSent(`{"id":1,"method":"Page.enable","params":{},"sessionId":"F"}`)
		r.wantTold(
			"opened P in a: page T0", "a < Target.attachedToTarget "+page,
			"opened F in P: iframe T1", "P < Target.attachedToTarget "+frame,
			"F < Page.loaded {}",
		)
		r.says(`{"method":"Target.detachedFromTarget","params":{"sessionId":"P","targetId":"T0"},"sessionId":"A"}`)
		r.wantTold("closed P", `a < Target.detachedFromTarget {"sessionId":"P","targetId":"T0"}`)
		r.refuses("F", "Page.enable", "", "-32001 ") // it was in P
		r.says(`{"method":"Target.detachedFromTarget","params":{"sessionId":"F"},"sessionId":"P"}`, `{"method":"Page.loaded","params":{},"sessionId":"F"}`)
		r.wantTold()
	})
}

// TestR68SessionThatTheHubRefuses lets its page go on, and ends in the browser.
func TestR68SessionThatTheHubRefuses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := greeted(t, Options{})
		r.clients("a")
		r.must("a", "Target.setAutoAttach", `{"autoAttach":true,"waitForDebuggerOnStart":true,"flatten":true}`)
		r.forget()
		r.hub.crowded = true
		r.says(`{"method":"Target.attachedToTarget","params":{"sessionId":"P","targetInfo":{"targetId":"T9","type":"page","browserContextId":"D"},"waitingForDebugger":true},"sessionId":"A"}`)
		r.wantTold()
		r.refuses("P", "Page.enable", "", "-32001 ")
		r.wantSent(`{"id":-6,"method":"Runtime.runIfWaitingForDebugger","params":{},"sessionId":"P"}`,
			`{"id":-7,"method":"Target.detachFromTarget","params":{"sessionId":"P"},"sessionId":"A"}`)
		// Another Client waits for this page: only then the session ends.
		r.hub.crowded = false
		r.clients("b")
		r.must("b", "Target.setAutoAttach", `{"autoAttach":true,"waitForDebuggerOnStart":true,"flatten":true}`)
		r.says(`{"method":"Target.attachedToTarget","params":{"sessionId":"Q","targetInfo":{"targetId":"T8","type":"page","browserContextId":"D"},"waitingForDebugger":true},"sessionId":"B"}`)
		r.forget()
		r.hub.crowded = true
		r.says(`{"method":"Target.attachedToTarget","params":{"sessionId":"R","targetInfo":{"targetId":"T8","type":"page","browserContextId":"D"},"waitingForDebugger":true},"sessionId":"A"}`)
		r.wantSent()
		r.must("Q", resumeMethod, "")
		if sent := r.browser.text(); !strings.Contains(sent, `"params":{"sessionId":"R"},"sessionId":"A"`) {
			t.Errorf("the browser was sent %s: the session of a stays", sent)
		}
	})
}

func TestReleaseTakesWhatWasBornInside(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := greeted(t, Options{})
		r.clients("a", "b")
		r.says(
			`{"method":"Target.attachedToTarget","params":{"sessionId":"P","targetInfo":{"targetId":"T0","type":"page"}},"sessionId":"A"}`,
			`{"method":"Target.attachedToTarget","params":{"sessionId":"Q","targetInfo":{"targetId":"T0","type":"page"}},"sessionId":"B"}`,
		)
		r.forget()
		r.hub.release("a")
		r.says(`{"method":"X.y","params":{},"sessionId":"P"}`, `{"method":"X.y","params":{},"sessionId":"Q"}`)
		r.wantTold("Q < X.y {}")
		r.refuses("P", "X.y", "", "-32001 ")
		r.must("Q", "X.y", "")
	})
}

func TestTargetThatEndsClosesTheSessionOnIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := greeted(t, Options{})
		r.hub.attach("p", "T0")
		r.says(`{"id":-5,"result":{"sessionId":"P"}}`, `{"method":"Target.detachedFromTarget","params":{"sessionId":"P","targetId":"T0"}}`)
		r.wantTold("closed p")
	})
}

func TestNumbersStayWithinInt32(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := greeted(t, Options{})
		r.clients("a")
		for _, c := range []struct {
			call bridge.CallID
			sent string
		}{
			{1<<31 - 1, "2147483647"},
			{1 << 31, "0"},
			{1<<31 + 7, "7"},
			{5<<31 + 9, "9"},
		} {
			r.hub.calls = c.call - 1
			r.must("a", "X.y", "")
			if got := r.numberOf("X.y"); got != c.sent {
				t.Errorf("call %d went out as %s, want %s", c.call, got, c.sent)
			}
		}
		r.hub.calls++
		r.forget()
		r.must("a", "X.y", "")
		r.says(`{"id":9,"result":{},"sessionId":"A"}`, `{"id":11,"result":{},"sessionId":"A"}`)
		r.wantTold("a 10737418249 {}", "a 10737418251 {}")
	})
}

func TestFullConnection(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := greeted(t, Options{})
		r.clients("a")
		r.browser.full = true
		if err := r.hub.send("a", "X.y", ""); !errors.Is(err, errLaneFull) {
			t.Errorf("Send = %v, want %v", err, errLaneFull)
		}
		r.hub.release("a") // the Host's own commands have room
		r.wantSent(`{"id":-6,"method":"Target.detachFromTarget","params":{"sessionId":"A"}}`)
		r.wantTold()
	})
}

// TestReleaseAfterTheEnd sends commands to a browser that has just ended. They
// are not the reason of its end.
func TestReleaseAfterTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := greeted(t, Options{})
		r.clients("a")
		r.browser.end(errFakeGone)
		r.hub.release("a")
		if err := <-r.ended; !errors.Is(err, errFakeGone) {
			t.Errorf("Serve = %v, want %v", err, errFakeGone)
		}
		r.wantTold("host gone false")
	})
}

func TestPassingOnAllocatesNothing(t *testing.T) {
	h := newHost(nothing{}, &Options{}, nil, nil)
	h.events = nothing{}
	s := &session{id: "s"}
	s.client = s
	h.sessions["s"] = s
	h.flushLocked(s, "UP")
	event := []byte(`{"method":"Network.dataReceived","params":{"requestId":"1000.2","dataLength":512},"sessionId":"UP"}`)
	answer := []byte(`{"id":7,"result":{"a":[1,2,3]},"sessionId":"UP"}`)
	command := bridge.Command{Call: 7, SessionID: "s", Method: "Runtime.evaluate", Params: []byte(`{"expression":"1"}`)}
	for name, do := range map[string]func(){
		"an event":  func() { h.receive(event) },
		"an answer": func() { h.receive(answer) },
		"a command": func() {
			if err := h.Send(command); err != nil {
				t.Error(err)
			}
		},
	} {
		if n := testing.AllocsPerRun(100, do); n != 0 {
			t.Errorf("%s allocated %v times, want 0", name, n)
		}
	}
}

// nothing is a conn and a hub that do nothing.
type nothing struct {
	bridge.Events
}

func (nothing) Offer(*lane, wire.Frame) error                { return nil }
func (nothing) OfferOwn(*lane, wire.Frame) error             { return nil }
func (nothing) Hold(*lane, int) error                        { return nil }
func (nothing) Handled()                                     {}
func (nothing) Join(*lane, string)                           {}
func (nothing) Leave(*lane)                                  {}
func (nothing) Serve(receiver) error                         { return nil }
func (nothing) Close()                                       {}
func (nothing) SessionEvent(string, string, []byte)          {}
func (nothing) Result(bridge.CallID, string, []byte, []byte) {}
