package chrome

import (
	"bytes"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/cdphub/cdphub/bridge"
	"github.com/cdphub/cdphub/internal/wire"
)

// cut has the browser say something that is too large. What is in the middle is not
// kept.
func (r *rig) cut(head, tail string) {
	r.says("CUT " + head + strings.Repeat("x", 4<<10) + tail)
}

// TestR240WhatIsTooLargeConcernsItsSession has a browser send answers and events that are
// too large, with texts of pages in them that look like the end of another message.
func TestR240WhatIsTooLargeConcernsItsSession(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := greeted(t, Options{})
		r.clients("a", "b")
		r.attaches("A", "P", "T0")
		r.must("P", "Runtime.evaluate", "")
		r.forget()
		r.cut(`{"id":`+itoa(r.hub.calls)+`,"result":{"result":{"value":{"s":"`, `","sessionId":"B"}}},"sessionId":"P"}`)
		r.wantTold(`P 1 error {"code":-32000,"message":"` + errAnswerTooLarge.Message + `"}`)
		r.cut(`{"method":"Runtime.consoleAPICalled","params":{"args":["`, `"]},"sessionId":"B\"}"},"sessionId":"P"}`)
		r.wantTold(
			`P < Inspector.detached {"reason":"`+errEventTooLarge.Message+`"}`,
			`a < Target.detachedFromTarget {"sessionId":"P","targetId":"T0"}`,
			"P fails: "+errEventTooLarge.Message,
			"closed P",
		)
		r.wantSent(`{"id":-7,"method":"Target.detachFromTarget","params":{"sessionId":"P"},"sessionId":"A"}`)
		r.cut(`{"method":"X.y","params":{"a":"`, `"},"sessionId":"P"}`)                // it has ended
		r.cut(`{"method":"X.y","params":{"a":"`, `"}}`)                                // of the root
		r.cut(`{"id":-99,"result":{"a":"`, `","sessionId":"A"}}`)                      // of the root
		r.cut(`{"sessionId":"B","method":"X.y","params":{"a":"`, `","b":12}`)          // cut short
		r.cut(`{"sessionId":"nobody's","id":1,"result":{"a":"`, `"},"sessionId":"A"}`) // the first counts: it is what Chromium never sends
		r.wantTold(`b < Inspector.detached {"reason":"`+errEventTooLarge.Message+`"}`, "b fails: "+errEventTooLarge.Message, "closed b")
	})
}

// TestR240LargePausedRequestsFail has the root get one that cannot be judged.
func TestR240LargePausedRequestsFail(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := greeted(t, Options{})
		r.cut(`{"method":"Fetch.requestPaused","params":{"requestId":"interception-job-7.0","request":{"postData":"`, `"}}}`)
		r.wantSent(`{"id":-5,"method":"Fetch.failRequest","params":{"requestId":"interception-job-7.0","errorReason":"BlockedByClient"}}`)
	})
}

// TestR240MessageWithoutANameEndsTheBrowser since a command would wait for ever.
func TestR240MessageWithoutANameEndsTheBrowser(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := greeted(t, Options{})
		r.cut(`{"result":"`, `","id":7}`)
		if err := <-r.ended; err != errNotCDP { //nolint:errorlint // it is this one
			t.Errorf("Serve = %v, want %v", err, errNotCDP)
		}
	})
}

// TestR241LargeCommandsAreMeasuredAsTheyLeave with what the hub adds to them, whether their
// session is attached or not.
func TestR241LargeCommandsAreMeasuredAsTheyLeave(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := greeted(t, Options{})
		r.clients("a")
		r.hub.attach("b", "")
		params := `{"expression":"` + strings.Repeat("x", 100<<20-len(`{"id":1,"method":"Runtime.evaluate","params":{"expression":""}}`)) + `"}`
		r.refuses("b", "Runtime.evaluate", params, "-32000 "+errTooLarge.Message)
		o := newOutbox()
		err := o.Offer(new(lane), wire.Frame{Head: []byte(`{"id":1,"method":"Runtime.evaluate","params":`), Body: []byte(params), Tail: wire.SessionTail(strings.Repeat("A", 32))})
		if err != errTooLarge { //nolint:errorlint // it is this one
			t.Errorf("Offer = %v, want %v", err, errTooLarge)
		}
	})
}

// TestR240R241ChromiumSurvivesWhatIsLarge has a browser send and get what is too large.
// Another Client is answered behind each.
func TestR240R241ChromiumSurvivesWhatIsLarge(t *testing.T) {
	o := shellOptions(t)
	o.limit = lowLimit
	testLargeMessages(t, serveLive(t, Serve, o))
}

