package actions

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cdphub/cdphub/internal/wire"
)

// script is a Client whose answers a function gives: "" means no answer, and an
// answer that begins with "!" is an error.
type script func(session, method string) string

func (s script) Send(session, method string, _ []byte) func(context.Context) ([]byte, error) {
	answer := s(session, method)
	return func(ctx context.Context) ([]byte, error) {
		if answer == "" {
			<-ctx.Done()
			return nil, ctx.Err()
		}
		if text, failed := strings.CutPrefix(answer, "!"); failed {
			return nil, wire.ServerError(text)
		}
		return []byte(answer), nil
	}
}

func (script) Leave() {}

// open opens a Browser on the script, with one page, T1.
func (s script) open(t *testing.T) (*Browser, *Page) {
	t.Helper()
	b, err := Open(t.Context(), func(event EventFunc) (Client, error) {
		event("", "Target.targetCreated", []byte(`{"targetInfo":{"targetId":"T1","type":"page"}}`))
		return s, nil
	}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.Close)
	p, err := b.Page("T1")
	if err != nil {
		t.Fatal(err)
	}
	return b, p
}

// TestSilentSessionsAreReplaced attaches to a page whose first sessions answer
// nothing.
func TestSilentSessionsAreReplaced(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sessions := 0
		var detached atomic.Int32 // in the background
		_, p := script(func(session, method string) string {
			switch {
			case method == "Target.attachToTarget":
				sessions++
				return fmt.Sprintf(`{"sessionId":"S%d"}`, sessions)
			case method == "Target.detachFromTarget":
				detached.Add(1)
			case session == "S1", session == "S2":
				return ""
			}
			return "{}"
		}).open(t)
		begun := time.Now()
		s, err := p.attach(t.Context())
		if took := time.Since(begun); err != nil || s != "S3" || took != 3*attaching {
			t.Errorf("%s, %v after %v, want S3 after %v", s, err, took, 3*attaching)
		}
		synctest.Wait()
		if n := detached.Load(); n != 2 {
			t.Errorf("%d silent sessions were detached from, want 2", n)
		}
	})
}

// TestClosingIsAskedForAgain closes a page that is deaf to it at first.
func TestClosingIsAskedForAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		asked := 0
		var b *Browser
		b, _ = script(func(_, method string) string {
			if method == "Target.closeTarget" {
				if asked++; asked == 3 {
					b.event("", "Target.targetDestroyed", []byte(`{"targetId":"T1"}`))
				}
			}
			return "{}"
		}).open(t)
		begun := time.Now()
		err := b.ClosePage(t.Context(), "T1")
		if took := time.Since(begun); err != nil || asked != 3 || took != 3*closing {
			t.Errorf("%v after %v and %d times, want 3 times in %v", err, took, asked, 3*closing)
		}
	})
}

// TestClosingWhatGoes closes a page that Chromium has just begun to remove.
func TestClosingWhatGoes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var b *Browser
		b, _ = script(func(_, method string) string {
			if method != "Target.closeTarget" {
				return "{}"
			}
			go b.event("", "Target.targetDestroyed", []byte(`{"targetId":"T1"}`))
			return "!No target found for targetId"
		}).open(t)
		if err := b.ClosePage(t.Context(), "T1"); err != nil {
			t.Error(err)
		}
	})
}

// TestPagesThatFailedHaveGone opens a page that a Host makes and removes
// again, while subscribers read their events late.
func TestPagesThatFailedHaveGone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var b *Browser
		b, _ = script(func(_, method string) string {
			if method == "Target.createTarget" {
				b.event("", "Target.targetCreated", []byte(`{"targetInfo":{"targetId":"T2","type":"page"}}`))
				time.Sleep(time.Millisecond) // subscribers begin to read
				b.event("", "Target.targetDestroyed", []byte(`{"targetId":"T2"}`))
				return "!The new Target's " + withoutAgent
			}
			return "{}"
		}).open(t)
		defer b.Subscribe(PageEvents, func(Event) { time.Sleep(time.Second) }).Cancel()
		_, _, err := b.OpenPage(t.Context(), "http://127.0.0.1/", "")
		if list := b.Pages(); KindOf(err) != NavigationFailed || len(list) != 1 {
			t.Errorf("%v, and the pages are %+v", err, list)
		}
	})
}

// TestSubscriptionsAreReady subscribes to a page that takes its time, and to one
// that never answers.
func TestSubscriptionsAreReady(t *testing.T) {
	for answer, want := range map[string]time.Duration{"{}": 2 * time.Second, "": unready} {
		synctest.Test(t, func(t *testing.T) {
			b, p := script(func(_, method string) string {
				switch method {
				case "Target.attachToTarget":
					time.Sleep(time.Second)
					return `{"sessionId":"S1"}`
				case "Network.enable":
					time.Sleep(time.Second)
					return answer
				}
				return "{}"
			}).open(t)
			begun := time.Now()
			defer b.Subscribe(NetworkEvents, func(Event) {}).Cancel()
			s := p.Subscribe(NetworkEvents|ConsoleEvents, func(Event) {})
			s.Ready(t.Context())
			if took := time.Since(begun); took != want {
				t.Errorf("it took %v, want %v", took, want)
			}
		})
	}
}

// TestDomainsGoWithTheirSession ends a page's session while a domain is being enabled in it:
// the next session enables it again.
func TestDomainsGoWithTheirSession(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var b *Browser
		var p *Page
		sessions, enabled := 0, ""
		b, p = script(func(session, method string) string {
			switch method {
			case "Target.attachToTarget":
				sessions++
				return fmt.Sprintf(`{"sessionId":"S%d"}`, sessions)
			case "Network.enable":
				if enabled += session; session == "S1" {
					b.event("", "Target.detachedFromTarget", []byte(`{"sessionId":"S1","targetId":"T1"}`))
					time.Sleep(time.Second) // it is taken before the answer
				}
			}
			return "{}"
		}).open(t)
		for range 3 {
			_, _ = p.Requests(t.Context(), 1)
		}
		if enabled != "S1S2" {
			t.Errorf("it was enabled in %s, want S1 and S2", enabled)
		}
	})
}

// TestLeftDialogsEnd has a tab show a dialog to a caller that leaves it to
// others, of whom there are none, or one.
func TestLeftDialogsEnd(t *testing.T) {
	for _, answered := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			var handled atomic.Int32 // in the background
			b, p := script(func(_, method string) string {
				switch method {
				case "Target.attachToTarget":
					return `{"sessionId":"S1"}`
				case "Page.handleJavaScriptDialog":
					handled.Add(1)
				}
				return "{}"
			}).open(t)
			b.SetDialogPolicy(LeaveDialogs)
			if _, err := p.attach(t.Context()); err != nil {
				t.Fatal(err)
			}
			b.event("S1", "Page.javascriptDialogOpening", []byte(`{"type":"confirm"}`))
			time.Sleep(askTimeout - time.Second)
			synctest.Wait()
			if n := handled.Load(); n != 0 {
				t.Errorf("it is answered %d times before others have had time", n)
			}
			want := int32(1)
			if answered {
				b.event("S1", "Page.javascriptDialogClosed", []byte(`{}`))
				want = 0
			}
			time.Sleep(2 * time.Second)
			synctest.Wait()
			if n := handled.Load(); n != want {
				t.Errorf("others have answered: %v; it was then closed %d times, want %d", answered, n, want)
			}
		})
	}
}
