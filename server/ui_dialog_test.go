package server

import (
	"fmt"
	"strings"
	"testing"
)

// TestDialogThatWasOpenBeforeATakeover has an agent leave a dialog open. Who takes over
// the page answers it, whether the view began before the dialog or after it.
func TestDialogThatWasOpenBeforeATakeover(t *testing.T) {
	t.Parallel()
	s := start(t, func(o *Options) { o.Browsers = testBrowser() })
	agent := s.clientOf(t, "/hub/chromium")
	agent.send(`{"id":900,"method":"Target.createTarget","params":{"url":"about:blank"}}`)
	id := textOf(t, agent.until(`{"id":900,`), "targetId")
	tail := agent.attachTo(id)
	agent.send(`{"id":1,"method":"Page.enable"` + tail)
	agent.until(`{"id":1,`)
	n := 1
	for _, before := range []bool{true, false} {
		var v *viewing
		look := func() {
			v = s.view(t, "/hub/chromium", id, nil)
			v.until(map[string]any{"kind": "view"})
		}
		if before {
			look()
			v.untilPictures(1)
		}
		n += 2
		agent.send(fmt.Sprintf(`{"id":%d,"method":"Runtime.evaluate","params":{"expression":"setTimeout(() => answer = prompt('How much?', 'one')); 0"}%s`, n, tail))
		agent.until(`"method":"Page.javascriptDialogOpening"`)
		if !before {
			look()
			v.untilPictures(1)
		}
		v.say(`{"kind":"take"}`)
		v.until(map[string]any{"kind": "dialog", "type": "prompt", "message": "How much?", "default": "one"})
		v.say(`{"kind":"dialog","accept":true,"text":"two"}`)
		v.until(map[string]any{"kind": "dialog", "type": ""})
		agent.until(`"method":"Page.javascriptDialogClosed"`)
		agent.send(fmt.Sprintf(`{"id":%d,"method":"Runtime.evaluate","params":{"expression":"answer"}%s`, n+1, tail))
		if got := agent.until(fmt.Sprintf(`{"id":%d,`, n+1)); !strings.Contains(got, `"value":"two"`) {
			t.Errorf("view before the dialog=%v: the page got %s", before, got)
		}
		v.say(`{"kind":"release"}`)
		v.until(map[string]any{"kind": "holder", "name": ""})
	}
}
