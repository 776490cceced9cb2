package journal

import (
	"cmp"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/cdphub/cdphub/relay"
	"github.com/cdphub/cdphub/relay/quota"
)

func TestEntries(t *testing.T) {
	play(t, Options{}, func(s *stage) {
		s.send("Page.navigate", `{"url":"https://user:pw@app.example/?token=abcdef&q=1"}`)
		s.event("Page.frameNavigated", `{"frame":{"id":"T0","url":"https://app.example/"}}`)
		s.event("Page.frameNavigated", `{"frame":{"id":"F2","parentId":"T0","url":"https://ads.example/"}}`)
		s.send("Runtime.callFunctionOn", `{"functionDeclaration":"() => 1"}`)
		s.click(10, 20)
		s.send("Input.insertText", `{"text":"hello"}`)
		s.keys("abc")
		s.send("Input.dispatchKeyEvent", `{"type":"rawKeyDown","key":"Enter"}`)
		s.send("Input.dispatchKeyEvent", `{"type":"keyDown","key":"a","modifiers":2}`)
		s.send("Input.dispatchMouseEvent", `{"type":"mouseWheel","x":1,"y":2,"deltaX":0,"deltaY":100}`)
		s.event("Runtime.consoleAPICalled", `{"type":"log","args":[{"type":"string","value":"a"},{"type":"number","value":2}]}`)
		s.event("Runtime.exceptionThrown", `{"exceptionDetails":{"text":"Uncaught","exception":{"type":"object","description":"Error: no"}}}`)
		s.event("Network.requestWillBeSent", `{"requestId":"1","type":"Fetch","request":{"url":"https://app.example/api","method":"POST","headers":{}}}`)
		s.event("Network.responseReceived", `{"requestId":"1","type":"Fetch","response":{"status":201,"headers":{}}}`)
		s.event("Network.loadingFinished", `{"requestId":"1","encodedDataLength":10}`)
		s.event("Page.javascriptDialogOpening", `{"type":"confirm","message":"Sure?"}`)
		s.send("Page.handleJavaScriptDialog", `{"accept":true,"promptText":"xyz"}`)
		s.event("Page.javascriptDialogClosed", `{"result":true}`)
		s.wants(
			"command: navigated to https://app.example/?token=[REDACTED]&q=1",
			"navigation: https://app.example/",
			"command: clicked at (10, 20)",
			"command: typed 5 characters",
			"command: typed 3 characters",
			"command: pressed Enter",
			"command: pressed Control+A",
			"command: scrolled by (0, 100) at (1, 2)",
			"console: a 2",
			"error: Uncaught Error: no",
			"request: POST https://app.example/api 201",
			"dialog: confirm opened: Sure?",
			"command: accepted the dialog, with 3 characters",
			"dialog: the dialog was accepted",
		)
		if method, _, ok := s.j.Last("h", "T0"); !ok || method != "Page.handleJavaScriptDialog" {
			t.Errorf("the last command is %q, want the dialog's answer", method)
		}
		list := s.j.Entries("h", "T0", 0, relay.Watcher{})
		if newer := s.j.Entries("h", "T0", list[2].Seq, relay.Watcher{}); len(newer) != len(list)-3 {
			t.Errorf("%d entries are newer than the third of %d", len(newer), len(list))
		}
		if late := s.j.Entries("h", "T0", math.MaxUint64, relay.Watcher{}); len(late) != 0 {
			t.Errorf("%d entries are newer than the largest number", len(late))
		}
	})
}

// TestPictures wants one picture for many actions, and another a second later.
func TestPictures(t *testing.T) {
	play(t, Options{}, func(s *stage) {
		for range 5 {
			s.click(1, 1)
		}
		s.pass(500 * time.Millisecond)
		s.click(2, 2)
		s.pass(300 * time.Millisecond)
		if n := s.pictures(); n != 1 {
			t.Errorf("%d pictures within a second, want 1", n)
		}
		s.pass(2 * time.Second)
		if n := s.pictures(); n != 2 {
			t.Errorf("%d pictures, want 2", n)
		}
	})
}

