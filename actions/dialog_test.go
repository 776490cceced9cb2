package actions_test

import (
	"context"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cdphub/cdphub/actions"
)

// recorder keeps events.
type recorder struct {
	mu   sync.Mutex
	list []actions.Event
}

func (r *recorder) add(e actions.Event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.list = append(r.list, e)
}

// await returns the first event that fits.
func (r *recorder) await(t *testing.T, fits func(actions.Event) bool) actions.Event {
	t.Helper()
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		r.mu.Lock()
		for _, e := range r.list {
			if fits(e) {
				r.mu.Unlock()
				return e
			}
		}
		r.mu.Unlock()
	}
	t.Fatalf("no such event; there were %+v", r.list)
	return actions.Event{}
}

func TestDialogs(t *testing.T) {
	on(t, func(t *testing.T, b *actions.Browser) {
		p := visit(t, b, "/form.html")
		var events recorder
		defer b.Subscribe(actions.DialogEvents, events.add).Cancel()
		click := func(id string) {
			t.Helper()
			value(t, p, "void (seen.length = 0)")
			if _, err := p.Click(t.Context(), actions.CSS(id), actions.ClickOptions{}); err != nil {
				t.Errorf("click on %s: %v", id, err)
			}
		}
		// By default they are dismissed, and hold nobody up.
		click("#alarm")
		is(t, p, "seen.at(-1)", `"alarmed"`)
		click("#ask")
		is(t, p, "seen.at(-1)", `"asked false"`)
		e := events.await(t, func(e actions.Event) bool { return e.Body.(actions.Dialog).Type == "confirm" })
		if d := e.Body.(actions.Dialog); d.Message != "Sure?" || d.Waits || e.Page != p {
			t.Errorf("the event is %+v", e)
		}
		// An armed answer is for one dialog.
		if err := p.ArmDialog(t.Context(), actions.DialogAnswer{Accept: true, Text: "me"}); err != nil {
			t.Fatal(err)
		}
		click("#name")
		is(t, p, "seen.at(-1)", `"named me"`)
		click("#name")
		is(t, p, "seen.at(-1)", `"named null"`)
		fails(t, p.AnswerDialog(t.Context(), actions.DialogAnswer{}), actions.InvalidArgument)
		// One that waits is answered while the click goes on.
		b.SetDialogPolicy(actions.AskDialogs)
		var clicked sync.WaitGroup
		clicked.Go(func() { click("#ask") })
		events.await(t, func(e actions.Event) bool { return e.Body.(actions.Dialog).Waits })
		if d, open := p.OpenDialog(); !open || d.Message != "Sure?" {
			t.Errorf("open: %+v, %v", d, open)
		}
		if err := p.AnswerDialog(t.Context(), actions.DialogAnswer{Accept: true}); err != nil {
			t.Fatal(err)
		}
		clicked.Wait()
		is(t, p, "seen.at(-1)", `"asked true"`)
		b.SetDialogPolicy(actions.AcceptDialogs)
		click("#ask")
		is(t, p, "seen.at(-1)", `"asked true"`)
	})
}

func TestSubscribe(t *testing.T) {
	on(t, func(t *testing.T, b *actions.Browser) {
		var events recorder
		cancel := b.Subscribe(actions.PageEvents|actions.ConsoleEvents|actions.NetworkEvents, events.add).Cancel
		p := visit(t, b, "/form.html")
		if _, err := p.Requests(t.Context(), 1); err != nil { // by then it tells
			t.Fatal(err)
		}
		value(t, p, `fetch("/data.json?token=s3cret&x=1", { headers: { Authorization: "Bearer s3cret" } }).then((r) => r.json())`)
		value(t, p, `void (console.warn("careful", 7), setTimeout(() => { throw new Error("lost") }))`)
		c := events.await(t, func(e actions.Event) bool {
			c, ok := e.Body.(actions.ConsoleMessage)
			return ok && c.Level == "warning" && e.Page == p // the Host page of the other tests may warn, too
		})
		if m := c.Body.(actions.ConsoleMessage); m.Text != "careful 7" {
			t.Errorf("the message is %+v", m)
		}
		events.await(t, func(e actions.Event) bool {
			c, ok := e.Body.(actions.ConsoleMessage)
			return ok && c.Level == "error" && c.Text != ""
		})
		n := events.await(t, func(e actions.Event) bool {
			n, ok := e.Body.(actions.NetworkEvent)
			return ok && n.Type == "response" && n.Request.ResourceType == "fetch"
		})
		r := n.Body.(actions.NetworkEvent).Request
		if r.URL != shared.app.URL+"/data.json?token=[REDACTED]&x=1" || r.Status != 200 {
			t.Errorf("the request is %+v", r)
		}
		for name, value := range r.Headers {
			if name == "Authorization" && value != actions.Redacted {
				t.Errorf("%s is in the answer: %s", name, value)
			}
		}
		for name, value := range r.Response {
			if (name == "X-Api-Key" || name == "x-api-key") && value != actions.Redacted {
				t.Errorf("%s is in the answer: %s", name, value)
			}
		}
		events.await(t, func(e actions.Event) bool {
			c, ok := e.Body.(actions.PageChange)
			return ok && c.Type == "load" && e.Page == p
		})
		list, err := p.Requests(t.Context(), 0)
		if err != nil || !slices.ContainsFunc(list, func(o actions.Request) bool { return o.ID == r.ID && o.Status == 200 }) {
			t.Errorf("the requests are %+v, %v", list, err)
		}
		cancel()
		if err := b.ClosePage(t.Context(), p.ID); err != nil {
			t.Fatal(err)
		}
	})
}

