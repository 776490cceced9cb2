package chrome

import (
	"fmt"
	"testing"
	"testing/synctest"
)

// TestPageOf has targets that say in several ways what they are part of.
func TestPageOf(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, _ := owning(t)
		target := func(id, kind, more string) {
			r.says(fmt.Sprintf(`{"method":"Target.targetCreated","params":{"targetInfo":{"targetId":%q,"type":%q,"browserContextId":"D"%s}}}`, id, kind, more))
		}
		target("P1", "page", "")
		target("TAB1", "tab", "")
		r.says(`{"id":` + r.numberOf("Target.attachToTarget") + `,"result":{"sessionId":"U1"}}`)
		r.says(`{"method":"Target.attachedToTarget","params":`+attached("V1", "P1", "")+`,"sessionId":"U1"}`,
			`{"id":`+r.numberOf("Target.setAutoAttach")+`,"result":{},"sessionId":"U1"}`)
		target("TAB2", "tab", "")
		target("P2", "page", `,"parentId":"TAB2"`)
		target("TAB3", "tab", "")
		target("F1", "iframe", `,"parentId":"P1"`)
		target("F2", "iframe", `,"parentFrameId":"F1"`)
		target("F3", "iframe", "")
		target("W1", "worker", `,"parentId":"F2"`)
		target("SW", "service_worker", "")
		for id, want := range map[string]string{
			"P1": "P1", "P2": "P2", "TAB1": "P1", "TAB2": "P2", "TAB3": "", "F1": "P1", "F2": "P1", "F3": "", "W1": "P1", "SW": "SW", "none": "",
		} {
			if got := r.hub.host.(*Host).PageOf(id); got != want {
				t.Errorf("%s is part of %q, want %q", id, got, want)
			}
		}
		r.says(`{"method":"Target.targetCreated","params":{"targetInfo":{"targetId":"APART","type":"shared_worker","browserContextId":"X"}}}`)
		for kind, serves := range map[string]bool{"service_worker": true, "shared_worker": true, "worker": false, "page": false, "tab": false, "iframe": false, "browser": false, "webview": false, "other": false, "auction_worklet": false, "shared_storage_worklet": false} {
			if target("KIND-"+kind, kind, ""); r.hub.host.(*Host).MayServe("KIND-"+kind, "P1") != serves {
				t.Errorf("a target of type %s may serve P1: %v", kind, !serves)
			}
		}
		for id, want := range map[string]bool{"SW": true, "APART": false, "W1": false, "P2": false, "none": false} {
			if got := r.hub.host.(*Host).MayServe(id, "P1"); got != want {
				t.Errorf("%s may serve P1: %v", id, got)
			}
		}
	})
}

// TestR262Related has pages open each other, also through one that has ended, and one whose
// opener the browser names later.
func TestR262Related(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, _ := owning(t)
		says := func(method, id, opener string) {
			r.says(fmt.Sprintf(`{"method":"Target.%s","params":{"targetInfo":{"targetId":%q,"type":"page","browserContextId":"D","openerId":%q}}}`, method, id, opener))
		}
		says("targetCreated", "A", "")
		says("targetCreated", "B", "A")
		says("targetCreated", "C", "B")
		r.says(`{"method":"Target.targetDestroyed","params":{"targetId":"B"}}`)
		says("targetInfoChanged", "C", "")
		says("targetCreated", "X", "")
		says("targetCreated", "Y", "X")
		says("targetCreated", "LATE", "")
		says("targetCreated", "CHILD", "LATE")
		says("targetInfoChanged", "LATE", "A")
		host := r.hub.host.(*Host)
		for pair, want := range map[[2]string]bool{
			{"A", "A"}: true, {"A", "C"}: true, {"C", "A"}: true, {"X", "Y"}: true, {"A", "X"}: false, {"Y", "C"}: false,
			{"CHILD", "C"}: true, {"LATE", "X"}: false, {"none", "A"}: false, {"A", "none"}: false, {"none", "other"}: false,
		} {
			if got := host.Related(pair[0], pair[1]); got != want {
				t.Errorf("%v are related: %v", pair, got)
			}
		}
		r.says(`{"method":"Target.targetCreated","params":{"targetInfo":{"targetId":"APART","type":"page","browserContextId":"X"}}}`)
		for id, want := range map[string]bool{"A": true, "X": true, "APART": false, "none": false} {
			if got := host.SharesContext(id, "A"); got != want {
				t.Errorf("%s shares the context of A: %v", id, got)
			}
		}
	})
}