// TestPictureWaitsForTheDriver wants no picture between actions that follow each other,
// where a frame that draws would keep the next one waiting; but one a second at least.
func TestPictureWaitsForTheDriver(t *testing.T) {
	play(t, Options{}, func(s *stage) {
		for range 8 {
			s.click(1, 1)
			s.pass(100 * time.Millisecond)
		}
		if n := s.host.asked(capture); n != 0 {
			t.Errorf("%d pictures were asked for between actions, want none", n)
		}
		s.pass(400 * time.Millisecond)
		if n := s.host.asked(capture); n != 1 {
			t.Errorf("%d pictures were asked for after the last action, want 1", n)
		}
		for range 30 {
			s.click(1, 1)
			s.pass(100 * time.Millisecond)
		}
		if n := s.host.asked(capture); n < 3 {
			t.Errorf("%d pictures were asked for while a driver acted for 3 s, want one a second", n)
		}
	})
}

// TestPicturesTakeATenthOfThePage drives a frame that draws slowly for 40 s: it draws
// for no more than a tenth of the time.
func TestPicturesTakeATenthOfThePage(t *testing.T) {
	play(t, Options{}, func(s *stage) {
		s.host.drawsFor(500 * time.Millisecond)
		for range 400 {
			s.click(1, 1)
			s.pass(100 * time.Millisecond)
		}
		if n := s.host.asked(capture); n < 7 || n > 9 {
			t.Errorf("%d pictures of 500 ms in 40 s, want about 8", n)
		}
		s.host.drawsFor(15 * time.Second) // as while a dialog is open
		s.pass(20 * time.Second)
		before := s.host.asked(capture)
		s.host.drawsFor(0)
		s.click(1, 1)
		s.pass(12 * time.Second)
		if n := s.host.asked(capture) - before; n != 1 {
			t.Errorf("%d pictures after a page that had not answered for long, want 1", n)
		}
	})
}

// pictures counts the pictures that can be had.
func (s *stage) pictures() (n int) {
	for _, e := range s.j.Entries("h", "T0", 0, relay.Watcher{}) {
		if e.Picture && len(s.j.Picture("h", "T0", e.Seq, relay.Watcher{})) > 0 {
			n++
		}
	}
	return n
}

func TestTypingEndsWithAPause(t *testing.T) {
	play(t, Options{}, func(s *stage) {
		s.keys("ab")
		s.wants()
		s.pass(2 * time.Second)
		s.wants("command: typed 2 characters")
	})
}

// TestEventsComeOnce has two sessions on one target, each of which gets the event.
func TestEventsComeOnce(t *testing.T) {
	play(t, Options{}, func(s *stage) {
		first := s.host.session
		s.client.Receive([]byte(`{"id":2,"method":"Target.attachToTarget","params":{"targetId":"T0"}}`))
		second := s.host.session
		log := []byte(`{"type":"log","args":[{"type":"string","value":"once"}]}`)
		s.events.SessionEvent(first, "Runtime.consoleAPICalled", log)
		s.events.SessionEvent(second, "Runtime.consoleAPICalled", log)
		s.send("Target.detachFromTarget", `{}`)
		s.client.Receive(fmt.Appendf(nil, `{"id":3,"method":"Target.detachFromTarget","params":{"sessionId":%q}}`, first))
		s.events.SessionEvent(second, "Runtime.consoleAPICalled", []byte(`{"type":"log","args":[{"type":"string","value":"twice"}]}`))
		s.pass(time.Millisecond)
		s.wants("console: once", "console: twice")
	})
}

