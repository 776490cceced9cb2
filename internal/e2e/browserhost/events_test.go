package browserhost

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/cdphub/cdphub/internal/e2e/harness"
)

// attachment is what Target.attachedToTarget says.
type attachment struct {
	SessionID  string
	TargetInfo struct{ TargetID, Type string }
}

// discover has a client be told of targets, and be attached to them.
func discover(t *testing.T, c *harness.CDP) {
	t.Helper()
	c.Call(t, "", "Target.setDiscoverTargets", map[string]any{"discover": true})
	c.Call(t, "", "Target.setAutoAttach", map[string]any{"autoAttach": true, "waitForDebuggerOnStart": false, "flatten": true})
}

// attached waits until a client is attached to a page other than one it knows.
func attached(t *testing.T, c *harness.CDP, known string) (a attachment) {
	t.Helper()
	c.Await(t, "a session on a page", func(m harness.Message) bool {
		a = attachment{}
		return m.Method == "Target.attachedToTarget" && json.Unmarshal(m.Params, &a) == nil &&
			a.TargetInfo.Type == "page" && a.TargetInfo.TargetID != known
	})
	return a
}

// about matches the events of a method whose params have an id.
func about(method, id string) func(harness.Message) bool {
	return func(m harness.Message) bool {
		return m.Method == method && strings.Contains(string(m.Params), `"`+id+`"`)
	}
}
