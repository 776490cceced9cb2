package jsonrpc

import (
	"slices"
	"strings"
	"testing"

	"github.com/cdphub/cdphub/actions"
)

// TestR24JSONRPCReadersOnlyRead refuses to a token of scope readonly every
// method but those that change nothing, before any work.
func TestR24JSONRPCReadersOnlyRead(t *testing.T) {
	reads := strings.Fields("connect browser.screenshot browser.snapshot browser.list_tabs browser.start browser.stop browser_config.get")
	joined := false
	c := dial(t, actions.Caller{Scope: "readonly", Join: func(event actions.EventFunc) (actions.Client, error) {
		joined = true
		return tabs{}.join(event)
	}})
	for name, m := range methods {
		if m.reads != slices.Contains(reads, name) {
			t.Errorf("%s reads: %v", name, m.reads)
		}
		if m.reads {
			continue
		}
		c.Send(`{"jsonrpc":"2.0","id":1,"method":"` + name + `","params":{}}`)
		c.Wants(failedText("1", "-32002", "permission denied: "+name+" needs scope standard", actions.PermissionDenied, "false"))
	}
	if joined {
		t.Error("the hub was joined for what was refused")
	}
}