// TestR160WhatIsTypedIsNotKept types in every way, and has the page say it back in
// every way that a timeline has.
func TestR160WhatIsTypedIsNotKept(t *testing.T) {
	play(t, Options{}, func(s *stage) {
		const pw, name = "hunter2!", "Zaphod B"
		s.send("Input.insertText", `{"text":"`+pw+`"}`)
		s.keys("Zap")
		s.event("Network.requestWillBeSent", `{"requestId":"0","request":{"url":"https://a.example/?s=Zaph","method":"GET"}}`)
		s.keys("hod B")
		s.send("Page.handleJavaScriptDialog", `{"accept":true,"promptText":"prompted"}`)
		for _, said := range []string{pw, "HUNTER2!", name, "Zaphod+B", "prompted"} {
			s.event("Runtime.consoleAPICalled", `{"type":"log","args":[{"type":"string","value":"it was `+said+`."}]}`)
			s.event("Page.frameNavigated", `{"frame":{"id":"T0","url":"https://a.example/`+strings.ReplaceAll(said, " ", "%20")+`"}}`)
			s.event("Runtime.exceptionThrown", `{"exceptionDetails":{"text":"`+said+`"}}`)
			s.event("Network.requestWillBeSent", `{"requestId":"1","request":{"url":"https://a.example/?x=`+strings.ReplaceAll(said, " ", "+")+`","method":"GET"}}`)
			s.event("Network.loadingFailed", `{"requestId":"1","errorText":"`+said+`"}`)
			s.event("Page.javascriptDialogOpening", `{"type":"alert","message":"Hello `+said+`"}`)
		}
		s.event("Network.loadingFailed", `{"requestId":"0","errorText":"x"}`)
		all := fmt.Sprintf("%+v", s.j.Entries("h", "T0", 0, relay.Watcher{}))
		for _, secret := range []string{"hunter", "HUNTER", "Zaph", "zaph", "prompted"} {
			if strings.Contains(all, secret) {
				t.Errorf("the timeline has %q: %s", secret, all)
			}
		}
		if !strings.Contains(all, "typed 8 characters") {
			t.Errorf("the timeline does not say how much was typed: %s", all)
		}
	})
}

// TestR161AddressesAndHeadersGiveNoAccess has secrets in what a page asks for.
func TestR161AddressesAndHeadersGiveNoAccess(t *testing.T) {
	play(t, Options{Record: &Record{Dir: t.TempDir()}}, func(s *stage) {
		s.event("Network.requestWillBeSent", `{"requestId":"1","request":{"url":"https://u:topsecret@a.example/?access_token=topsecret","method":"GET",
			"headers":{"Authorization":"Bearer topsecrettopsecret","Cookie":"a=topsecret","X-Api-Key":"topsecret","Referer":"https://a.example/?password=topsecret"}}}`)
		s.event("Network.responseReceived", `{"requestId":"1","response":{"status":200,"headers":{"Set-Cookie":"sid=topsecret"}}}`)
		s.event("Network.loadingFinished", `{"requestId":"1"}`)
		s.send("Page.navigate", `{"url":"https://a.example/#id_token=topsecret"}`)
		s.event("Runtime.consoleAPICalled", `{"type":"log","args":[{"type":"string","value":"Bearer topsecrettopsecret"}]}`)
		s.pass(2 * time.Second)
		all := fmt.Sprintf("%+v", s.j.Entries("h", "T0", 0, relay.Watcher{})) + recorded(t, s.j.files.o.Dir)
		if strings.Contains(all, "topsecret") || !strings.Contains(all, "[REDACTED]") {
			t.Errorf("the timeline or its file has a secret: %s", all)
		}
	})
}

