package chrome

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cdphub/cdphub/internal/wsconn"
)

// askingChrome is the address of a browser that answers a connection as its user does.
func askingChrome(t *testing.T, answers <-chan bool) string {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !<-answers {
			http.Error(w, "Connection rejected", http.StatusForbidden)
			return
		}
		if c, err := wsconn.Upgrade(w, r, wsconn.Options{}); err == nil {
			c.Serve(t.Context(), func([]byte) {})
		}
	}))
	t.Cleanup(s.Close)
	return strings.TrimPrefix(s.URL, "http://127.0.0.1:")
}

// TestR410Own wants a connection to the user's own Chrome to wait until there is one, past what
// one has left that has ended, and to take her answer.
func TestR410Own(t *testing.T) {
	profile, answers := t.TempDir(), make(chan bool)
	leave := func(port string) {
		if err := os.WriteFile(filepath.Join(profile, activePort), fmt.Appendf(nil, "%s\n/devtools/browser/1", port), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	gone := httptest.NewServer(nil)
	leave(strings.TrimPrefix(gone.URL, "http://127.0.0.1:"))
	gone.Close()
	waiting := make(chan error, 10)
	o := Options{URL: Own, Profile: profile, Waiting: func(why error) { waiting <- why }}
	for _, allowed := range []bool{false, true} {
		ended := make(chan error, 1)
		go func() {
			c, err := openBrowser(t.Context(), o)
			if err == nil {
				c.Close()
				c.Serve(receiver{}) //nolint:errcheck // it was closed
			}
			ended <- err
		}()
		if !allowed {
			if why := <-waiting; !errors.Is(why, ErrSwitchedOff) {
				t.Fatalf("before there is a Chrome: %v", why)
			}
			leave(askingChrome(t, answers))
		}
		if why := <-waiting; !errors.Is(why, ErrAsks) {
			t.Fatalf("while Chrome asks: %v", why)
		}
		answers <- allowed
		if err := <-ended; allowed && err != nil || !allowed && !errors.Is(err, ErrDenied) {
			t.Errorf("allowed is %v: %v", allowed, err)
		}
	}
	if len(waiting) > 0 {
		t.Errorf("then it waits for: %v", <-waiting)
	}
}

func TestDataFolders(t *testing.T) {
	variables := map[string]string{"HOME": "/h", "LocalAppData": `C:\L`}
	lookup := func(name string) (string, bool) { v, ok := variables[name]; return v, ok }
	for system, want := range map[string]string{
		"linux":   "/h/.config/google-chrome",
		"darwin":  "/h/Library/Application Support/Google/Chrome Canary",
		"windows": `C:\L\Microsoft\Edge\User Data`,
	} {
		if list := dataFolders(system, lookup); !slices.Contains(list, want) {
			t.Errorf("%s: %q", system, list)
		}
	}
	variables["XDG_CONFIG_HOME"] = "/x"
	if list := dataFolders("linux", lookup); list[0] != "/x/google-chrome" {
		t.Errorf("with XDG_CONFIG_HOME: %q", list)
	}
	delete(variables, "LocalAppData")
	if list := dataFolders("windows", lookup); len(list) > 0 {
		t.Errorf("without LocalAppData: %q", list)
	}
}
