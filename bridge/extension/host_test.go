package extension

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/cdphub/cdphub/bridge"
	"github.com/cdphub/cdphub/internal/limittest"
	"github.com/cdphub/cdphub/internal/wsconn"
)

// TestR412OneTab has Clients come and go: the extension is attached from the first to the last.
func TestR412OneTab(t *testing.T) {
	play(t, func(w *world) {
		p := w.shares()
		w.attached("S", "agent")
		w.send(1, "S", "Page.enable", `{}`) // waits until the extension has attached
		w.want(`> {"kind":"attach","id":1,"target":"T"}`, `> {"kind":"drivers","target":"T","clients":["agent"]}`)
		p.say(`{"kind":"event","target":"T","method":"Page.loadEventFired","params":{}}`) // of a session before
		p.say(`{"kind":"answer","id":1,"result":{}}`)
		w.want(`> {"kind":"cdp","id":2,"target":"T","method":"Page.enable","params":{}}`)
		p.say(`{"kind":"answer","id":2}`)
		p.say(`{"kind":"event","target":"T","method":"Page.loadEventFired","params":{"timestamp":1}}`)
		w.want("result 1 S{}", `event S Page.loadEventFired {"timestamp":1}`)

		w.attached("S2", "agent")
		w.attached("S3", "") // what shows the tab in the dashboard is no driver
		w.want(`> {"kind":"drivers","target":"T","clients":["agent"]}`, `> {"kind":"drivers","target":"T","clients":["agent"]}`)
		w.send(2, "S2", "Runtime.evaluate", `{"expression":"1"}`)
		w.want(`> {"kind":"cdp","id":3,"target":"T","method":"Runtime.evaluate","params":{"expression":"1","objectGroup":"2:"}}`)
		p.say(`{"kind":"answer","id":3,"error":{"code":-32000,"message":"no"}}`)
		w.want(`result 2 S2{"code":-32000,"message":"no"}`)
		w.send(3, "S9", "Page.enable", `{}`)
		w.want("refused 3 Session with given id not found.")

		w.host.Release("S", "T")
		w.host.Release("S3", "T")
		w.want(`> {"kind":"drivers","target":"T","clients":["agent"]}`, `> {"kind":"cdp","id":4,"target":"T","method":"Page.disable","params":{}}`,
			`> {"kind":"drivers","target":"T","clients":["agent"]}`)
		w.host.Release("S2", "T")
		w.want(`> {"kind":"detach","target":"T"}`, `> {"kind":"drivers","target":"T","clients":[]}`)
		p.say(`{"kind":"answer","id":4,"result":{}}`) // to a session that has ended
		w.want()
		p.far.Close(wsconn.ReasonNormal)
		w.want("host gone, may return: false")
	})
}

// TestR412Ends tells Clients why a tab is theirs no more.
func TestR412Ends(t *testing.T) {
	for _, tt := range []struct {
		name, says string
		want       []string
	}{
		{"the user stops", `{"kind":"gone","target":"T","reason":"The user has stopped sharing this tab."}`, []string{
			"fail S The user has stopped sharing this tab.", `event S Inspector.detached {"reason":"The user has stopped sharing this tab."}`, "gone T",
		}},
		{"another list", `{"kind":"tabs","tabs":[{"target":"T2","url":"about:blank"}]}`, []string{
			"fail S The user has stopped sharing this tab, or has closed it.", `event S Inspector.detached {"reason":"The user has stopped sharing this tab, or has closed it."}`,
			"gone T", "created T2  about:blank",
		}},
		{"an unknown tab", `{"kind":"gone","target":"U","reason":"x"}`, nil},
		{"the attachment is lost", `{"kind":"detached","target":"T","reason":"target_closed"}`, []string{`> {"kind":"attach","id":2,"target":"T"}`}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			play(t, func(w *world) {
				p := w.shares()
				w.drives(p)
				p.say(tt.says)
				w.want(tt.want...)
				p.far.Close(wsconn.ReasonNormal)
				w.want("host gone, may return: false")
			})
		})
	}
}

