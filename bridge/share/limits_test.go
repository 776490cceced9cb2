package share

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/cdphub/cdphub/bridge"
	"github.com/cdphub/cdphub/internal/limittest"
	"github.com/cdphub/cdphub/internal/wire"
)

// newQuiet is a Tab with a Client A, whose browser takes commands and says nothing.
func newQuiet() (*Tab, *fake) {
	f := &fake{}
	tab := New(f, f)
	tab.Attach("A")
	return tab, f
}

func send(tab *Tab, method, params string) error {
	return tab.Send(bridge.Command{Call: 1, SessionID: "A", Method: method, Params: []byte(params)})
}

// TestR403Limits goes to what Clients, and pages, may have a Tab keep.
func TestR403Limits(t *testing.T) {
	limittest.Reach(t, "maxCalls", maxCalls, func(n int) bool {
		tab, _ := newQuiet()
		for range n - 1 {
			if err := send(tab, "Page.reload", `{}`); err != nil {
				return false
			}
		}
		return send(tab, "Page.reload", `{}`) == nil
	})
	limittest.Reach(t, "maxKept", maxKept, func(n int) bool {
		tab, f := newQuiet()
		const around = len(`{"source":""}`)
		err := send(tab, "Page.addScriptToEvaluateOnNewDocument", `{"source":"`+strings.Repeat("x", n-around-overhead)+`"}`)
		if err == nil {
			f.answer(t, tab, []byte(`{"identifier":"1"}`), nil)
			tab.Detach("A")
		}
		return err == nil
	})
	limittest.Reach(t, "maxItems", maxItems, func(n int) bool {
		tab, _ := newQuiet()
		c := tab.views["A"].client
		for range n {
			if c.keep(0) != nil {
				return false
			}
		}
		return true
	})
	limittest.Reach(t, "maxWaiting", maxWaiting, func(n int) bool {
		tab, _ := newQuiet()
		tab.Lost()
		const around = len(`{"url":""}`)
		return send(tab, "Page.navigate", `{"url":"`+strings.Repeat("x", n-around)+`"}`) == nil
	})
	limittest.Reach(t, "maxCached", maxCached, func(n int) bool {
		tab, _ := newQuiet()
		_ = send(tab, "Debugger.enable", `{}`)
		const around = len(`{"scriptId":"1","url":""}`)
		tab.Event("", "Debugger.scriptParsed", []byte(`{"scriptId":"1","url":"`+strings.Repeat("x", n-around-overhead)+`"}`))
		return len(tab.root.domains["Debugger"].cached) == 1
	})
	limittest.Reach(t, "maxMessages", maxMessages, func(n int) bool {
		tab, _ := newQuiet()
		_ = send(tab, "Log.enable", `{}`)
		for i := range n {
			tab.Event("", "Log.entryAdded", fmt.Appendf(nil, `{"entry":{"text":"%d"}}`, i))
		}
		return textOf(tab.root.domains["Log"].cached[0].params, "entry", "text") == "0" // the oldest is still there
	})
	limittest.Reach(t, "maxPaused", maxPaused, func(n int) bool {
		tab, _ := newQuiet()
		_ = send(tab, "Fetch.enable", `{}`)
		for i := range n {
			tab.Event("", "Fetch.requestPaused", fmt.Appendf(nil, `{"requestId":"%d","request":{"url":"u"}}`, i))
		}
		return len(tab.root.paused) == n
	})
	limittest.Reach(t, "maxShared", maxShared, func(n int) bool {
		tab, _ := newQuiet()
		tab.Attach("B")
		for _, id := range []string{"A", "B"} {
			_ = tab.Send(bridge.Command{SessionID: id, Method: "Runtime.enable"})
		}
		for _, v := range tab.root.views {
			v.domains["Runtime"].on = true
		}
		for i := range n {
			tab.Event("", "Runtime.exceptionThrown", fmt.Appendf(nil, `{"exceptionDetails":{"exception":{"objectId":"%d"}}}`, i))
		}
		return len(tab.root.shared) == n
	})
	limittest.Reach(t, "maxNodes", maxNodes, func(n int) bool {
		var known nodes
		known.reset()
		for i := range int64(n) {
			known.learn(i+1, i+1, 0)
		}
		return len(known.byBackend) == n
	})
	limittest.Reach(t, "maxFilter", maxFilter, func(n int) bool {
		tab, _ := newQuiet()
		const around = len(`[{"type":""}]`)
		return send(tab, "Target.setAutoAttach", `{"autoAttach":true,"filter":[{"type":"`+strings.Repeat("x", n-around)+`"}]}`) == nil
	})
	limittest.Reach(t, "maxDepth", maxDepth, func(n int) bool { return levelsOf(fmt.Appendf(nil, `{"depth":%d}`, n), 0) == n })
}

// TestR403RefusalsHoldNothing wants a Client that has been refused to go on, and to leave nothing.
func TestR403RefusalsHoldNothing(t *testing.T) {
	tab, f := newQuiet()
	big := `{"name":"f","x":"` + strings.Repeat("x", maxKept) + `"}`
	for method, params := range map[string]string{
		"Runtime.addBinding": big, "Page.enable": big, "Emulation.setTimezoneOverride": big, "Debugger.setBreakpoint": big, "Page.startScreencast": big,
		"Page.addScriptToEvaluateOnNewDocument": big, "Fetch.enable": `{"patterns":[{"urlPattern":"` + big[10:len(big)-20] + `"}]}`,
	} {
		if err := send(tab, method, params); !errors.Is(err, errFull) && err.Error() != errFull.Error() {
			t.Errorf("%s: %v", method, err)
		}
	}
	c := tab.views["A"].client
	if c.kept != 0 || c.items != 0 || len(f.calls) != 0 {
		t.Errorf("%d bytes and %d items are kept, %d commands were sent", c.kept, c.items, len(f.calls))
	}
	if err := send(tab, "Page.enable", `{}`); err != nil {
		t.Error(err)
	}
	f.answer(t, tab, wire.Empty, nil)
	tab.Detach("A")
	if c.kept != 0 || c.items != 0 || c.calls != 0 {
		t.Errorf("%d bytes, %d items and %d calls are left", c.kept, c.items, c.calls)
	}
}