func TestRoute(t *testing.T) {
	on(t, func(t *testing.T, b *actions.Browser) {
		p := visit(t, b, "/form.html")
		stop, err := p.Route(t.Context(), actions.Route{
			Patterns: []actions.RoutePattern{{URL: "*/data.json*"}},
			Decide: func(_ context.Context, r actions.Request) actions.RouteDecision {
				if r.URL == shared.app.URL+"/data.json?abort" {
					return actions.RouteDecision{Abort: "BlockedByClient"}
				}
				return actions.RouteDecision{Respond: &actions.RouteResponse{Status: 201, Body: []byte(`{"answer":0}`)}}
			},
		})
		if err != nil {
			t.Fatal(err)
		}
		get := `fetch("/data.json").then(async (r) => [r.status, (await r.json()).answer])`
		is(t, p, get, "[201,0]")
		is(t, p, `fetch("/data.json?abort").catch((e) => e.name)`, `"TypeError"`)
		if err := stop(t.Context()); err != nil {
			t.Fatal(err)
		}
		is(t, p, get, "[200,42]")
	})
}

// TestReadersLeaveDialogs has a page show a dialog to somebody who may answer
// it and to somebody who may only read: the latter's calls wait, within their
// time, and say for what.
func TestReadersLeaveDialogs(t *testing.T) {
	need(t)
	for kind, join := range map[actions.TargetKind]actions.Join{actions.BrowserTarget: shared.chromium.Join, actions.FrameTarget: shared.join} {
		t.Run(string(kind), func(t *testing.T) {
			owner := connect(t, kind, actions.Options{Dialogs: actions.AskDialogs})
			p := visit(t, owner, "/form.html")
			reader, err := actions.Caller{Join: join, Scope: "readonly", Options: actions.Options{Dialogs: actions.AcceptDialogs}}.Open(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(reader.Close)
			reader.SetDialogPolicy(actions.AcceptDialogs) // to no avail
			seen := find(t, reader, p.ID)
			title := func(ctx context.Context) error {
				_, err := seen.Content(ctx, "text", nil)
				return err
			}
			if err := title(t.Context()); err != nil {
				t.Fatal(err)
			}
			fails(t, seen.ArmDialog(t.Context(), actions.DialogAnswer{Accept: true}), actions.PermissionDenied)
			var asked, heard recorder
			defer owner.Subscribe(actions.DialogEvents, asked.add).Cancel()
			defer reader.Subscribe(actions.DialogEvents, heard.add).Cancel()
			var clicked sync.WaitGroup
			clicked.Go(func() {
				if _, err := p.Click(t.Context(), actions.CSS("#ask"), actions.ClickOptions{}); err != nil {
					t.Error(err)
				}
			})
			waits := func(e actions.Event) bool { return e.Body.(actions.Dialog).Waits }
			asked.await(t, waits)
			heard.await(t, waits)
			fails(t, seen.AnswerDialog(t.Context(), actions.DialogAnswer{Accept: true}), actions.PermissionDenied)
			ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
			err = title(ctx)
			cancel()
			if actions.KindOf(err) != actions.Timeout || !strings.Contains(err.Error(), "shows a dialog (confirm)") {
				t.Errorf("reading while a dialog is open: %v", err)
			}
			if _, open := p.OpenDialog(); !open {
				t.Error("the dialog has been answered")
			}
			if err := p.AnswerDialog(t.Context(), actions.DialogAnswer{Accept: true}); err != nil {
				t.Fatal(err)
			}
			clicked.Wait()
			is(t, p, "seen.at(-1)", `"asked true"`)
			if err := title(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
}
