package server

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/cdphub/cdphub/internal/hubtest"
)

// TestR283OwnTabsOnEveryRoute walks all paths that the source has (TestR230EveryPathIsInTheWalk) with a token
// that sees its own tabs alone, before a frame is granted to it, while it has the frame, and after it was taken
// away; with another such token, to which nothing is granted; and with a token that sees all.
func TestR283OwnTabsOnEveryRoute(t *testing.T) {
	change, _ := withFile(t, "tokens:\n  - {name: own, token: "+ownToken+", role: client, scope: full, tabs: own}\n"+
		"  - {name: other, token: "+strangerToken+", role: client, scope: full, tabs: own}\n"+
		"  - {name: reads, token: "+readToken+", role: client, scope: readonly, tabs: own}\n"+
		"  - {name: all, token: "+everyToken+", role: client, scope: full}\n  - {token: "+hostToken+", role: host}\n")
	s := start(t, func(o *Options) {
		change(o)
		timelineOn(o)
		withDevTools(t, o)
		o.Tokens.TrustedProxies = []string{"127.0.0.0/8"} // each request comes from an address of its own
	})
	s.paired(t, hostToken)
	own := hubtest.Dial(t, "ws://"+s.addr(false)+"/devtools/browser?name=own", bearer(ownToken))
	own.Send(`{"id":1,"method":"CdpHub.getClients"}`)
	_, name, _ := strings.Cut(own.Until(`"id":1,`), `"you":"`)
	name, _, _ = strings.Cut(name, `"`)
	from := 0
	walk := func(when, token string, sees bool) {
		t.Helper()
		for _, r := range shareRoutes {
			if strings.Contains(r.path, "/ui/api/grant") || strings.Contains(r.path, "/ui/api/revoke") {
				r.body = strings.ReplaceAll(r.body, "ID", "T1")
			}
			from++
			got := s.ask(t, r, "", token, "T1", from)
			shows := strings.Contains(got.body, "http://app/1") || r.other != 0 && got.status != http.StatusNotFound && got.status != http.StatusForbidden
			switch {
			case !sees && shows:
				t.Errorf("%s: %s %s shows the frame: %d %s", when, r.method, r.path, got.status, got.body)
			case sees && r.other != 0 && r.own != http.StatusNotFound && got.status == http.StatusNotFound:
				t.Errorf("%s: %s %s does not know the frame: %s", when, r.method, r.path, got.body)
			}
		}
	}
	walk("a token that sees all", everyToken, true)
	walk("own tabs, and none", ownToken, false)
	walk("own tabs, to read", readToken, false)
	all := hubtest.Dial(t, "ws://"+s.addr(false)+"/devtools/browser", bearer(everyToken))
	turn := func(id int, method string) {
		all.Send(fmt.Sprintf(`{"id":%d,"method":"CdpHub.%s","params":{"targetId":"T1","client":%q}}`, id, method, name))
		if got := all.Until(fmt.Sprintf(`"id":%d,`, id)); strings.Contains(got, "error") {
			t.Fatal(got)
		}
	}
	turn(1, "grant")
	walk("own tabs, granted", ownToken, true)
	walk("own tabs, granted to another token", strangerToken, false)
	turn(2, "revoke")
	walk("own tabs, taken away", ownToken, false)
}
