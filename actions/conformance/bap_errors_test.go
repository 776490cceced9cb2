package conformance

import "slices"

// bapErrors are errors and bad input.
var bapErrors = []bapMethod{
	{"(any)", []bapCase{
		{name: "unknown method", params: `{}`, raw: `{"jsonrpc":"2.0","id":"x","method":"page/fly"}`, want: `"error":{"code":-32601,"message":"Unknown method: page/fly"`, on: initialized},
		{name: "before initialize", raw: `{"jsonrpc":"2.0","id":1,"method":"page/list"}`, want: `"error":{"code":-32001,`, on: connected},
		{name: "no JSON", raw: `{"jsonrpc":`, want: `{"jsonrpc":"2.0","error":{"code":-32700,`, on: initialized},
		{name: "a batch", raw: `[{"jsonrpc":"2.0","id":1,"method":"page/list"}]`, want: `{"jsonrpc":"2.0","error":{"code":-32600,`, on: initialized},
		{name: "without a method", raw: `{"jsonrpc":"2.0","id":1}`, want: `"error":{"code":-32600,`, on: initialized},
		{name: "without jsonrpc", raw: `{"id":7,"method":"context/list"}`, want: `"id":7}`, on: initialized},
		{name: "an id of text", raw: `{"jsonrpc":"2.0","id":"seven","method":"context/list"}`, want: `"id":"seven"}`, on: initialized},
		{name: "params that are an array", raw: `{"jsonrpc":"2.0","id":1,"method":"page/list","params":[]}`, want: `"error":{"code":-32602,`, on: initialized},
	}},
	{"initialize", []bapCase{
		{name: "normal", raw: `{"jsonrpc":"2.0","id":1,"method":"initialize","params":` + initializeParams + `}`, want: `"result":{"capabilities":{`, on: connected},
		{name: "twice", params: initializeParams, code: -32002, on: initialized},
		{name: "another version", raw: `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"9.0.0"}}`, want: `"error":{"code":-32602,`, on: connected},
	}},
	{"shutdown", []bapCase{{name: "normal", params: `{}`, want: `{}`, on: initialized}}},
	{"browser/launch", []bapCase{
		{name: "normal", params: `{}`, want: `"defaultContext":"`, on: initialized},
		{name: "at an address", params: `{"cdpUrl":"http://127.0.0.1:9222"}`, code: -32602, want: `"field":"cdpUrl"`, on: initialized},
		{name: "with arguments", params: `{"args":["--x"]}`, code: -32602, want: `"field":"args"`, on: initialized},
		{name: "no such browser", params: `{"browser":"lynx"}`, code: -32602, want: `"field":"browser"`, on: initialized},
	}},
	{"browser/close", []bapCase{{name: "normal", params: `{}`, want: `{}`, on: initialized}}},
	{"page/create", []bapCase{
		{name: "failed", params: `{"url":"http://127.0.0.1:1/"}`, code: -32015, want: `"Navigation failed: http://127.0.0.1:1/ cannot be reached`},
		{name: "normal", params: `{"url":"{{app}}/two.html"}`, want: `"url":"{{app}}/two.html","title":"Second page","viewport":{"width":`},
		{name: "before launch", params: `{}`, code: -32010, on: initialized},
		{name: "bad input", params: `{"viewport":{"width":-1,"height":1}}`, code: -32602, want: `"field":"viewport`},
	}},
	{"page/navigate", []bapCase{
		{name: "failed", params: `{"url":"http://127.0.0.1:1/","timeout":15000}`, code: -32015, want: `"retryAfterMs":1000`},
		{name: "without a URL", params: `{}`, code: -32602, want: `"field":"url"`},
		{name: "observing badly", params: `{"url":"{{app}}/","observe":{"maxElements":201}}`, code: -32602, want: `maxElements`},
	}},
	{"page/reload", []bapCase{{name: "bad input", params: `{"waitUntil":"soon"}`, code: -32602, want: `"field":"waitUntil"`}}},
	{"page/goBack", []bapCase{{name: "bad input", params: `{"waitUntil":"soon"}`, code: -32602, want: `"field":"waitUntil"`}}},
	{"page/goForward", []bapCase{{name: "bad input", params: `{"waitUntil":"soon"}`, code: -32602, want: `"field":"waitUntil"`}}},
	{"frame/switch", []bapCase{
		{name: "by URL", params: `{"url":"srcdoc"}`, want: `"url":"about:srcdoc"`},
		{name: "in two ways", params: `{"url":"srcdoc","frameId":"x"}`, code: -32602},
		{name: "in no way", params: `{}`, code: -32602},
	}},
	{"action/click", []bapCase{
		{name: "no such button", params: `{"selector":{"type":"css","value":"#agree"},"options":{"button":"fourth"}}`, code: -32602, want: `"field":"options.button"`},
		{name: "no such modifier", params: `{"selector":{"type":"css","value":"#agree"},"options":{"modifiers":["Hyper"]}}`, code: -32602, want: `"field":"options.modifiers"`},
		{name: "without a selector", params: `{}`, code: -32602, want: `"field":"selector"`},
		{name: "by a script in CSS", params: `{"selector":{"type":"css","value":"a[style='url(javascript:1)']"}}`, code: -32602},
		{name: "by a document in XPath", params: `{"selector":{"type":"xpath","value":"document('x')"}}`, code: -32602},
	}},
	{"action/dblclick", pointed},
	{"action/hover", []bapCase{
		{name: "hidden", params: `{"timeout":{{soon}},"selector":{"type":"css","value":".gone button"}}`, code: -32013, want: `"retryable":true`},
		{name: "covered", params: `{"timeout":{{soon}},"selector":{"type":"css","value":"#under"}}`, code: -32013, want: "covered"},
	}},
	{"action/type", []bapCase{{name: "without a text", params: `{"selector":{"type":"css","value":"#email"}}`, code: -32602, want: `"field":"text"`}}},
	{"action/fill", []bapCase{{name: "without a value", params: `{"selector":{"type":"css","value":"#email"}}`, code: -32602, want: `"field":"value"`}}},
	{"action/press", onElement(`,"key":"a"`, bapCase{name: "without a key", params: `{}`, code: -32602, want: `"field":"key"`})},
	{"action/scroll", onElement(
		``,
		bapCase{name: "bad direction", params: `{"options":{"direction":"north"}}`, code: -32602, want: `"field":"options.direction"`},
		bapCase{name: "to no element", params: `{"options":{"amount":"toElement"}}`, code: -32602, want: `"field":"selector"`},
	)},
	{"action/handoff", []bapCase{
		{name: "empty instructions", params: `{"instructions":""}`, code: -32602, want: "Instructions must not be empty: describe what the person has to do"},
		{name: "too much time", params: `{"instructions":"x","within":3600001}`, code: -32602, want: `"field":"within"`},
	}},
	{"action/handoffWait", []bapCase{{name: "no such handoff", params: `{"handoffId":"F00"}`, code: -32602, want: "of this page does not exist"}}},
	{"action/handoffCancel", []bapCase{{name: "no such handoff", params: `{"handoffId":"F00"}`, code: -32602, want: "of this page does not exist"}}},
	{"action/select", []bapCase{
		{name: "no such option", params: `{"timeout":{{soon}},"selector":{"type":"css","value":"#plan"},"values":"gold"}`, code: -32012},
		{name: "no select", params: `{"timeout":{{soon}},"selector":{"type":"css","value":"#email"},"values":"a"}`, code: -32602},
		{name: "without values", params: `{"selector":{"type":"css","value":"#plan"}}`, code: -32602, want: `"field":"values"`},
	}},
	{"action/check", append(pointed[:2:2], bapCase{name: "no checkbox", params: `{"timeout":{{soon}},"selector":{"type":"css","value":"#email"}}`, code: -32602})},
	{"action/uncheck", []bapCase{{name: "no checkbox", params: `{"timeout":{{soon}},"selector":{"type":"css","value":"#email"}}`, code: -32602}}},
	{"action/upload", []bapCase{
		{name: "no field for files", params: `{"timeout":{{soon}},"selector":{"type":"css","value":"#email"},"files":[]}`, code: -32602},
		{name: "no base64", params: `{"selector":{"type":"css","value":"#file"},"files":[{"name":"a","buffer":"?"}]}`, code: -32602},
		{name: "without files", params: `{"selector":{"type":"css","value":"#file"}}`, code: -32602, want: `"field":"files"`},
	}},
	{"action/drag", []bapCase{
		{name: "no such element", params: `{"timeout":{{soon}},"source":{"type":"css","value":"#nobody"},"target":{"type":"css","value":"#bin"}}`, code: -32012},
		{name: "without a target", params: `{"source":{"type":"css","value":"#card"}}`, code: -32602, want: `"field":"target"`},
	}},
	{"dialog/handle", []bapCase{{name: "bad input", params: `{"action":"ask"}`, code: -32602, want: `"field":"action"`}}},
	{"observe/screenshot", []bapCase{
		{name: "bad format", params: `{"options":{"format":"gif"}}`, code: -32602, want: `"field":"options.format"`},
		{name: "bad quality", params: `{"options":{"quality":101}}`, code: -32602, want: `"field":"options.quality"`},
	}},
	{"observe/accessibility", []bapCase{{name: "bad depth", params: `{"options":{"maxDepth":-1}}`, code: -32602, want: `"field":"options.maxDepth"`}}},
	{"observe/dom", []bapCase{
		{name: "no such element", params: `{"timeout":{{soon}},"options":{"root":{"type":"css","value":"#nobody"}}}`, code: -32012},
		{name: "bad depth", params: `{"options":{"depth":-1}}`, code: -32602, want: `"field":"options.depth"`},
	}},
	{"observe/element", []bapCase{
		{name: "all properties", params: `{"selector":{"type":"css","value":"#news"},"properties":["visible","enabled","checked","text","value","boundingBox","attributes","computedStyle"]}`, want: `"boundingBox":{"height":`},
		{name: "no such property", params: `{"selector":{"type":"css","value":"#news"},"properties":["soul"]}`, code: -32602, want: `"field":"properties[0]"`},
		{name: "without properties", params: `{"selector":{"type":"css","value":"#news"}}`, code: -32602, want: `"field":"properties"`},
	}},
	{"observe/pdf", []bapCase{{name: "bad format", params: `{"options":{"format":"A0"}}`, code: -32602, want: `"field":"options.format"`}}},
	{"observe/content", []bapCase{{name: "bad format", params: `{"format":"pdf"}`, code: -32602, want: `"field":"format"`}, {name: "without a format", params: `{}`, code: -32602, want: `"field":"format"`}}},
	{"storage/setState", []bapCase{{name: "without a state", params: `{}`, code: -32602, want: `"field":"state`}}},
	{"storage/getCookies", []bapCase{{name: "bad input", params: `{"urls":7}`, code: -32602, want: `"field":"urls"`}}},
	{"storage/setCookies", []bapCase{{name: "without a name", params: `{"cookies":[{"value":"b"}]}`, code: -32602, want: `"field":"cookies`}}},
	{"storage/clearCookies", []bapCase{{name: "all", params: `{}`, want: `{}`, then: [3]string{"storage/getCookies", `{}`, `{"cookies":[]}`}}}},
	{"emulate/setViewport", []bapCase{{name: "bad input", params: `{"width":0,"height":480}`, code: -32602, want: `"field":"width"`}}},
	{"emulate/setUserAgent", []bapCase{{name: "bad input", params: `{}`, code: -32602, want: `"field":"userAgent"`}}},
	{"emulate/setGeolocation", []bapCase{{name: "bad input", params: `{"latitude":91,"longitude":0}`, code: -32602, want: `"field":"latitude"`}}},
	{"emulate/setOffline", []bapCase{{name: "bad input", params: `{}`, code: -32602, want: `"field":"offline"`}}},
	{"trace/start", []bapCase{{name: "not served", params: `{}`, code: -32601}}},
	{"trace/stop", []bapCase{{name: "not served", params: `{}`, code: -32601}}},
	{"network/intercept", []bapCase{{name: "no such handler", params: `{"patterns":[],"handler":"delay"}`, code: -32602, want: `"field":"handler"`}}},
	{"network/fulfill", []bapCase{{name: "without a response", params: `{"requestId":"a"}`, code: -32602, want: `"field":"response"`}}},
	{"network/abort", []bapCase{{name: "no such request", params: `{"requestId":"a"}`, code: -32602, want: `"field":"requestId"`}}},
	{"network/continue", []bapCase{{name: "no such request", params: `{"requestId":"a"}`, code: -32602, want: `"field":"requestId"`}}},
	{"events/subscribe", []bapCase{{name: "no such event", params: `{"events":["weather"]}`, code: -32602}, {name: "bad input", params: `{"events":"page"}`, code: -32602}}},
	{"approval/respond", []bapCase{{name: "bad decision", params: `{"requestId":"a","decision":"maybe"}`, code: -32602, want: `"field":"decision"`}}},
	{"stream/cancel", []bapCase{{name: "bad input", params: `{}`, code: -32602, want: `"field":"streamId"`}}},
	{"discovery/discover", []bapCase{{name: "bad input", params: `{"options":{"maxTools":"many"}}`, code: -32602}}},
	{"context/create", []bapCase{
		{name: "an id in use", params: `{"contextId":"c-1"}`, code: -32602, frame: bapUnsupported},
		{name: "bad id", params: `{"contextId":"a b"}`, code: -32602, want: `"field":"contextId"`},
	}},
	{"context/destroy", []bapCase{
		{name: "normal", params: `{"contextId":"c-1"}`, want: `{"pagesDestroyed":0}`, frame: -32023},
		{name: "bad input", params: `{}`, code: -32602, want: `"field":"contextId"`},
	}},
	{"agent/observe", []bapCase{
		{name: "too many elements", params: `{"maxElements":201}`, code: -32602, want: `"field":"maxElements"`},
		{name: "no such tier", params: `{"responseTier":"some"}`, code: -32602, want: `"field":"responseTier"`},
	}},
	{"agent/extract", []bapCase{
		{name: "without a schema", params: `{"instruction":"x"}`, code: -32602, want: `"field":"schema`},
		{name: "no such mode", params: `{"instruction":"x","mode":"heap","schema":{"type":"string"}}`, code: -32602, want: `"field":"mode"`},
	}},
	{"agent/act", []bapCase{
		{name: "no steps", params: `{"steps":[]}`, code: -32602, want: `"field":"steps"`},
		{name: "an action that is none", params: `{"steps":[{"action":"observe/dom","params":{}}]}`, code: -32602, want: `"field":"steps[0].action"`},
		{name: "bad params of a step", params: `{"steps":[{"action":"action/press","params":{}}]}`, want: `"success":false`},
	}},
}