// TestR412Refused has the browser refuse to attach: the tab is not shared any more, and the Client and the extension get
// the reason.
func TestR412Refused(t *testing.T) {
	play(t, func(w *world) {
		p := w.shares()
		w.attached("S", "agent")
		w.send(7, "S", "Page.enable", `{}`)
		w.want(`> {"kind":"attach","id":1,"target":"T"}`, `> {"kind":"drivers","target":"T","clients":["agent"]}`)
		p.say(`{"kind":"answer","id":1,"error":{"code":-32000,"message":"Cannot access a chrome:// URL"}}`)
		const why = "The browser does not let this tab be driven: Cannot access a chrome:// URL"
		w.want("fail S "+why, `event S Inspector.detached {"reason":"`+why+`"}`, "gone T", `> {"kind":"stop","target":"T","reason":"`+why+`"}`)
		w.refuses["T3"] = true
		p.say(`{"kind":"tab","tab":{"target":"T3"}}`)
		w.want("created T3", `> {"kind":"stop","target":"T3","reason":"The hub has too many tabs, or another extension shares this one."}`)
		p.far.Close(wsconn.ReasonNormal)
		w.want("host gone, may return: false")
	})
}

// TestR412Close is Target.closeTarget.
func TestR412Close(t *testing.T) {
	play(t, func(w *world) {
		p := w.shares()
		w.send(1, "", "Target.closeTarget", `{"targetId":"T"}`)
		w.send(2, "", "Target.closeTarget", `{"targetId":"U"}`)
		w.want(`> {"kind":"close","id":1,"target":"T"}`, "refused 2 No target with given id found")
		p.say(`{"kind":"answer","id":1,"result":{}}`)
		w.want(`result 1 {"success":true}`)
		p.say(`{"kind":"tab","tab":{"target":"T4"}}`)
		w.send(5, "", "Target.closeTarget", `{"targetId":"T4"}`)
		w.want("created T4", `> {"kind":"close","id":2,"target":"T4"}`)
		p.say(`{"kind":"gone","target":"T4","reason":"The tab has been closed."}`)
		w.want(`result 5 {"success":true}`, "gone T4")
		p.say(`{"kind":"answer","id":2,"result":{}}`)
		w.send(3, "", "Target.closeTarget", `{"targetId":"T"}`)
		w.want(`> {"kind":"close","id":3,"target":"T"}`)
		p.far.Close(wsconn.Reason{Code: 1001})
		w.want("> closed 1001 ", `result 3 {"code":-32000,"message":"`+errAway.Message+`"}`)
		w.send(4, "", "Target.closeTarget", `{"targetId":"T"}`)
		w.want("refused 4 " + errAway.Message)
		w.wait(31 * time.Second)
		w.want("host gone, may return: false")
	})
}

