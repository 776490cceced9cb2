package chrome

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/cdphub/cdphub/targets"
)

// TestR288InterruptedAnswers lets something happen to a Client, its target or its Host before
// the browser answers. The Host ends what the browser has made for a Client that has left, announces nothing
// that has gone, and keeps nothing of it.
func TestR288InterruptedAnswers(t *testing.T) {
	const context = `{"browserContextId":"X"}`
	for name, row := range map[string]struct {
		function, method, answer string
		happens                  func(r *rig)
		sent, kept               string // the browser is sent; the owner of the context X
	}{
		"session, nothing":            {"chrome.Host.Attached", "Target.attachToTarget", `{"sessionId":"P"}`, func(*rig) {}, "", ""},
		"session, Client leaves":      {"chrome.Host.Attached", "Target.attachToTarget", `{"sessionId":"P"}`, func(r *rig) { r.hub.release("p") }, `Target.detachFromTarget","params":{"sessionId":"P"}`, ""},
		"session, target gone":        {"chrome.Host.Attached", "Target.attachToTarget", `{}`, func(r *rig) { r.says(`{"method":"Target.targetDestroyed","params":{"targetId":"T0"}}`) }, "", ""},
		"tab, Client leaves":          {"chrome.Host.Attached", "Target.attachToBrowserTarget", `{"sessionId":"P"}`, func(r *rig) { r.must("p", "Target.createTarget", `{"url":"u"}`); r.hub.release("p") }, `Target.detachFromTarget","params":{"sessionId":"P"}`, ""},
		"context, nothing":            {"chrome.Host.applyPolicyLocked", "Target.createBrowserContext", context, func(*rig) {}, "", "c"},
		"context, Client leaves":      {"chrome.Host.applyPolicyLocked", "Target.createBrowserContext", context, func(r *rig) { r.hub.release("c") }, `Target.disposeBrowserContext","params":{"browserContextId":"X"}`, ""},
		"context, Client has an heir": {"chrome.Host.applyPolicyLocked", "Target.createBrowserContext", context, func(r *rig) { r.hub.inherit("c", "d"); r.hub.release("c") }, "", "d"},
		"context, refused":            {"chrome.Host.applyPolicyLocked", "Target.createBrowserContext", `{}`, func(r *rig) { r.hub.release("c") }, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := greeted(t, Options{})
				r.hub.lasting = strings.Contains(name, "heir")
				at := "T0"
				if row.method == "Target.attachToBrowserTarget" {
					at, r.hub.tabs = "", new(targets.Tabs)
				}
				r.clients("c", "d")
				h := r.hub.host.(*Host)
				if row.method == "Target.createBrowserContext" {
					r.must("c", row.method, `{}`)
				} else {
					r.hub.attach("p", at)
				}
				number := r.numberOf(row.method)
				row.happens(r)
				synctest.Wait()
				r.says(fmt.Sprintf(`{"id":%s,"result":%s}`, number, row.answer))
				if sent := r.browser.text(); row.sent != "" && strings.Count(sent, row.sent) != 1 {
					t.Errorf("the browser was sent %s, want %s once", sent, row.sent)
				}
				if strings.Contains(row.sent, "dispose") {
					r.says(fmt.Sprintf(`{"id":%s,"result":{}}`, r.numberOf("Target.disposeBrowserContext")))
				}
				r.hub.release("p")
				h.mu.Lock()
				defer h.mu.Unlock()
				for _, g := range h.groups {
					if g.creating != 0 {
						t.Errorf("%d tabs are still being created", g.creating)
					}
				}
				owner := ""
				if s := h.contexts["X"]; s != nil {
					owner = s.id
				}
				if owner != row.kept || h.sessions["p"] != nil || h.upstream["P"] != nil {
					t.Errorf("the context is of %q, want %q; the session is kept: %v", owner, row.kept, h.sessions["p"] != nil)
				}
			})
		})
	}
}
