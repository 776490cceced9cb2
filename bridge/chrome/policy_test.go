package chrome

import (
	"testing"
	"testing/synctest"
)

func TestCommandsThatWouldHitEverybodyAreRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := greeted(t, Options{})
		r.clients("a")
		r.says(`{"method":"Target.attachedToTarget","params":{"sessionId":"P","targetInfo":{"targetId":"T0","type":"page"}},"sessionId":"A"}`)
		r.forget()
		for _, s := range []string{"a", "P"} {
			for _, method := range []string{
				"Browser.crash", "Browser.crashGpuProcess", "Target.exposeDevToolsProtocol",
				"Target.setRemoteLocations", "Target.sendMessageToTarget", "Page.crash",
			} {
				r.refuses(s, method, `{"targetId":"T0"}`, "-32000 "+method+" is not allowed: ")
			}
		}
		r.refuses("a", "Fetch.enable", "", "-32000 Fetch.enable is not allowed ")
		r.wantSent()
		r.must("P", "Fetch.enable", "")
		r.wantSent(`{"id":14,"method":"Fetch.enable","params":{},"sessionId":"P"}`)
	})
}

func TestBrowserCloseIsAnsweredAndNotDone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := greeted(t, Options{})
		r.clients("a")
		r.must("a", "Browser.close", "")
		r.must("a", "Browser.close", `{}`)
		r.wantSent(
			`{"id":1,"method":"Browser.getVersion","params":{},"sessionId":"A"}`,
			`{"id":2,"method":"Browser.getVersion","params":{},"sessionId":"A"}`,
		)
		r.says(
			`{"id":1,"result":{"product":"Chrome"},"sessionId":"A"}`,
			`{"id":2,"error":{"code":-32601,"message":"a worker has no such method"},"sessionId":"A"}`,
		)
		r.wantTold("a 1 {}", "a 2 {}")
	})
}

func TestSessionsAreFlat(t *testing.T) {
	for _, c := range []struct{ params, want string }{
		{`{"targetId":"T0","flatten":true}`, `{"targetId":"T0","flatten":true}`},
		{`{"targetId":"T0"}`, `{"targetId":"T0","flatten":true}`},
		{`{"flatten":false,"targetId":"T0"}`, `{"flatten":true,"targetId":"T0"}`},
		{``, `{"flatten":true}`},
	} {
		synctest.Test(t, func(t *testing.T) {
			r := greeted(t, Options{})
			r.clients("a")
			r.must("a", "Target.attachToTarget", c.params)
			r.must("a", "Target.setAutoAttach", c.params)
			r.wantSent(
				`{"id":1,"method":"Target.attachToTarget","params":`+c.want+`,"sessionId":"A"}`,
				`{"id":2,"method":"Target.setAutoAttach","params":`+c.want+`,"sessionId":"A"}`,
			)
		})
	}
}
