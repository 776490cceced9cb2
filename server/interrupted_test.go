package server

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/cdphub/cdphub/relay/quota"
	"github.com/cdphub/cdphub/server/internal/front"
	"github.com/cdphub/cdphub/server/internal/sandboxes"
)

// TestR288InterruptedSandboxes interrupts the making of a sandbox while its browser starts.
// Whoever has left gets no sandbox, and its place, its browser and its hub are given back.
func TestR288InterruptedSandboxes(t *testing.T) {
	for name, row := range map[string]struct {
		leaves bool
		fail   error
		live   int
	}{
		"nothing":       {false, nil, 1},
		"Client leaves": {true, nil, 0},
		"browser fails": {false, errors.New("no browser"), 0},
	} {
		t.Run(name, func(t *testing.T) {
			starts, goOn := make(chan struct{}), make(chan struct{})
			s := start(t, func(o *Options) {
				o.Browsers = fakeBrowsers(func() error {
					close(starts)
					<-goOn
					return row.fail
				}, front.SandboxPrefix+"*")
			})
			ctx, leave := context.WithCancel(t.Context())
			defer leave()
			answer, made := httptest.NewRecorder(), make(chan struct{})
			go func() {
				s.Handler().ServeHTTP(answer, httptest.NewRequestWithContext(ctx, http.MethodPost, "http://localhost"+sandboxes.Path, http.NoBody))
				close(made)
			}()
			<-starts
			if row.leaves {
				leave()
				<-made // the browser still starts
			}
			close(goOn)
			<-made
			places := int64(0)
			for _, u := range s.quotas.Usage() {
				for _, n := range u.Used {
					if u.Resource == quota.Sandboxes {
						places += n
					}
				}
			}
			if n := len(s.sandboxes.Names()); n != row.live || places != int64(row.live) || (answer.Code == http.StatusCreated) != (row.live == 1) {
				t.Errorf("there are %d sandboxes, want %d; places are taken: %d; the answer is %d", n, row.live, places, answer.Code)
			}
			for _, hub := range s.sandboxes.Names() {
				s.sandboxes.End(hub)
			}
		})
	}
}
