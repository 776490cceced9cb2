package chrome

import (
	"fmt"
	"strings"
	"testing"

	"go.uber.org/zap"

	"github.com/cdphub/cdphub/internal/limittest"
	"github.com/cdphub/cdphub/internal/tempdir"
	"github.com/cdphub/cdphub/internal/wire"
	"github.com/cdphub/cdphub/targets"
)

// TestR296Limits goes to what the Host takes from a browser, and does for a Client.
func TestR296Limits(t *testing.T) {
	x := func(n int) string { return strings.Repeat("x", n) }
	attaches := func(format string) func(int) bool {
		return func(n int) bool { _, err := readAttachment([]byte(fmt.Sprintf(format, x(n)))); return err == nil }
	}
	limittest.Reach(t, "maxSessionID", maxSessionID, attaches(`{"sessionId":"%s"}`))
	limittest.Reach(t, "targets.MaxID", targets.MaxID, attaches(`{"targetId":"%s"}`))
	limittest.Reach(t, "maxShot", maxShot, func(n int) bool { return new(Host).refuseShotLocked(&session{target: "T"}, float64(n), 1) == nil })
	limittest.Reach(t, "deepest", deepest, func(n int) bool {
		h := &Host{targets: map[string]target{"0": {info: info{Type: "page"}}}}
		for i := 1; i < n; i++ { // each frame is in the one before
			h.targets[fmt.Sprint(i)] = target{info: info{Type: "iframe", Parent: fmt.Sprint(i - 1)}}
		}
		return h.PageOf(fmt.Sprint(n-1)) == "0"
	})
	limittest.Reach(t, "maxLine", maxLine, func(n int) bool {
		w := &stderrTail{log: zap.NewNop()}
		fmt.Fprintln(w, x(n))
		said, _ := w.tail()
		return said[0] == x(n)
	})
	limittest.Reach(t, "tailLines", tailLines, func(n int) bool {
		w := &stderrTail{log: zap.NewNop()}
		for i := range n {
			fmt.Fprintln(w, i)
		}
		said, _ := w.tail()
		return len(said) == n
	})
	limittest.Reach(t, "longestTemporary", longestTemporary, func(n int) bool { return profile{temporary: &tempdir.Dir{Path: x(n)}}.variables() != nil })
	limittest.Reach(t, "maxOwn", maxOwn, func(n int) bool {
		o := newOutbox()
		o.ours = n // bytes that wait when one more message comes
		return o.OfferOwn(nil, wire.Frame{Head: []byte("x")}) == nil
	})
}
