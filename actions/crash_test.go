package actions_test

import (
	"context"
	"encoding/json"
	"testing"
	"time"

	"github.com/cdphub/cdphub/actions"
)

// TestCrashedPageKeepsItsAlias has a page's process die, and loads it again.
func TestCrashedPageKeepsItsAlias(t *testing.T) {
	need(t)
	var client actions.Client
	b, err := actions.Open(t.Context(), func(event actions.EventFunc) (_ actions.Client, err error) {
		client, err = shared.chromium.Join(event)
		return client, err
	}, actions.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.Close)
	p := visit(t, b, "/two.html")
	ask := func(session, method, params string) []byte {
		t.Helper()
		ctx, cancel := context.WithTimeout(t.Context(), patience)
		defer cancel()
		out, err := client.Send(session, method, []byte(params))(ctx)
		if err != nil {
			t.Fatalf("%s: %v", method, err)
		}
		return out
	}
	var made struct{ SessionID string }
	if err := json.Unmarshal(ask("", "Target.attachToTarget", `{"targetId":"`+p.ID+`","flatten":true}`), &made); err != nil {
		t.Fatal(err)
	}
	client.Send(made.SessionID, "Page.crash", nil) // which nobody is left to answer
	for end := time.Now().Add(patience); ; time.Sleep(5 * time.Millisecond) {
		if _, err := b.Page(p.ID); actions.KindOf(err) == actions.PageNotFound {
			break
		}
		if time.Now().After(end) {
			t.Fatal("the page has not crashed")
		}
	}
	ask(made.SessionID, "Page.navigate", `{"url":"`+shared.app.URL+`/form.html"}`)
	again := find(t, b, p.ID)
	if again.Alias != p.Alias {
		t.Errorf("the page was %s, and is %s", p.Alias, again.Alias)
	}
	if _, err := again.WaitForSelector(t.Context(), actions.CSS("#save"), actions.WaitOptions{}); err != nil {
		t.Error(err)
	}
	if err := b.ClosePage(t.Context(), p.ID); err != nil {
		t.Error(err)
	}
	if next := visit(t, b, "/two.html"); next.Alias == p.Alias {
		t.Errorf("%s is given again", next.Alias)
	}
}
