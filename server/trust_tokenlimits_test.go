package server

import (
	"fmt"
	"strings"
	"testing"

	"github.com/cdphub/cdphub/internal/wsconn"
)

// TestR350LimitsInARealBrowser has a token that may have two tabs open them: by its own
// command, by that of a page's session, and by a page. They count after its Client has left.
func TestR350LimitsInARealBrowser(t *testing.T) {
	change, _ := withFile(t, "tokens:\n  - {name: small, token: "+clientToken+", role: client, hub: \"*\", scope: full, share: one, limits: {tabs: 2}}\n"+
		"  - {name: other, token: "+otherToken+", role: client, hub: \"*\", scope: full, share: one}\n")
	s := start(t, func(o *Options) {
		change(o)
		shortDrain(o)
		o.Browsers = testBrowser()
	})
	join := func(token string) *far {
		return dial(t, "ws://"+s.addr(false)+"/hub/chromium/devtools/browser", bearer(token))
	}
	const create = `{"id":1,"method":"Target.createTarget","params":{"url":"about:blank"}%s}`
	open := func(p *far, at string) string {
		p.send(fmt.Sprintf(create, at))
		return p.until(`{"id":1,`)
	}
	closed := func(p *far, page string) {
		p.send(fmt.Sprintf(`{"id":2,"method":"Target.closeTarget","params":{"targetId":%q}}`, page))
		p.until(`Target.targetDestroyed","params":{"targetId":"` + page)
	}
	const refused = `"message":"Too many tabs: This token has 2 tabs`

	p := join(clientToken)
	p.send(`{"id":3,"method":"Target.setDiscoverTargets","params":{"discover":true}}`)
	first := resultText(t, open(p, ""), "targetId")
	session := p.Attach(first)
	second := resultText(t, open(p, fmt.Sprintf(`,"sessionId":%q`, session)), "targetId")
	if got := open(p, ""); !strings.Contains(got, refused) {
		t.Errorf("a third tab: %s", got)
	}
	if got := open(p, fmt.Sprintf(`,"sessionId":%q`, session)); !strings.Contains(got, refused) {
		t.Errorf("a third tab by the session of a page: %s", got)
	}
	if got := open(join(otherToken), ""); !strings.Contains(got, `"targetId"`) {
		t.Errorf("another token: %s", got)
	}
	closed(p, second)
	p.send(fmt.Sprintf(`{"id":4,"method":"Runtime.evaluate","params":{"expression":"open('about:blank') && 1","userGesture":true},"sessionId":%q}`, session))
	p.until(`"openerId":"` + first)
	if got := open(p, ""); !strings.Contains(got, refused) {
		t.Errorf("beside a window of its page: %s", got)
	}
	p.Conn.Close(wsconn.ReasonNormal)
	p = join(clientToken)
	if got := open(p, ""); !strings.Contains(got, refused) {
		t.Errorf("after its Client has left: %s", got)
	}
	p.send(`{"id":3,"method":"Target.setDiscoverTargets","params":{"discover":true}}`)
	closed(p, first)
	resultText(t, open(p, ""), "targetId")
}