// TestR412Returns has the browser end the extension's worker. Its Clients keep their sessions, and the next worker gets all
// that they have set.
func TestR412Returns(t *testing.T) {
	play(t, func(w *world) {
		p := w.shares()
		w.drives(p)
		w.send(1, "S", "Runtime.enable", `{}`)
		w.want(`> {"kind":"cdp","id":2,"target":"T","method":"Runtime.enable","params":{}}`)
		p.say(`{"kind":"answer","id":2,"result":{}}`)
		w.send(2, "S", "Runtime.evaluate", `{"expression":"1"}`)
		w.want("result 1 S{}", `> {"kind":"cdp","id":3,"target":"T","method":"Runtime.evaluate","params":{"expression":"1","objectGroup":"1:"}}`)

		p.far.Close(wsconn.Reason{Code: 1001}) // so a worker ends
		w.want("> closed 1001 ", `result 2 S{"code":-32000,"message":"Detached while handling command."}`, "event S Runtime.executionContextsCleared {}")
		w.send(3, "S", "Runtime.evaluate", `{"expression":"2"}`) // waits
		if w.released != 0 {
			t.Error("the hub may have ended meanwhile")
		}
		p = w.connect()
		p.say(hello)
		w.want(welcome)
		p.say(`{"kind":"tabs","tabs":[{"target":"T","url":"http://a/","title":"one"}]}`)
		w.want("created T one http://a/", `> {"kind":"attach","id":4,"target":"T"}`, `> {"kind":"drivers","target":"T","clients":["agent"]}`)
		p.say(`{"kind":"answer","id":4,"result":{}}`)
		w.want(`> {"kind":"cdp","id":5,"target":"T","method":"Runtime.enable","params":{}}`,
			`> {"kind":"cdp","id":6,"target":"T","method":"Runtime.evaluate","params":{"expression":"2","objectGroup":"1:"}}`)
		p.say(`{"kind":"answer","id":3,"result":{}}`) // of the connection before
		p.say(`{"kind":"answer","id":6,"result":{}}`)
		w.want("result 3 S{}")

		// It comes again before the hub has noticed that it has gone.
		again := w.connect()
		again.say(hello)
		w.want("event S Runtime.executionContextsCleared {}", welcome, "> closed 4500 Host replaced by a newer connection")
		p.far.Close(wsconn.ReasonNormal)
		again.say(`{"kind":"tabs","tabs":[]}`)
		w.want("fail S The user has stopped sharing this tab, or has closed it.",
			`event S Inspector.detached {"reason":"The user has stopped sharing this tab, or has closed it."}`, "gone T")
		again.far.Close(wsconn.ReasonNormal)
		w.want("host gone, may return: false")
		if w.released != 3 {
			t.Errorf("%d connections have left the hub, want 3", w.released)
		}
	})
}

// TestR412GoesForGood has a lost extension not come back, one that says good-bye, and a hub that ends.
func TestR412GoesForGood(t *testing.T) {
	for why, waits := range map[wsconn.Reason]bool{
		wsconn.ReasonNormal: false, wsconn.ReasonTooSlow: true, wsconn.ReasonNoStatus: true, {Code: 1001}: true, wsconn.ReasonTokenRevoked: false, wsconn.ReasonDeleted: false,
	} {
		play(t, func(w *world) {
			p := w.shares()
			p.far.Close(why)
			w.wait(time.Second)
			w.mu.Lock()
			if gone := strings.Contains(strings.Join(w.lines, "\n"), "host gone"); gone == waits || w.released == 1 == waits {
				t.Errorf("after %v: the Host is gone: %v, released %d", why, gone, w.released)
			}
			w.mu.Unlock()
			w.wait(time.Minute)
			w.mu.Lock()
			defer w.mu.Unlock()
			if !strings.Contains(strings.Join(w.lines, "\n"), "host gone, may return: false") || w.released != 1 {
				t.Errorf("a minute after %v: %q, released %d", why, w.lines, w.released)
			}
		})
	}
	for why, code := range map[bridge.Reason]string{bridge.ReasonShutdown: "1001 shutting down", bridge.ReasonReplaced: "4500 Host replaced by a newer connection"} {
		play(t, func(w *world) {
			w.shares()
			w.host.Close(why)
			w.want("> closed "+code, "host gone, may return: false")
		})
	}
	play(t, func(w *world) {
		w.shares().far.Close(wsconn.Reason{Code: 1001})
		w.want("> closed 1001 ")
		w.host.Close(bridge.ReasonShutdown)
		w.want("host gone, may return: false")
	})
	play(t, func(w *world) {
		w.full = wsconn.ReasonHasBrowser
		w.connect().say(hello)
		w.want("> closed " + wsconn.ReasonHasBrowser.Error())
	})
	play(t, func(w *world) { // it owes a hello
		w.connect()
		w.wait(11 * time.Second)
		w.want("> closed 4502 no ready message")
	})
}

