package remote

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/cdphub/cdphub/internal/hubtest"
	"github.com/cdphub/cdphub/internal/wsconn"
)

// TestWhatIsNoHub connects to servers that are none, and wants to be told what is
// wrong and what to do.
func TestWhatIsNoHub(t *testing.T) {
	t.Parallel()
	answers := func(status int) func(*testing.T) string {
		return func(t *testing.T) string {
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status) }))
			t.Cleanup(s.Close)
			return s.Listener.Addr().String()
		}
	}
	listens := func(t *testing.T) net.Listener {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = l.Close() })
		return l
	}
	for name, tt := range map[string]struct {
		server func(*testing.T) string
		want   string
	}{
		"nothing listens": {func(t *testing.T) string { return hubtest.FreeAddr(t) }, "nothing listens at http://ADDR: start a hub there"},
		"it is silent":    {func(t *testing.T) string { return listens(t).Addr().String() }, "the server at http://ADDR does not answer, and is not a hub: check --url"},
		"another service": {answers(http.StatusNotFound), "the server at http://ADDR is not a hub"},
		"an app":          {answers(http.StatusOK), "the server at http://ADDR is not a hub"},
		"a token":         {answers(http.StatusUnauthorized), "the hub at http://ADDR refuses this token"},
		"no HTTP": {func(t *testing.T) string {
			l := listens(t)
			go func() {
				for c, err := l.Accept(); err == nil; c, err = l.Accept() {
					_, _ = c.Write([]byte("SSH-2.0-x\r\n"))
					_ = c.Close()
				}
			}()
			return l.Addr().String()
		}, "the server at http://ADDR cannot be used as a hub"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			address := tt.server(t)
			endpoint := "ws://" + address + "/devtools/browser"
			err := probeHealth(endpoint, 50*time.Millisecond)
			if err == nil || name != "it is silent" && strings.Contains(err.Error(), "does not answer") {
				_, err = Join(endpoint, nil)(nil)
			}
			if err == nil || !strings.Contains(err.Error(), strings.ReplaceAll(tt.want, "ADDR", address)) {
				t.Errorf("%v, want %q", err, tt.want)
			}
		})
	}
}

// TestCallsThatAreGivenUp wants a call that its caller does not wait for any more to keep no
// place: a hub may never answer it.
func TestCallsThatAreGivenUp(t *testing.T) {
	near, far := wsconn.Pipe(wsconn.Limits{}, wsconn.Limits{})
	c := newClient(near, func(string, string, []byte) {})
	t.Cleanup(func() { far.Close(wsconn.ReasonNormal); c.Leave() })
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := c.Send("", "Browser.getVersion", nil)(ctx)
	c.mu.Lock()
	defer c.mu.Unlock()
	if !errors.Is(err, context.Canceled) || len(c.waiting) != 0 {
		t.Errorf("%v, and %d calls wait", err, len(c.waiting))
	}
}
