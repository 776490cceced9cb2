package siege

import (
	"context"
	"fmt"
	"strings"
)

// sent is an attack that sends the same commands, as fast as they are answered, in a session
// on a page of its own.
func sent(name, scope string, in setup, quick bool, commands ...any) attack {
	return attack{name: name, scope: scope, in: in, quick: quick, begin: func(ctx context.Context, a *attacker) {
		l, session := a.page(ctx, "/blank")
		if session == "" {
			return
		}
		repeat(ctx, 200, func(int) bool {
			for i := 0; i < len(commands); i += 2 {
				params, _ := commands[i+1].(object)
				l.call(ctx, session, commands[i].(string), params)
			}
			return true
		})
	}}
}

// evaluated is an attack by script of a Client.
func evaluated(name string, in setup, quick bool, source string) attack {
	return sent(name, "standard", in, quick, "Runtime.evaluate", object{"expression": source, "returnByValue": true})
}

// clip is the params of a screenshot of a part of the page.
func clip(width, height, scale float64) object {
	return object{"clip": object{"x": 0, "y": 0, "width": width, "height": height, "scale": scale}}
}

// metrics are the params of an emulated screen.
func metrics(width, height int, scale float64) object {
	return object{"width": width, "height": height, "deviceScaleFactor": scale, "mobile": false}
}

