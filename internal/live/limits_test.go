package live

import (
	"encoding/base64"
	"strings"
	"testing"
	"time"

	"github.com/cdphub/cdphub/internal/limittest"
)

// accepts reports whether a message of a viewer becomes a command.
func accepts(set func(m *message, text string)) func(int) bool {
	return func(n int) bool {
		m := message{Kind: "key", Type: "keyDown"}
		set(&m, strings.Repeat("x", n))
		_, err := commandOf(&m)
		return err == nil
	}
}

// TestR296Limits goes to what a viewer may send, and to what it is sent.
func TestR296Limits(t *testing.T) {
	limittest.Reach(t, "maxPaste", maxPaste, accepts(func(m *message, s string) { m.Kind, m.Text = "paste", s }))
	limittest.Reach(t, "maxPaste of a dialog", maxPaste, accepts(func(m *message, s string) { m.Kind, m.Text = "dialog", s }))
	limittest.Reach(t, "maxKeyText of text", maxKeyText, accepts(func(m *message, s string) { m.Text = s }))
	limittest.Reach(t, "maxKeyText of unmodified text", maxKeyText, accepts(func(m *message, s string) { m.UnmodifiedText = s }))
	limittest.Reach(t, "maxKeyText of key", maxKeyText, accepts(func(m *message, s string) { m.Key = s }))
	limittest.Reach(t, "maxKeyText of code", maxKeyText, accepts(func(m *message, s string) { m.Code = s }))
	limittest.Reach(t, "maxCommands", maxCommands, accepts(func(m *message, s string) { m.Commands = strings.Split(s, "") }))
	limittest.Reach(t, "maxWaiting", maxWaiting, func(n int) bool {
		in := &input{v: new(View)}
		defer in.wait()
		in.count = n - 1 // the page has answered none of them
		return in.put(&Viewer{view: in.v, ViewerOptions: ViewerOptions{Send: func(_, _ []byte) bool { return true }}}, nil, "S", command{method: "Input.insertText"}) == nil
	})
	limittest.Reach(t, "maxInFlight", maxInFlight, func(n int) bool {
		sent := 0
		w := &Viewer{view: new(View), wants: usual, ViewerOptions: ViewerOptions{Send: func(_, _ []byte) bool { sent++; return true }}}
		for i := range n {
			w.next = time.Time{}
			w.showLocked(&picture{seq: int64(i + 1)}, time.Now())
		}
		return sent == n
	})
	limittest.Reach(t, "maxPixels", maxPixels, func(n int) bool {
		v := new(View)
		v.keep(nil, float64(n), float64(n))
		return string(v.latest.head) == string(pictureMessage(1, float64(n), float64(n)))
	})
	limittest.Reach(t, "longestPicture", longestPicture, func(n int) bool {
		v := new(View)
		v.frame([]byte(`{"data":"` + base64.StdEncoding.EncodeToString(make([]byte, n)) + `","metadata":{"deviceWidth":1,"deviceHeight":1}}`))
		return v.seq == 1
	})
	limittest.Reach(t, "longestText", longestText, func(n int) bool {
		return !strings.HasSuffix(cutText(strings.Repeat("x", n)), "…")
	})
}