// TestR412Messages has an extension say what it may not.
func TestR412Messages(t *testing.T) {
	for _, message := range []string{
		``, `[]`, `{}`, `{"kind":"later"}`, `{"kind":"tabs"}`, `{"kind":"tabs","tabs":{}}`, `{"kind":"tab"}`, `{"kind":"tab","tab":{"target":""}}`, `{"kind":"tab","tab":[]}`,
		`{"kind":"tab","tab":{"target":"` + strings.Repeat("x", 257) + `"}}`, `{"kind":"answer"}`, `{"kind":"answer","id":"1"}`, `{"kind":"answer","id":99}`,
		`{"kind":"event","target":"T"}`, `{"kind":"event","target":"T","method":"a b"}`, `{"kind":"event","target":"T","method":"Page.a","params":[]}`,
		`{"kind":"event","target":"U","method":"Page.a","params":{}}`, `{"kind":"detached","target":"U"}`, `{"kind":"event","target":"T","method":"Page.a","params":{"a":}}`,
	} {
		play(t, func(w *world) {
			p := w.shares()
			w.drives(p)
			p.say(message)
			w.want()
			p.far.Close(wsconn.ReasonNormal)
			w.want("host gone, may return: false")
		})
	}
	for _, first := range []string{`{"kind":"tabs","tabs":[{"target":"T"}]}`, `{"kind":"event","target":"T","method":"Page.a"}`} {
		play(t, func(w *world) { // before its hello
			p := w.connect()
			p.say(first)
			w.want()
			p.far.Close(wsconn.ReasonNormal)
		})
	}
	for _, bad := range []string{`{"kind":"hello","v":2,"install":"` + install + `"}`, `{"kind":"hello","v":1}`, `{"kind":"hello","v":1,"install":7}`} {
		play(t, func(w *world) {
			w.connect().say(bad)
			w.want("> closed 4502 no ready message")
		})
	}
	play(t, func(w *world) { // answers that are none
		p := w.shares()
		w.drives(p)
		for id, answer := range []string{`"result":5`, `"error":"no"`, `"error":[]`} {
			w.send(bridge.CallID(id+1), "S", "DOM.getAttributes", `{}`)
			w.want(fmt.Sprintf(`> {"kind":"cdp","id":%d,"target":"T","method":"DOM.getAttributes","params":{}}`, id+2))
			p.say(fmt.Sprintf(`{"kind":"answer","id":%d,%s}`, id+2, answer))
			w.want(fmt.Sprintf("result %d S%s", id+1, invalid))
		}
		p.far.Close(wsconn.ReasonNormal)
		w.want("host gone, may return: false")
	})
}

// TestR296Limits goes to what an extension may say of itself.
func TestR296Limits(t *testing.T) {
	quoted := func(n int) []byte { return []byte(`"` + strings.Repeat("x", n) + `"`) }
	limittest.Reach(t, "maxProduct", maxProduct, func(n int) bool { return len((&message{product: quoted(n)}).version().Product) == n })
	limittest.Reach(t, "maxUserAgent", maxUserAgent, func(n int) bool { return len((&message{userAgent: quoted(n)}).version().UserAgent) == n })
	limittest.Reach(t, "maxReason", maxReason, func(n int) bool { return len(reasonOf(&message{reason: quoted(n)})) == n })
	limittest.Reach(t, "maxInstall", maxInstall, func(n int) bool { return isInstall(strings.Repeat("x", n)) })
	if isInstall(strings.Repeat("x", minInstall-1)) || !isInstall(strings.Repeat("x", minInstall)) {
		t.Error("minInstall is not held")
	}
	limittest.Reach(t, "maxSession", maxSession, func(n int) bool {
		return (&Host{tabs: map[string]*tab{}}).event("T", &message{method: []byte(`"Page.a"`), session: quoted(n)})
	})
}
