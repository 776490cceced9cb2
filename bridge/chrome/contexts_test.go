package chrome

import (
	"strings"
	"testing"
	"testing/synctest"
)

// withContext starts a Host with Clients a and b. Client a has made the
// context CA, with the page TA in it.
func withContext(t *testing.T, o Options) *rig {
	r := greeted(t, o)
	r.clients("a", "b")
	r.must("a", "Target.createBrowserContext", "")
	r.says(
		`{"id":1,"result":{"browserContextId":"CA"},"sessionId":"A"}`,
		`{"method":"Target.targetCreated","params":{"targetInfo":{"targetId":"TA","type":"page","browserContextId":"CA"}}}`,
	)
	r.hub.calls = 100
	return r
}

// ofTA is an event's params that show the private page.
const ofTA = `{"targetInfo":{"targetId":"TA","type":"page","browserContextId":"CA"}}`

func TestPrivateContextIsSeenByItsClientAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := withContext(t, Options{})
		r.wantTold(`a 1 {"browserContextId":"CA"}`, "created TA page of a")
		for _, s := range []string{"A", "B"} {
			r.says(
				`{"method":"Target.targetCreated","params":`+ofTA+`,"sessionId":"`+s+`"}`,
				`{"method":"Target.targetInfoChanged","params":`+ofTA+`,"sessionId":"`+s+`"}`,
				`{"method":"Target.targetCrashed","params":{"targetId":"TA"},"sessionId":"`+s+`"}`,
			)
		}
		r.says(
			`{"method":"Target.targetInfoChanged","params":`+ofTA+`}`,
			`{"method":"Target.targetDestroyed","params":{"targetId":"TA"}}`,
			`{"method":"Target.targetDestroyed","params":{"targetId":"TA"},"sessionId":"A"}`,
			`{"method":"Target.targetDestroyed","params":{"targetId":"TA"},"sessionId":"B"}`,
			`{"method":"Target.targetDestroyed","params":{"targetId":"T0"}}`,
			`{"method":"Target.targetDestroyed","params":{"targetId":"T0"},"sessionId":"B"}`,
		)
		r.wantTold(
			`a < Target.targetCreated `+ofTA,
			`a < Target.targetInfoChanged `+ofTA,
			`a < Target.targetCrashed {"targetId":"TA"}`,
			"gone TA",
			`a < Target.targetDestroyed {"targetId":"TA"}`,
			"gone T0",
			`b < Target.targetDestroyed {"targetId":"T0"}`,
		)
	})
}

func TestPrivateTargetIsLetGoOfUnseen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := withContext(t, Options{})
		r.forget()
		r.says(
			`{"method":"Target.attachedToTarget","params":{"sessionId":"PB","targetInfo":{"targetId":"TA","type":"page","browserContextId":"CA"},"waitingForDebugger":true},"sessionId":"B"}`,
			`{"method":"Page.loaded","params":{},"sessionId":"PB"}`,
			`{"id":-9,"result":{},"sessionId":"PB"}`,
			`{"method":"Target.detachedFromTarget","params":{"sessionId":"PB"},"sessionId":"B"}`,
		)
		r.wantSent(
			`{"id":-8,"method":"Runtime.runIfWaitingForDebugger","params":{},"sessionId":"PB"}`,
			`{"id":-9,"method":"Target.detachFromTarget","params":{"sessionId":"PB"},"sessionId":"B"}`,
		)
		r.wantTold()
		r.refuses("PB", "Page.enable", "", "-32001 ")
		params := `{"sessionId":"PA","targetInfo":{"targetId":"TA","type":"page","browserContextId":"CA"}}`
		r.says(`{"method":"Target.attachedToTarget","params":` + params + `,"sessionId":"A"}`)
		r.wantTold("opened PA in a: page TA", "a < Target.attachedToTarget "+params)
	})
}

func TestSharedHostHidesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := withContext(t, Options{Shared: true})
		r.wantTold(`a 1 {"browserContextId":"CA"}`, "created TA page")
		r.forget()
		params := `{"sessionId":"PB","targetInfo":{"targetId":"TA","type":"page","browserContextId":"CA"}}`
		r.says(`{"method":"Target.attachedToTarget","params":` + params + `,"sessionId":"B"}`)
		r.wantTold("opened PB in b: page TA", "b < Target.attachedToTarget "+params)
		r.must("b", "Target.closeTarget", `{"targetId":"TA"}`)
		r.must("b", "Fetch.enable", "")
		r.forget()
		r.hub.release("a")
		r.wantSent(`{"id":-8,"method":"Target.detachFromTarget","params":{"sessionId":"A"}}`)
	})
}

