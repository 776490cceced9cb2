package bap

import (
	"context"
	"testing"
	"testing/synctest"

	"github.com/cdphub/cdphub/actions"
	"github.com/cdphub/cdphub/internal/waittest"
)

// slowClient answers one method only once the test allows it, also when its caller has gone.
type slowClient struct {
	actions.Client
	method string
	goOn   chan struct{}
}

func (c slowClient) Send(session, method string, params []byte) func(context.Context) ([]byte, error) {
	wait := c.Client.Send(session, method, params)
	return func(ctx context.Context) ([]byte, error) {
		if method == c.method {
			<-c.goOn
		}
		return wait(ctx)
	}
}

// TestR287InterruptedSessions interrupts what a session waits for. A session that has ended has
// no connection to the hub, one that goes on has one, and its lock is free.
func TestR287InterruptedSessions(t *testing.T) {
	for function, op := range map[string]struct {
		method string
		begin  func(ctx context.Context, s *session) error
	}{
		"bap.session.open": {"Target.setDiscoverTargets", func(ctx context.Context, s *session) error {
			_, err := s.open(ctx)
			return err
		}},
		"bap.createContext": {"Target.createBrowserContext", func(ctx context.Context, s *session) error {
			_, err := createContext(ctx, &call{session: s}, createContextParams{})
			return err
		}},
		"bap.session.openPage": {"Target.createTarget", func(ctx context.Context, s *session) error {
			s.launched = true
			_, err := createPage(ctx, &call{session: s}, createPageParams{})
			return err
		}},
		"bap.subscribeEvents": {"Target.setDiscoverTargets", func(ctx context.Context, s *session) error {
			_, err := subscribeEvents(ctx, &call{session: s}, subscribeParams{})
			return err
		}},
	} {
		for name, row := range map[string]struct {
			interrupt func(s *session, cancel func())
			there     int // connections afterwards
		}{
			"nothing":                  {func(*session, func()) {}, 1},
			"session ends":             {func(s *session, _ func()) { s.end() }, 0},
			"caller leaves":            {func(_ *session, cancel func()) { cancel() }, -1},
			"session ends, and caller": {func(s *session, cancel func()) { s.end(); cancel() }, 0},
			"browser is closed":        {func(s *session, _ func()) { go s.detach() }, 0},
			"another call opens it":    {func(s *session, _ func()) { go s.open(context.Background()) }, 1},
		} {
			t.Run(function+"/"+name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					hub, goOn := &fakeHub{}, make(chan struct{})
					caller := hub.caller()
					caller.Join = func(event actions.EventFunc) (actions.Client, error) {
						c, err := hub.join(event)
						return slowClient{c, op.method, goOn}, err
					}
					s := newSession(&connection{srv: New(Options{}), caller: caller}, sessionKey{id: "s"})
					ctx, cancel := context.WithCancel(t.Context())
					defer cancel()
					ended := make(chan error, 1)
					go func() { ended <- op.begin(ctx, s) }()
					waittest.Wants(t, function)
					row.interrupt(s, cancel)
					synctest.Wait()
					close(goOn)
					err := <-ended
					synctest.Wait()
					if n := hub.there(); n != row.there && row.there >= 0 {
						t.Errorf("%d connections to the hub are left, want %d (%v)", n, row.there, err)
					}
					s.opening <- struct{}{} // else a bubble that never ends
					s.end()
					if n := hub.there(); n != 0 {
						t.Errorf("%d connections outlive their session", n)
					}
				})
			})
		}
	}
}
