package named

import (
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/cdphub/cdphub/internal/limittest"
)

// TestR296Limits goes to the length of a name, and to the grace time that the hub and the
// token allow, whichever is shorter.
func TestR296Limits(t *testing.T) {
	limittest.Reach(t, "maxName", maxName, func(n int) bool { return ValidName(strings.Repeat("x", n)) })
	limittest.Reach(t, "maxName of a quoted text", maxName, func(n int) bool { return !strings.Contains(quoteBeginning(strings.Repeat("x", n)), "…") })
	for name, limits := range map[string]struct{ hub, token int }{"hub": {10, 0}, "hub below token": {10, 20}, "token below hub": {20, 10}} {
		limittest.Reach(t, "grace of "+name, 10, func(seconds int) bool {
			ss := New(Options{Longest: time.Duration(limits.hub) * time.Second})
			grace := time.Duration(seconds) * time.Second
			w, err := ss.Read(url.Values{"session": {"a"}, "grace": {grace.String()}}, Granted{Longest: time.Duration(limits.token) * time.Second})
			return err == nil && w.Grace == grace
		})
	}
	limittest.Reach(t, "grace of a session that another node had", 10, func(seconds int) bool {
		there, here := newRig(t, Options{}), newRig(t, Options{Longest: 10 * time.Second})
		there.join("a", fmt.Sprintf("session=s&grace=%ds", seconds))
		there.move(t, here, there.sessions.Take)
		list := here.sessions.List(func(Owner) bool { return true })
		return len(list) == 1 && list[0].GraceMs == int64(seconds)*1000
	})
}