// commandAttacks are numbers, lists and texts that are larger than anybody needs.
func commandAttacks() []attack {
	return []attack{
		sent("screenshot of a huge clip", "readonly", everywhere, true, "Page.captureScreenshot", clip(1e9, 1e9, 1)),
		sent("screenshot of a large clip", "readonly", browsers, false, "Page.captureScreenshot", clip(1e5, 1e5, 1)),
		sent("screenshot of a clip with a huge scale", "readonly", everywhere, false, "Page.captureScreenshot", clip(100, 100, 1e6)),
		sent("screenshot of a clip with a tiny scale", "readonly", browsers, false, "Page.captureScreenshot", clip(1e4, 1e4, 1e-12)),
		sent("screenshot of a clip far away", "readonly", browsers, false, "Page.captureScreenshot",
			object{"captureBeyondViewport": true, "clip": object{"x": -1e9, "y": 1e9, "width": 10, "height": 10, "scale": 1}}),
		sent("screenshot with scaled metrics", "standard", browsers, false,
			"Emulation.setDeviceMetricsOverride", metrics(800, 600, 100), "Page.captureScreenshot", nil),
		sent("screenshot with huge metrics", "standard", browsers, false,
			"Emulation.setDeviceMetricsOverride", metrics(10000000, 10000000, 1), "Page.captureScreenshot", nil),
		sent("screencast with huge metrics", "standard", browsers, false,
			"Emulation.setDeviceMetricsOverride", metrics(30000, 30000, 3), "Page.startScreencast", object{"format": "png", "everyNthFrame": 1}),
		sent("page scale without an end", "standard", browsers, false, "Emulation.setPageScaleFactor", object{"pageScaleFactor": 1e30}),
		sent("tiny paper", "standard", browsers, true, "Page.printToPDF", object{"paperWidth": 1e-9, "paperHeight": 1e-9}),
		sent("huge paper", "standard", browsers, false, "Page.printToPDF", object{"paperWidth": 1e9, "paperHeight": 1e9}),
		sent("a page of paper for each line", "standard", browsers, false, "Runtime.evaluate",
			object{"expression": "document.body.style.height = '1e8px'"}, "Page.printToPDF", object{"scale": 0.1, "paperHeight": 0.1}),
		{name: "a window of two billion pixels", scope: "standard", in: browsers, begin: func(ctx context.Context, a *attacker) {
			l, _ := a.page(ctx, "/blank")
			repeat(ctx, 100, func(i int) bool {
				l.call(ctx, "", "Browser.setWindowBounds", object{"windowId": 1 + i%5, "bounds": object{"width": 2147483647, "height": 2147483647}})
				return true
			})
		}},
		{name: "snapshot with 150,000 styles", scope: "readonly", in: everywhere, begin: func(ctx context.Context, a *attacker) {
			maker := &attacker{world: a.world, token: tokenOf("standard")}
			l, session := maker.page(ctx, "/blank")
			l.call(ctx, session, "Runtime.evaluate", object{"expression": "document.body.innerHTML = '<p>p</p>'.repeat(500)"})
			styles := object{"computedStyles": names(150000)}
			repeat(ctx, 3, func(int) bool { l.call(ctx, session, "DOMSnapshot.captureSnapshot", styles); return true })
		}},
		sent("snapshot with 5,000 styles", "readonly", everywhere, false, "DOMSnapshot.captureSnapshot", object{"computedStyles": names(5000)}),
		evaluated("an answer of 300 MB", everywhere, true, "'x'.repeat(300e6)"),
		evaluated("answers of 20 MB", everywhere, false, "'x'.repeat(20e6)"),
		evaluated("an answer of 300 MB of other letters", browsers, false, "'\\u0001'.repeat(60e6)"),
		evaluated("an exception of 300 MB", browsers, false, "throw 'x'.repeat(300e6)"),
		sent("an answer of a million properties", "standard", browsers, false, "Runtime.evaluate", object{"expression": "[...Array(1e6).keys()]", "generatePreview": true, "returnByValue": true}),
		sent("the document of a million nodes", "readonly", browsers, false, "DOM.getDocument", object{"depth": 2147483647, "pierce": true}),
		evaluated("a document of a million nodes", browsers, false, "document.body.innerHTML = '<b></b>'.repeat(1e6); document.body.innerHTML"),
		sent("a search for everything", "readonly", browsers, false, "DOM.performSearch", object{"query": strings.Repeat("//*", 20000)}),
		sent("a selector of a megabyte", "readonly", browsers, false, "DOM.querySelectorAll", object{"nodeId": 1, "selector": strings.Repeat(":not(", 200000)}),
		sent("a throttled processor", "standard", browsers, false, "Emulation.setCPUThrottlingRate", object{"rate": 1e9}),
		sent("virtual time without an end", "standard", browsers, false, "Emulation.setVirtualTimePolicy", object{"policy": "pause", "budget": 1e300}),
		sent("a gesture of a million pixels", "standard", browsers, false, "Input.synthesizeScrollGesture", object{"x": 1, "y": 1, "yDistance": -1e9, "repeatCount": 2147483647, "speed": 1}),
		sent("text of ten megabytes", "standard", everywhere, false, "Input.insertText", object{"text": text(10 << 20)}),
		sent("addresses of a hundred thousand", "full", browsers, false, "Network.setBlockedURLs", object{"urls": names(100000)}),
		sent("patterns of a hundred thousand", "full", browsers, false, "Fetch.enable", object{"patterns": manyPatterns(100000)}),
		sent("a cookie of a megabyte", "full", browsers, false, "Network.setCookie", object{"name": "a", "value": text(1 << 20), "url": "http://127.0.0.1/"}),
		sent("a quota of nothing", "full", browsers, false, "Storage.overrideQuotaForOrigin", object{"origin": "http://127.0.0.1", "quotaSize": 0}),
		sent("a user agent of a megabyte", "standard", browsers, false, "Emulation.setUserAgentOverride", object{"userAgent": text(1 << 20)}),
		sent("headers of a megabyte", "full", browsers, false, "Network.setExtraHTTPHeaders", object{"headers": object{"X-Long": text(1 << 20)}}, "Page.reload", nil),
		sent("an address of two megabytes", "standard", browsers, false, "Page.navigate", object{"url": "data:text/html," + text(2<<20)}),
		sent("a heap snapshot", "standard", browsers, false, "HeapProfiler.takeHeapSnapshot", nil),
		sent("a profile of every microsecond", "standard", browsers, false, "Profiler.setSamplingInterval", object{"interval": 1}, "Profiler.enable", nil, "Profiler.start", nil),
		sent("the end of a renderer", "standard", browsers, false, "Page.crash", nil),
		sent("a page of crashes", "standard", browsers, false, "Page.navigate", object{"url": "chrome://crash"}),
		{name: "the end of the browser", scope: "full", in: browsers, begin: func(ctx context.Context, a *attacker) {
			l := a.connect(ctx)
			for _, method := range []string{"Browser.crash", "Browser.crashGpuProcess", "Browser.close", "Tracing.start", "SystemInfo.getInfo", "Memory.simulatePressureNotification", "Page.close"} {
				l.call(ctx, "", method, object{"level": "critical"})
			}
		}},
		{name: "a filter of a hundred thousand kinds", scope: "readonly", in: everywhere, begin: func(ctx context.Context, a *attacker) {
			filter := make([]object, 100000)
			for i := range filter {
				filter[i] = object{"type": fmt.Sprint("kind-", i), "exclude": i%2 == 0}
			}
			l := a.connect(ctx)
			repeat(ctx, 20, func(int) bool {
				l.call(ctx, "", "Target.setDiscoverTargets", object{"discover": true, "filter": filter})
				l.call(ctx, "", "Target.getTargets", object{"filter": filter})
				return true
			})
		}},
	}
}

// manyPatterns are n patterns of requests.
func manyPatterns(n int) []object {
	list := make([]object, n)
	for i := range list {
		list[i] = object{"urlPattern": fmt.Sprint("*", i, "*?*")}
	}
	return list
}