// TestR240R241ChromiumAtAURLSurvivesWhatIsLarge is the same over a WebSocket.
func TestR240R241ChromiumAtAURLSurvivesWhatIsLarge(t *testing.T) {
	o := shellOptions(t)
	o.Profile, o.Args = t.TempDir(), []string{"--remote-debugging-port=0"}
	newClient(t, launchOne(t, o)).product()
	testLargeMessages(t, serveLive(t, Serve, Options{URL: awaitPort(t, o.Profile), limit: lowLimit}))
}

// lowLimit is a limit for answers that a browser reaches quickly.
const lowLimit = 16 << 20

func testLargeMessages(t *testing.T, h *liveHub) {
	h.attach("a", "b")
	_, page := h.page("a", "about:blank", "")
	_, other := h.page("b", "about:blank", "")
	lives := func(after string) {
		t.Helper()
		if got := h.eval(other, "6*7"); got != "42" || h.gone > 0 {
			t.Fatalf("after %s the other page says %s, and %d browsers have ended", after, got, h.gone)
		}
	}
	if got := h.answer(page, "Runtime.evaluate", `{"expression":"'x'.repeat(17<<20)"}`); !strings.Contains(got, errAnswerTooLarge.Message) {
		t.Errorf("17 MiB are answered with %.300s", got)
	}
	lives("an answer of 17 MiB")
	if got := h.answer(page, "Runtime.evaluate", `{"expression":"'y'.repeat(15<<20).length"}`); !strings.Contains(got, `"value":15728640`) {
		t.Errorf("the session goes on with %.300s", got)
	}
	const around = `{"id":1000,"method":"Runtime.evaluate","params":,"sessionId":"0123456789ABCDEF0123456789ABCDEF"}`
	for _, size := range []int{100 << 20, maxSent - len(around) - tailRoom} {
		params := `{"expression":"/*` + strings.Repeat("z", size-len(`{"expression":"/**/6*7"}`)) + `*/6*7"}`
		got := h.answer(page, "Runtime.evaluate", params)
		if fits := size < 100<<20; fits != strings.Contains(got, `"value":42`) || fits == strings.Contains(got, errTooLarge.Message) {
			t.Errorf("a command of %d bytes is answered with %.300s", size, got)
		}
		lives("a command of 100 MiB")
	}
	h.call(page, "Runtime.enable", "{}", "")
	h.answer(page, "Runtime.evaluate", `{"expression":"setTimeout(() => console.log('x'.repeat(17<<20)), 0); 0"}`)
	if e := h.awaitEvent(page, "Inspector.detached"); !strings.Contains(e.params, "larger than") {
		t.Errorf("the session ends with %+v", e)
	}
	h.awaitEvent("a", "Target.detachedFromTarget", page)
	lives("console.log of 17 MiB")
}

// TestR241ChromiumTakesTheLargestMessage that is offered to it.
func TestR241ChromiumTakesTheLargestMessage(t *testing.T) {
	c := newClient(t, launchOne(t, shellOptions(t)))
	const head, tail = `{"id":7,"method":"Browser.getVersion",`, `"params":{}}`
	spaces := bytes.Repeat([]byte(" "), maxSent-len(head)-len(tail)-1)
	f := wire.Frame{Head: []byte(head), Body: spaces, Tail: []byte(tail)}
	if err := c.conn.Offer(new(lane), f); err != nil {
		t.Fatal(err)
	}
	select {
	case m := <-c.messages:
		if !strings.HasPrefix(m, `{"id":7,"result":`) {
			t.Errorf("the answer is %.200s", m)
		}
	case err := <-c.ended:
		t.Fatal(err)
	}
}

// TestR242ChromiumTakesFullSockets has one Client send 100 MB on three sockets, each of which
// is a Client to the Host.
func TestR242ChromiumTakesFullSockets(t *testing.T) {
	h := serveLive(t, Serve, shellOptions(t))
	h.attach("victim")
	_, other := h.page("victim", "about:blank", "")
	params := `{"expression":"/*` + strings.Repeat("z", 95<<20) + `*/6*7"}`
	var calls []bridge.CallID
	for _, s := range []string{"a", "b", "c"} {
		h.attach(s)
		_, page := h.page(s, "about:blank", "")
		calls = append(calls, h.send(page, "Runtime.evaluate", params))
		if got := h.eval(other, "6*7"); got != "42" {
			t.Errorf("the victim's page says %s", got)
		}
	}
	h.await("answers", func() bool {
		return h.results[calls[0]] != "" && h.results[calls[1]] != "" && h.results[calls[2]] != ""
	})
	for _, call := range calls {
		if got := h.results[call]; !strings.Contains(got, `"value":42`) && !strings.Contains(got, "has yet to take") {
			t.Errorf("a command of 95 MiB is answered with %.300s", got)
		}
	}
	if h.gone > 0 {
		t.Error("the browser has ended")
	}
}
