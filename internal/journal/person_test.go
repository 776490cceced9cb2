package journal

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cdphub/cdphub/relay"
)

// TestR162TheTimelineNamesWhoActsByALink has somebody log in by the link of a handoff. The
// timeline has the kinds of the actions as that person's, and nothing of what they were.
func TestR162TheTimelineNamesWhoActsByALink(t *testing.T) {
	play(t, Options{Record: &Record{Dir: t.TempDir()}}, func(s *stage) {
		guest, err := s.hub.JoinLocal(relay.LocalOptions{})
		if err != nil {
			t.Fatal(err)
		}
		own := s.host.session
		result, err := guest.Call(context.Background(), "", "Target.attachToTarget", []byte(`{"targetId":"T0"}`))
		if err != nil {
			t.Fatal(err)
		}
		s.host.session = own // of the Client of the stage
		var made struct{ SessionID string }
		if err := json.Unmarshal(result, &made); err != nil {
			t.Fatal(err)
		}
		if err := guest.Take("T0", "somebody with the link", relay.LeaseOptions{Quiet: true}); err != nil {
			t.Fatal(err)
		}
		act := func(method, params string) {
			guest.Send(made.SessionID, method, []byte(params))
			synctest.Wait()
		}
		for range 4 { // a PIN
			act("Input.dispatchMouseEvent", `{"type":"mouseMoved","x":31,"y":41}`)
			act("Input.dispatchMouseEvent", `{"type":"mousePressed","x":31,"y":41,"button":"left"}`)
			act("Input.dispatchMouseEvent", `{"type":"mouseReleased","x":31,"y":41,"button":"left"}`)
		}
		for _, c := range "hunter2" {
			act("Input.dispatchKeyEvent", fmt.Sprintf(`{"type":"keyDown","key":%q,"text":%q}`, string(c), string(c)))
			act("Input.dispatchKeyEvent", fmt.Sprintf(`{"type":"keyUp","key":%q}`, string(c)))
		}
		act("Input.insertText", `{"text":"hunter3"}`)
		act("Input.dispatchMouseEvent", `{"type":"mouseWheel","x":31,"y":41,"deltaX":0,"deltaY":59}`)
		act("Page.handleJavaScriptDialog", `{"accept":true,"promptText":"hunter4"}`)
		s.event("Page.frameNavigated", `{"frame":{"id":"T0","url":"https://a.example/inside"}}`)
		s.pass(3 * time.Second)
		if err := guest.Release("T0"); err != nil {
			t.Fatal(err)
		}
		s.click(4, 4)
		s.pass(2 * time.Second)
		const who = "somebody with the link"
		s.wants("takeover: "+who+" has the page, as a Client has asked", "command: clicked", "command: typed", "command: scrolled",
			"command: answered a dialog", "takeover: "+who+" gave the page back", "command: clicked at (4, 4)")
		for _, e := range s.j.Entries("h", "T0", 0, relay.Watcher{}) {
			if e.Kind == Command && e.Text != "clicked at (4, 4)" && (e.Client != who || e.Action != nil || e.Picture) {
				t.Errorf("the timeline has %+v", e)
			}
		}
		if all := recorded(t, s.j.files.o.Dir); strings.Contains(all, "hunter") || strings.Contains(all, "inside") {
			t.Errorf("the file has what was typed, or where: %s", all)
		}
		guest.Leave()
	})
}
