package conformance

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/cdphub/cdphub/server"
)

// TestBAPCreateChecksRedirects opens pages that are redirected to where they may
// not be: they are refused, and gone, before time runs out.
func TestBAPCreateChecksRedirects(t *testing.T) {
	s := newAgents(t, func(f *server.Options) { f.Network.Allow = []string{"127.0.0.1"} })
	a := s.launched(t, "/hub/chromium/bap")
	for to, code := range map[string]int{"http://169.254.169.254/": -32602, strings.Replace(s.app.URL, "127.0.0.1", "localhost", 1) + "/two.html": -32041} {
		for _, more := range []string{``, `,"locale":"de-DE"`} {
			begun := time.Now()
			a.fails("page/create", fmt.Sprintf(`{"url":%q%s}`, s.app.URL+"/redirect?to="+to, more), code)
			if took := time.Since(begun); took > 25*time.Second {
				t.Errorf("%s%s: it took %v, as if all 30 s were needed", to, more, took)
			}
		}
	}
	if list := a.must("page/list", `{}`); strings.Contains(list, "redirect") || strings.Contains(list, "two.html") {
		t.Errorf("what may not be shown is left: %s", list)
	}
}
