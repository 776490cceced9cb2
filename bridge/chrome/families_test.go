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
		for id, want := range map[string]bool{"SW": true, "APART": false, "W1": false, "P2": false, "none": false} {
			if got := r.hub.host.(*Host).MayServe(id, "P1"); got != want {
				t.Errorf("%s may serve P1: %v", id, got)
			}
		}
	})
}
