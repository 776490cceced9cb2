package siege

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/cdphub/cdphub/internal/e2e/harness"
)

// object is a JSON object.
type object = map[string]any

// worker is a Client that works on a page of its own, one command after the other.
type worker struct {
	*line
	session string
	done    atomic.Int64 // commands that were answered in this row
}

// newWorker connects with the victim's token and opens a page, in a context of its own where
// there is a browser.
func newWorker(t testing.TB, w *world, hub *harness.Hub) *worker {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), harness.Started)
	defer cancel()
	l, err := dial(ctx, hub.ClientAddr, "/devtools/browser", victimToken)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(l.close)
	k := &worker{line: l}
	var known struct{ BrowserContextID, TargetID, SessionID string }
	must := func(method string, params object) {
		t.Helper()
		if err := k.into(ctx, &known, "", method, params); err != nil {
			t.Fatal(err)
		}
	}
	if w.setup == frames {
		known.TargetID = "app-victim"
		k.awaitTarget(t, known.TargetID)
	} else {
		must("Target.createBrowserContext", nil)
		must("Target.createTarget", object{"url": w.site.URL + "/blank", "browserContextId": known.BrowserContextID})
	}
	must("Target.attachToTarget", object{"targetId": known.TargetID, "flatten": true})
	k.session = known.SessionID
	return k
}

// awaitTarget waits until a frame has paired.
func (k *worker) awaitTarget(t testing.TB, id string) {
	t.Helper()
	harness.Eventually(t, harness.Started, func() error {
		raw, err := k.ask(t.Context(), "", "Target.getTargets", nil)
		if err == nil && !strings.Contains(string(raw), `"`+id+`"`) {
			err = fmt.Errorf("the frame has not paired: %s", raw)
		}
		return err
	})
}

// into is ask for a result that is decoded.
func (k *worker) into(ctx context.Context, result any, session, method string, params object) error {
	raw, err := k.ask(ctx, session, method, params)
	if err != nil {
		return fmt.Errorf("%s: %w", method, err)
	}
	return json.Unmarshal(raw, result)
}

// work does what a driver of a page does, until stop is closed, and counts the commands that
// were answered. A command that still waits then has a minute for its answer.
func (k *worker) work(ctx context.Context, stop <-chan struct{}) error {
	for n := 0; ; n++ {
		select {
		case <-stop:
			return nil
		default:
		}
		if err := k.step(ctx, n); err != nil {
			return err
		}
	}
}

// step is three commands.
func (k *worker) step(ctx context.Context, n int) error {
	ctx, cancel := context.WithTimeout(ctx, harness.Started)
	defer cancel()
	var sum struct{ Result struct{ Value int } }
	if err := k.into(ctx, &sum, k.session, "Runtime.evaluate", object{"expression": fmt.Sprint("1 + ", n), "returnByValue": true}); err != nil {
		return err
	}
	if sum.Result.Value != n+1 {
		return fmt.Errorf("1 + %d is %d", n, sum.Result.Value)
	}
	k.done.Add(1)
	for _, c := range []struct {
		method string
		params object
	}{
		{"DOM.getDocument", object{"depth": 1}},
		{"Input.dispatchMouseEvent", object{"type": "mouseMoved", "x": 5 + n%50, "y": 5}},
	} {
		if _, err := k.ask(ctx, k.session, c.method, c.params); err != nil {
			return fmt.Errorf("%s: %w", c.method, err)
		}
		k.done.Add(1)
	}
	return nil
}
