package scopes

import (
	"fmt"
	"strings"
	"testing"

	"github.com/cdphub/cdphub/internal/e2e/harness"
)

// TestR114ReadersPauseNothing has a reader ask for what pauses pages, in all the
// ways there are, while others go on.
func TestR114ReadersPauseNothing(t *testing.T) {
	s := newStage(t, harness.StartBrowserHub)
	boss := s.client("privileged")
	page, session := s.open(boss, s.site+"/shared", "")
	c := s.client("readonly")
	theirs := c.Attach(t, page)
	for _, in := range []string{"", theirs} {
		c.Call(t, in, "Target.setAutoAttach", object{"autoAttach": true, "waitForDebuggerOnStart": true, "flatten": true})
	}
	for method, params := range map[string]object{
		"Debugger.enable": nil, "Debugger.pause": nil, "Page.waitForDebugger": nil, "Fetch.enable": nil, "Emulation.setVirtualTimePolicy": {"policy": "pause"},
		"Emulation.setScriptExecutionDisabled": {"value": true}, "Runtime.terminateExecution": nil, "Page.setWebLifecycleState": {"state": "frozen"},
		"Page.captureScreenshot": {"captureBeyondViewport": true},
	} {
		if result, err := c.Try(t, theirs, method, params); err == nil {
			t.Errorf("%s answers %s", method, result)
		}
	}
	c.Call(t, theirs, "Page.enable", nil)
	want := `[true,"/popup","worker"]`
	got := ""
	harness.Eventually(t, harness.Soon, func() error {
		got = evaluateAsync(t, boss, session, `new Promise(async (done) => {
			debugger;
			const answer = confirm("a dialog that nobody answers") === false;
			const popup = open("/popup");
			const worker = new Worker(URL.createObjectURL(new Blob(["postMessage('worker')"])));
			const said = await new Promise((heard) => worker.onmessage = (e) => heard(e.data));
			while (!popup.document.title) await new Promise((next) => setTimeout(next, 10));
			done([answer, popup.document.title, said]);
		})`)
		if got != want {
			return fmt.Errorf("the page got %s, want %s", got, want)
		}
		return nil
	})
}

// TestR114WhoHeldPopupsLeaves has Clients that may hold new pages leave while they
// do: the pages go on.
func TestR114WhoHeldPopupsLeaves(t *testing.T) {
	s := newStage(t, harness.StartBrowserHub)
	boss := s.client("privileged")
	_, session := s.open(boss, s.site+"/shared", "")
	for round := range 6 {
		c := s.client("standard")
		c.Call(t, "", "Target.setAutoAttach", object{"autoAttach": true, "waitForDebuggerOnStart": true, "flatten": true})
		const open = `popups = [open("/popup"), open("about:blank"), open("data:,x")]; popups.length`
		if round%2 == 0 { // while a new page is held its opener waits
			boss.Send(t, session, "Runtime.evaluate", object{"expression": open})
		}
		boss.Send(t, "", "Target.createTarget", object{"url": "file://" + s.file})
		if round%2 == 1 {
			boss.Send(t, session, "Runtime.evaluate", object{"expression": open})
		}
		if round%3 > 0 {
			c.Await(t, "a page that waits", func(m harness.Message) bool {
				return m.Method == "Target.attachedToTarget" && strings.Contains(string(m.Params), `"waitingForDebugger":true`)
			})
		}
		c.Close()
		harness.Eventually(t, harness.Soon, func() error {
			if got := boss.Evaluate(t, session, "popups[0].document.title"); got != `"/popup"` {
				return fmt.Errorf("round %d: the popup has the title %s", round, got)
			}
			return nil
		})
		target := member(t, boss.Call(t, "", "Target.createTarget", object{"url": "file://" + s.file}), "targetId")
		fresh := boss.Attach(t, target)
		harness.Eventually(t, harness.Soon, func() error {
			if got := boss.Evaluate(t, fresh, "document.body ? document.body.innerText : ''"); !strings.Contains(got, secret) {
				return fmt.Errorf("round %d: a page of a file shows %s", round, got)
			}
			return nil
		})
		boss.Evaluate(t, session, "popups.forEach((p) => p && p.close())")
	}
}

// evaluateAsync is Evaluate for a promise.
func evaluateAsync(t *testing.T, c *harness.CDP, session, expression string) string {
	t.Helper()
	result := c.Call(t, session, "Runtime.evaluate", object{"expression": expression, "awaitPromise": true, "returnByValue": true, "userGesture": true})
	_, value, _ := strings.Cut(string(result), `"value":`)
	return strings.TrimSuffix(value, "}}")
}