func TestContextsEndWithTheirClient(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := withContext(t, Options{})
		r.must("a", "Target.createBrowserContext", "") // is on its way when a leaves
		r.forget()
		r.hub.release("a")
		r.wantSent(
			`{"id":-8,"method":"Target.detachFromTarget","params":{"sessionId":"A"}}`,
			`{"id":-9,"method":"Target.disposeBrowserContext","params":{"browserContextId":"CA"}}`,
		)
		r.refuses("b", "Target.attachToTarget", `{"targetId":"TA"}`, "-32602 ") // it ends
		r.says(
			`{"id":101,"result":{"browserContextId":"LATE"},"sessionId":"A"}`,
			`{"id":-8,"result":{}}`,
			`{"method":"Target.targetDestroyed","params":{"targetId":"TA"}}`,
			`{"method":"Target.targetDestroyed","params":{"targetId":"TA"},"sessionId":"B"}`,
		)
		r.wantSent(`{"id":-10,"method":"Browser.setDownloadBehavior","params":{"behavior":"deny","browserContextId":"LATE","eventsEnabled":true}}`,
			`{"id":-11,"method":"Target.disposeBrowserContext","params":{"browserContextId":"LATE"}}`)
		r.wantTold("gone TA")
	})
}

func TestContextThatItsClientDisposesOfIsForgotten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := withContext(t, Options{})
		r.must("a", "Target.disposeBrowserContext", `{"browserContextId":"CA"}`)
		r.says(`{"id":101,"error":{"code":-32000,"message":"busy"},"sessionId":"A"}`)
		r.refuses("b", "Storage.getCookies", `{"browserContextId":"CA"}`, "-32602 ")
		r.must("a", "Target.disposeBrowserContext", `{"browserContextId":"CA"}`)
		r.says(`{"id":103,"result":{},"sessionId":"A"}`)
		r.must("b", "Storage.getCookies", `{"browserContextId":"CA"}`) // the browser says what is wrong
		r.forget()
		r.hub.release("a")
		r.wantSent(`{"id":-8,"method":"Target.detachFromTarget","params":{"sessionId":"A"}}`)
	})
}

func TestSecondBrowserSessionIsTheSameClient(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := withContext(t, Options{})
		r.says(
			`{"method":"Target.attachedToTarget","params":{"sessionId":"A2","targetInfo":{"targetId":"x","type":"browser"}},"sessionId":"A"}`,
			`{"method":"Target.attachedToTarget","params":{"sessionId":"B2","targetInfo":{"targetId":"y","type":"browser"}},"sessionId":"B"}`,
		)
		r.must("A2", "Target.attachToTarget", `{"targetId":"TA"}`)
		r.refuses("B2", "Target.attachToTarget", `{"targetId":"TA"}`, "-32602 ")
		r.refuses("B2", "Fetch.enable", "", "-32000 Fetch.enable is not allowed")
	})
}

// A frame leaves its page's process, comes back and leaves again.
func TestTargetThatComesBackIsStillPrivate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := withContext(t, Options{})
		r.forget()
		r.says(
			`{"method":"Target.targetDestroyed","params":{"targetId":"TA"}}`,
			`{"method":"Target.targetCreated","params":`+ofTA+`}`,
			`{"method":"Target.targetDestroyed","params":{"targetId":"T0"}}`,
			`{"method":"Target.targetDestroyed","params":{"targetId":"T1"}}`,
		)
		r.refuses("b", "Target.attachToTarget", `{"targetId":"TA"}`, "-32602 ")
		r.wantTold("gone TA", "created TA page of a", "gone T0")
	})
}

// TestHeirHasTheContexts has a lasting Client leave its context to another, also one
// that is still being created.
func TestHeirHasTheContexts(t *testing.T) {
	for _, shared := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			r := greeted(t, Options{Shared: shared})
			r.hub.lasting = true
			r.clients("a", "b", "c")
			r.must("a", "Target.createBrowserContext", `{"disposeOnDetach":true}`)
			r.wantSent(`{"id":1,"method":"Target.createBrowserContext","params":{"disposeOnDetach":false},"sessionId":"A"}`)
			r.says(`{"id":1,"result":{"browserContextId":"CA"},"sessionId":"A"}`,
				`{"method":"Target.targetCreated","params":{"targetInfo":{"targetId":"TA","type":"page","browserContextId":"CA"}}}`)
			r.must("a", "Target.createBrowserContext", "")
			r.hub.inherit("a", "b")
			r.hub.release("a")
			r.says(`{"id":2,"result":{"browserContextId":"LATE"},"sessionId":"A"}`)
			r.forget()
			if !shared {
				r.refuses("c", "Target.attachToTarget", `{"targetId":"TA"}`, "-32602 No target with given id found")
				r.refuses("c", "Storage.getCookies", `{"browserContextId":"LATE"}`, "-32602 ")
			}
			r.must("b", "Target.attachToTarget", `{"targetId":"TA"}`)
			r.must("b", "Storage.getCookies", `{"browserContextId":"LATE"}`)
			r.forget()
			r.hub.release("b")
			ends := map[string]bool{"CA": true, "LATE": !shared}
			synctest.Wait()
			sent := r.browser.text()
			for id, want := range ends {
				if got := strings.Contains(sent, `"Target.disposeBrowserContext","params":{"browserContextId":"`+id+`"}`); got != want {
					t.Errorf("shared %v: context %s is disposed of: %v\n%s", shared, id, got, sent)
				}
			}
		})
	}
}