// pointed are the errors of what the pointer does to an element.
var pointed = []bapCase{
	{name: "hidden", params: `{"timeout":{{soon}},"selector":{"type":"css","value":".gone button"}}`, code: -32013, want: `"retryable":true`},
	{name: "disabled", params: `{"timeout":{{soon}},"selector":{"type":"css","value":"#off"}}`, code: -32014, want: `"retryable":true`},
	{name: "covered", params: `{"timeout":{{soon}},"selector":{"type":"css","value":"#under"}}`, code: -32013, want: "covered"},
}

// bapTable are all methods and their cases. The last closes the page.
func bapTable() []bapMethod {
	table := slices.Concat(bapMethods, bapErrors)
	for _, of := range [][2]string{
		{"page/navigate", `,"url":"{{app}}/"`},
		{"page/reload", ``},
		{"page/goBack", ``},
		{"page/goForward", ``},
		{"page/activate", ``},
		{"page/close", ``},
		{"frame/list", ``},
		{"frame/switch", `,"url":"x"`},
		{"frame/main", ``},
		{"action/click", `,"selector":{"type":"css","value":"h1"}`},
		{"action/dblclick", `,"selector":{"type":"css","value":"h1"}`},
		{"action/hover", `,"selector":{"type":"css","value":"h1"}`},
		{"action/type", `,"selector":{"type":"css","value":"h1"},"text":"x"`},
		{"action/fill", `,"selector":{"type":"css","value":"h1"},"value":"x"`},
		{"action/clear", `,"selector":{"type":"css","value":"h1"}`},
		{"action/press", `,"key":"a"`},
		{"action/scroll", ``},
		{"action/select", `,"selector":{"type":"css","value":"h1"},"values":"x"`},
		{"action/check", `,"selector":{"type":"css","value":"h1"}`},
		{"action/uncheck", `,"selector":{"type":"css","value":"h1"}`},
		{"action/upload", `,"selector":{"type":"css","value":"h1"},"files":[]`},
		{"action/drag", `,"source":{"x":1,"y":1},"target":{"x":1,"y":1}`},
		{"dialog/handle", `,"action":"accept"`},
		{"observe/screenshot", ``},
		{"observe/accessibility", ``},
		{"observe/dom", ``},
		{"observe/element", `,"selector":{"type":"css","value":"h1"},"properties":["text"]`},
		{"observe/pdf", ``},
		{"observe/content", `,"format":"text"`},
		{"observe/ariaSnapshot", ``},
		{"storage/getState", ``},
		{"storage/setState", `,"state":{"cookies":[],"origins":[]}`},
		{"storage/getCookies", ``},
		{"storage/setCookies", `,"cookies":[]`},
		{"storage/clearCookies", ``},
		{"emulate/setViewport", `,"width":640,"height":480`},
		{"emulate/setUserAgent", `,"userAgent":"Tester/1"`},
		{"emulate/setGeolocation", `,"latitude":1,"longitude":2`},
		{"emulate/setOffline", `,"offline":false`},
		{"discovery/discover", ``},
		{"agent/observe", ``},
		{"agent/extract", `,"instruction":"x","schema":{"type":"string"}`},
		{"agent/act", `,"steps":[{"action":"action/press","params":{"key":"a"}}]`},
	} {
		table = append(table, bapMethod{of[0], onBAPPage(of[1])})
	}
	return append(table, bapMethod{"page/close", []bapCase{{name: "normal", params: `{"pageId":"{{page}}"}`, want: `{}`}}})
}
