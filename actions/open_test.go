package actions_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cdphub/cdphub/actions"
)

// TestOpenPagesAreChecked opens pages that are redirected to where they may not
// be. They are closed at once.
func TestOpenPagesAreChecked(t *testing.T) {
	b := connect(t, actions.BrowserTarget, actions.Options{URLs: only(t, "127.0.0.1")})
	before := len(b.Pages())
	prepare := func(ctx context.Context, p *actions.Page) error {
		return p.Emulate(ctx, actions.Emulation{Locale: "de-DE"})
	}
	for name, prepare := range map[string]func(context.Context, *actions.Page) error{"plain": nil, "prepared": prepare} {
		for _, to := range []string{"http://169.254.169.254/", shared.other + "/form.html"} {
			begun := time.Now()
			_, _, err := b.OpenPrepared(t.Context(), shared.app.URL+"/redirect?to="+to, "", prepare)
			fails(t, err, actions.URLBlocked)
			if left := len(b.Pages()); left != before {
				t.Errorf("%s, %s: %d pages are left, want %d", name, to, left, before)
			}
			if took := time.Since(begun); took > 20*time.Second {
				t.Errorf("%s, %s: it took %v", name, to, took)
			}
		}
	}
	p, n, err := b.OpenPrepared(t.Context(), shared.app.URL+"/form.html", "", prepare)
	if err != nil || !n.Reached || n.Title != "Sign up" {
		t.Fatalf("%+v, %v", n, err)
	}
	defer b.ClosePage(t.Context(), p.ID)
	is(t, p, "Intl.DateTimeFormat().resolvedOptions().locale", `"de-DE"`)
	failing := errors.New("not prepared")
	if _, _, err := b.OpenPrepared(t.Context(), "", "", func(context.Context, *actions.Page) error { return failing }); !errors.Is(err, failing) || len(b.Pages()) != before+1 {
		t.Errorf("a page that cannot be prepared: %v, %d pages", err, len(b.Pages()))
	}
}

// TestPopupsAreChecked has pages open others where none may be, before anybody
// looks at those. Nothing of them can be read or done; they can be navigated.
func TestPopupsAreChecked(t *testing.T) {
	b := connect(t, actions.BrowserTarget, actions.Options{URLs: only(t, "127.0.0.1")})
	opener := visit(t, b, "/form.html")
	for name, features := range map[string]string{"with an opener": "", "without": "noopener"} {
		t.Run(name, func(t *testing.T) {
			secret := shared.other + "/form.html"
			value(t, opener, "void window.open('"+secret+"', '_blank', '"+features+"')")
			var p *actions.Page
			for end := time.Now().Add(patience); p == nil; time.Sleep(10 * time.Millisecond) {
				list, err := b.List(t.Context())
				if err != nil || time.Now().After(end) {
					t.Fatalf("there is no popup: %+v, %v", list, err)
				}
				for _, one := range list {
					if one.URL == secret {
						p, _ = b.Page(one.ID)
					}
				}
			}
			defer b.ClosePage(t.Context(), p.ID)
			_, err := p.SnapshotYAML(t.Context(), actions.YAMLOptions{})
			fails(t, err, actions.URLBlocked)
			_, err = p.Content(t.Context(), "text", nil)
			fails(t, err, actions.URLBlocked)
			_, err = p.Evaluate(t.Context(), "document.title", actions.EvaluateOptions{})
			fails(t, err, actions.URLBlocked)
			_, err = p.Screenshot(t.Context(), actions.ScreenshotOptions{})
			fails(t, err, actions.URLBlocked)
			_, err = p.AXTree(t.Context(), actions.AXOptions{})
			fails(t, err, actions.URLBlocked)
			_, err = p.Click(t.Context(), actions.CSS("#save"), actions.ClickOptions{})
			fails(t, err, actions.URLBlocked)
			if n, err := p.Goto(t.Context(), shared.app.URL+"/form.html", actions.GotoOptions{}); err != nil || n.Title != "Sign up" {
				t.Errorf("%+v, %v", n, err)
			}
			is(t, p, "document.title", `"Sign up"`)
		})
	}
}

// TestSubscriptionsOutliveSessions detaches a page's session, after which its
// events come from another.
func TestSubscriptionsOutliveSessions(t *testing.T) {
	need(t)
	for kind, join := range map[actions.TargetKind]actions.Join{actions.BrowserTarget: shared.chromium.Join, actions.FrameTarget: shared.join} {
		t.Run(string(kind), func(t *testing.T) {
			var client actions.Client
			var mu sync.Mutex // guards sessions
			sessions := make(map[string]string)
			b, err := actions.Open(t.Context(), func(event actions.EventFunc) (_ actions.Client, err error) {
				client, err = join(func(session, method string, params []byte) {
					var e struct {
						SessionID  string
						TargetInfo struct{ TargetID string }
					}
					if method == "Target.attachedToTarget" && json.Unmarshal(params, &e) == nil {
						mu.Lock()
						sessions[e.TargetInfo.TargetID] = e.SessionID
						mu.Unlock()
					}
					event(session, method, params)
				})
				return client, err
			}, actions.Options{})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(b.Close)
			p := visit(t, b, "/form.html")
			said := make(chan string, 100)
			defer p.Subscribe(actions.ConsoleEvents, func(e actions.Event) {
				if m, ok := e.Body.(actions.ConsoleMessage); ok {
					select {
					case said <- m.Text:
					default:
					}
				}
			}).Cancel()
			hears := func(word string) {
				t.Helper()
				for end := time.After(patience); ; {
					if _, err := p.Evaluate(t.Context(), "console.log('"+word+"')", actions.EvaluateOptions{}); err != nil && actions.KindOf(err) != actions.TargetClosed {
						t.Fatal(err)
					}
					select {
					case got := <-said:
						if strings.Contains(got, word) {
							return
						}
					case <-time.After(100 * time.Millisecond): // it is being attached to
					case <-end:
						t.Fatalf("%q is not heard", word)
					}
				}
			}
			hears("one")
			mu.Lock()
			session := sessions[p.ID]
			mu.Unlock()
			if _, err := client.Send("", "Target.detachFromTarget", []byte(`{"sessionId":"`+session+`"}`))(t.Context()); err != nil {
				t.Fatal(err)
			}
			hears("two")
		})
	}
}
