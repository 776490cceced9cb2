package browsers_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/cdphub/cdphub/bridge/chrome"
	"github.com/cdphub/cdphub/internal/browsertest"
	"github.com/cdphub/cdphub/internal/scope"
	"github.com/cdphub/cdphub/relay"
)

// patience is for what takes a moment, also on a machine that is busy.
const patience = 2 * time.Minute

// crowd is a hub with a browser, a victim with a page in a context of its own, and whoever attacks them.
type crowd struct {
	hub    *relay.Hub
	ended  chan error // of the browser, once
	stop   context.CancelFunc
	victim *driver
	keeper *driver // opens pages that all may see
}

// driver is a Client and its session on a page.
type driver struct {
	*relay.Local
	session string
}

// gather starts a browser, "" the one of tests. No page reaches anything but this machine.
func gather(t testing.TB, path string) *crowd {
	t.Helper()
	browsertest.SkipShort(t)
	c := &crowd{hub: relay.New(relay.Options{}), ended: make(chan error, 1)}
	var ctx context.Context
	ctx, c.stop = context.WithCancel(context.Background())
	o := chrome.Options{Path: path, NoSandbox: true, Args: []string{"--host-resolver-rules=MAP * ~NOTFOUND"}}
	go func() { c.ended <- chrome.Serve(ctx, o, c.hub) }()
	for end := time.Now().Add(patience); !c.hub.BrowserConnected(); time.Sleep(10 * time.Millisecond) {
		select {
		case err := <-c.ended:
			t.Fatalf("no browser: %v", err)
		default:
		}
		if time.Now().After(end) {
			t.Fatal("the browser does not start")
		}
	}
	c.keeper, c.victim = c.join(t, scope.Privileged), c.join(t, scope.Full)
	var own struct{ BrowserContextID string }
	c.victim.must(t, "", "Target.createBrowserContext", `{}`, &own)
	c.victim.session = c.victim.open(t, fmt.Sprintf(`{"url":"about:blank","browserContextId":%q}`, own.BrowserContextID))
	return c
}

// close ends the browser.
func (c *crowd) close(t testing.TB) {
	c.stop()
	if err := <-c.ended; !errors.Is(err, context.Canceled) {
		t.Errorf("the browser ended with %v", err)
	}
}

// join adds a Client.
func (c *crowd) join(t testing.TB, s scope.Scope) *driver {
	t.Helper()
	l, err := c.hub.JoinLocal(relay.LocalOptions{ClientOptions: relay.ClientOptions{Policy: s}})
	if err != nil {
		t.Fatal(err)
	}
	return &driver{Local: l}
}

// open opens a page and attaches to it.
func (d *driver) open(t testing.TB, params string) (session string) {
	t.Helper()
	var page struct{ TargetID string }
	d.must(t, "", "Target.createTarget", params, &page)
	return d.attach(t, page.TargetID)
}

func (d *driver) attach(t testing.TB, targetID string) (session string) {
	t.Helper()
	var attached struct{ SessionID string }
	d.must(t, "", "Target.attachToTarget", fmt.Sprintf(`{"targetId":%q,"flatten":true}`, targetID), &attached)
	return attached.SessionID
}

// must sends a command that has to succeed.
func (d *driver) must(t testing.TB, session, method, params string, result any) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	out, err := d.Call(ctx, session, method, []byte(params))
	if err != nil {
		t.Fatalf("%s %.200s: %s", method, params, full(err))
	}
	if result != nil {
		if err := json.Unmarshal(out, result); err != nil {
			t.Fatal(err)
		}
	}
}

// full is an error with all that the Client gets of it.
func full(err error) string {
	if e, ok := errors.AsType[*relay.Error](err); ok {
		return e.Full()
	}
	return err.Error()
}

// goesOn reports whether the victim still gets answers, and its pictures.
func (c *crowd) goesOn(t testing.TB) error {
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	out, err := c.victim.Call(ctx, c.victim.session, "Runtime.evaluate", []byte(`{"expression":"6*7","returnByValue":true}`))
	if err != nil {
		return fmt.Errorf("the victim's command failed: %w; the browser: %w", err, c.reason())
	}
	if want := `{"result":{"type":"number","value":42,"description":"42"}}`; string(out) != want {
		return fmt.Errorf("the victim got %s, want %s", out, want)
	}
	return nil
}

// errLives is the reason of a browser that has not ended.
var errLives = errors.New("it has not ended")

// reason is why the browser has ended, which is known once its folder is removed.
func (c *crowd) reason() error {
	select {
	case err := <-c.ended:
		c.ended <- err
		return err
	case <-time.After(10 * time.Second):
		return errLives
	}
}