// TestR162NothingOfAHandoffIsKept has a person log in during a handoff.
func TestR162NothingOfAHandoffIsKept(t *testing.T) {
	play(t, Options{Record: &Record{Dir: t.TempDir()}}, func(s *stage) {
		lease := func(held bool) {
			s.j.Observe(s.hub)                                            // another Observer changes nothing
			s.hub.Control().Ask("", "", nil, func([]byte, *relay.Error) { // under the lock
				s.hub.Control().ObserveLease(relay.LeaseChange{TargetID: "T0", Name: "Ann", Handoff: true, Held: held})
			})
		}
		lease(true)
		s.click(3, 3)
		s.send("Input.insertText", `{"text":"hunter2"}`)
		s.event("Page.frameNavigated", `{"frame":{"id":"T0","url":"https://a.example/inside"}}`)
		s.pass(3 * time.Second)
		if n := s.pictures(); n != 0 {
			t.Errorf("%d pictures of a handoff", n)
		}
		s.host.answersWith("Runtime.evaluate", `{"result":{"value":{"log":[{"do":"select","values":["inside"],"on":{"css":"#s"},"ago":5}]}}}`)
		lease(false)
		s.click(4, 4)
		s.host.answersWith("Runtime.evaluate", `{"result":{"value":{}}}`)
		s.pass(2 * time.Second)
		s.wants("takeover: Ann has the page, as a Client has asked", "takeover: Ann gave the page back", "command: clicked at (4, 4)")
		if all := recorded(t, s.j.files.o.Dir); strings.Contains(all, "hunter") || strings.Contains(all, "inside") {
			t.Errorf("the file has what happened during a handoff: %s", all)
		}
	})
}

// TestR163TheRingIsBounded floods a timeline.
func TestR163TheRingIsBounded(t *testing.T) {
	const most = 256 << 10
	play(t, Options{Size: most, Memory: most}, func(s *stage) {
		text := `{"type":"log","args":[{"type":"string","value":"` + strings.Repeat("x", 500) + `"}]}`
		for range 100_000 {
			s.events.Event("T0", "Runtime.consoleAPICalled", []byte(text))
		}
		s.pass(time.Second)
		s.j.mu.Lock()
		defer s.j.mu.Unlock()
		if l := s.j.lines[lineKey{"h", "T0"}]; s.j.used() > most || l.ring.bytes != s.j.used() || len(l.ring.kept) == 0 {
			t.Errorf("%d bytes in the ring, %d counted, want at most %d", l.ring.bytes, s.j.used(), most)
		}
		s.j.queue.mu.Lock()
		defer s.j.queue.mu.Unlock()
		if len(s.j.queue.items) != 0 || len(s.j.queue.counts) != 0 {
			t.Errorf("%d items still wait", len(s.j.queue.items))
		}
	})
}

// TestR163TheLargestRingMakesRoom has one target use all the memory.
func TestR163TheLargestRingMakesRoom(t *testing.T) {
	play(t, Options{Size: 1 << 20, Memory: 100 << 10}, func(s *stage) {
		s.j.mu.Lock()
		defer s.j.mu.Unlock()
		quiet, loud := s.j.lineLocked(lineKey{"h", "quiet"}, quota.Payer{}, time.Now()), s.j.lineLocked(lineKey{"h", "loud"}, quota.Payer{}, time.Now())
		s.j.keepLocked(quiet, Entry{Kind: Console, Text: "stays"}, nil)
		for range 500 {
			s.j.keepLocked(loud, Entry{Kind: Picture}, make([]byte, 10<<10))
		}
		if s.j.used() > 100<<10 || len(quiet.ring.kept) != 1 {
			t.Errorf("%d bytes, and %d entries of the quiet target", s.j.used(), len(quiet.ring.kept))
		}
	})
}

// used is how many bytes all rings have.
func (j *Journal) used() int64 {
	return j.memory.Excess() + cmp.Or(j.o.Memory, quota.Table[quota.TimelineMemory].Total)
}

func TestOldEntriesGo(t *testing.T) {
	play(t, Options{Time: time.Minute}, func(s *stage) {
		s.click(1, 1)
		s.pass(50 * time.Second)
		s.click(2, 2)
		s.pass(15 * time.Second)
		s.wants("command: clicked at (2, 2)")
		s.pass(5 * time.Minute)
		s.j.mu.Lock()
		defer s.j.mu.Unlock()
		if len(s.j.lines) != 0 || s.j.used() != 0 {
			t.Errorf("%d timelines with %d bytes are left of what is over", len(s.j.lines), s.j.used())
		}
	})
}
