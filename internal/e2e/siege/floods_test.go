package siege

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
)

// floodAttacks are too many of what is harmless alone.
func floodAttacks() []attack {
	return []attack{
		{name: "a command of 100 MiB", scope: "standard", in: everywhere, begin: func(ctx context.Context, a *attacker) {
			l, session := a.page(ctx, "/blank")
			head := fmt.Sprintf(`{"id":1,"sessionId":%q,"method":"Runtime.evaluate","params":{"expression":"0//`, session)
			l.write(ctx, head+text(100<<20-len(head)-3)+`"}}`)
		}},
		{name: "three sockets with commands of 100 MB", scope: "standard", in: everywhere, begin: func(ctx context.Context, a *attacker) {
			many(3, func(int) {
				l, session := a.page(ctx, "/blank")
				l.call(ctx, session, "Runtime.evaluate", object{"expression": "0//" + text(100_000_000)})
			})
		}},
		{name: "commands of a megabyte", scope: "standard", in: everywhere, begin: func(ctx context.Context, a *attacker) {
			l, session := a.page(ctx, "/blank")
			params := object{"expression": "0//" + text(1<<20)}
			repeat(ctx, 500, func(int) bool { return l.send(ctx, session, "Runtime.evaluate", params) })
		}},
		{name: "17 sockets with calls that never end", scope: "standard", in: everywhere, quick: true, begin: func(ctx context.Context, a *attacker) {
			many(17, func(int) {
				l, session := a.page(ctx, "/blank")
				for range 4096 {
					if !l.send(ctx, session, "Runtime.evaluate", object{"expression": "new Promise(() => {})", "awaitPromise": true}) {
						return
					}
				}
			})
		}},
		{name: "1,023 connections", scope: "readonly", in: everywhere, quick: true, begin: func(ctx context.Context, a *attacker) {
			many(16, func(int) { repeat(ctx, 64, func(int) bool { return a.connect(ctx) != nil }) })
			a.newcomer(ctx)
		}},
		{name: "connections that come and go", scope: "readonly", in: everywhere, begin: func(ctx context.Context, a *attacker) {
			many(4, func(int) {
				repeat(ctx, 500, func(int) bool {
					a.connect(ctx).close()
					return true
				})
			})
		}},
		{name: "connections that read nothing", scope: "standard", in: everywhere, begin: func(ctx context.Context, a *attacker) {
			l, session := a.page(ctx, "/blank")
			l.call(ctx, session, "Runtime.enable", nil)
			l.send(ctx, session, "Runtime.evaluate", object{"expression": "setInterval(() => console.log('x'.repeat(1e5)), 1)"})
			many(8, func(int) { a.deaf(ctx, session) })
		}},
		flood("sessions of one page", "readonly", everywhere, false, func(ctx context.Context, l *line, page string) bool {
			return l.send(ctx, "", "Target.attachToTarget", object{"targetId": page, "flatten": true})
		}),
		flood("sessions that come and go", "readonly", everywhere, false, func(ctx context.Context, l *line, page string) bool {
			var s struct{ SessionID string }
			if json.Unmarshal(l.call(ctx, "", "Target.attachToTarget", object{"targetId": page, "flatten": true}), &s) == nil {
				l.send(ctx, "", "Target.detachFromTarget", object{"sessionId": s.SessionID})
			}
			return true
		}),
		flood("sessions of the browser", "readonly", browsers, false, func(ctx context.Context, l *line, _ string) bool {
			return l.send(ctx, "", "Target.attachToBrowserTarget", nil)
		}),
		flood("contexts", "full", browsers, false, func(ctx context.Context, l *line, _ string) bool {
			return l.send(ctx, "", "Target.createBrowserContext", nil)
		}),
		{
			name: "a hundred pages", scope: "standard", in: browsers, begin: func(ctx context.Context, a *attacker) {
				l := a.connect(ctx)
				repeat(ctx, 100, func(int) bool {
					l.call(ctx, "", "Target.createTarget", object{"url": a.site.URL + "/blank"})
					return true
				})
			},
		},
		flood("questions for all targets", "readonly", everywhere, false, func(ctx context.Context, l *line, _ string) bool {
			return l.send(ctx, "", "Target.getTargets", nil)
		}),
		flood("methods that do not exist", "readonly", everywhere, false, func(ctx context.Context, l *line, _ string) bool {
			return l.send(ctx, "", "No.such", nil)
		}),
		flood("methods with long names", "readonly", everywhere, false, func(ctx context.Context, l *line, _ string) bool {
			return l.send(ctx, "", "Page."+text(1<<20), nil)
		}),
		flood("messages that are no JSON", "readonly", everywhere, false, func(ctx context.Context, l *line, _ string) bool {
			return l.write(ctx, `{"id":1,"method":"`+text(1000))
		}),
		flood("messages that are deep", "readonly", everywhere, false, func(ctx context.Context, l *line, _ string) bool {
			return l.write(ctx, `{"id":1,"method":"Page.enable","params":`+strings.Repeat(`{"a":`, 100000)+"1"+strings.Repeat("}", 100001))
		}),
		flood("sessions that do not exist", "readonly", everywhere, false, func(ctx context.Context, l *line, _ string) bool {
			return l.send(ctx, "0123456789ABCDEF0123456789ABCDEF", "Page.enable", nil)
		}),
		flood("mouse moves", "standard", everywhere, false, func(ctx context.Context, l *line, page string) bool {
			return l.send(ctx, page, "Input.dispatchMouseEvent", object{"type": "mouseMoved", "x": 1, "y": 1})
		}),
		{name: "scripts for each document", scope: "standard", in: everywhere, begin: func(ctx context.Context, a *attacker) {
			l, session := a.page(ctx, "/blank")
			repeat(ctx, 5000, func(int) bool {
				return l.send(ctx, session, "Page.addScriptToEvaluateOnNewDocument", object{"source": "for (;;) {}"})
			})
			l.send(ctx, session, "Page.reload", nil)
		}},
		{name: "every domain at once", scope: "full", in: everywhere, begin: func(ctx context.Context, a *attacker) {
			l, session := a.page(ctx, "/blank")
			for _, domain := range []string{"Accessibility", "Animation", "Audits", "CSS", "DOM", "DOMStorage", "Debugger", "Fetch", "IndexedDB", "Inspector", "LayerTree", "Log", "Network", "Overlay", "Page", "Performance", "Profiler", "Runtime", "Security", "ServiceWorker", "WebAudio"} {
				l.send(ctx, session, domain+".enable", nil)
			}
			l.send(ctx, session, "Runtime.evaluate", object{"expression": "setInterval(() => { for (let i = 0; i < 100; i++) { console.log(i); fetch('/megabyte').catch(() => {}); document.body.append(document.createElement('p')); } }, 10)"})
			<-ctx.Done()
		}},
		sent("a debugger that waits", "standard", browsers, false, "Debugger.enable", nil, "Runtime.evaluate", object{"expression": "debugger"}),
		{name: "requests that are held for ever", scope: "full", in: browsers, begin: func(ctx context.Context, a *attacker) {
			l, session := a.page(ctx, "/blank")
			l.call(ctx, session, "Fetch.enable", nil)
			l.send(ctx, session, "Runtime.evaluate", object{"expression": "for (let i = 0; i < 1000; i++) fetch('/megabyte?' + i).catch(() => {})"})
			<-ctx.Done()
		}},
		{name: "new pages that are held for ever", scope: "standard", in: browsers, begin: func(ctx context.Context, a *attacker) {
			l := a.connect(ctx)
			l.call(ctx, "", "Target.setAutoAttach", object{"autoAttach": true, "waitForDebuggerOnStart": true, "flatten": true})
			repeat(ctx, 20, func(int) bool { return l.send(ctx, "", "Target.createTarget", object{"url": a.site.URL + "/blank"}) })
			<-ctx.Done()
		}},
	}
}

// flood is an attack that repeats one message on four connections, at 20,000 times each at most.
// send gets the id of a page, or of the attacker's frame.
func flood(name, scope string, in setup, quick bool, send func(ctx context.Context, l *line, page string) bool) attack {
	return attack{name: name, scope: scope, in: in, quick: quick, begin: func(ctx context.Context, a *attacker) {
		page := a.attackersApp()
		if a.setup != frames {
			var made struct{ TargetID string }
			maker := a.connectTo(ctx, "/devtools/browser", tokenOf("standard"))
			_ = json.Unmarshal(maker.call(ctx, "", "Target.createTarget", object{"url": a.site.URL + "/blank"}), &made)
			page = made.TargetID
		}
		many(4, func(int) {
			l := a.connect(ctx)
			repeat(ctx, 20000, func(int) bool { return send(ctx, l, page) })
		})
	}}
}
