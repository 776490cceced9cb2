package conformance

import (
	"fmt"
	"strings"
)

// bapCase is one use of a method on the page form.html. In texts {{app}} is the
// app's address and {{page}} the page's id.
type bapCase struct {
	name   string
	params string
	want   string    // is in the result; with a code, in the error
	code   int       // 0 is success
	then   [3]string // method, params and what is in its result: to see what was done
	frame  int       // the code in a frame target instead, which does not support it
	raw    string    // the message, in place of one made of method and params
	on     state     // of the connection
}

// state is what a connection has done.
type state int

const (
	launched state = iota // and opened the page
	initialized
	connected
)

// bapMethod is a method and its cases, each on the page as it was loaded.
type bapMethod struct {
	method string
	cases  []bapCase
}

// onElement are the cases of each method that acts on one element.
func onElement(more string, cases ...bapCase) []bapCase {
	at := func(css string) string {
		return fmt.Sprintf(`{"timeout":{{soon}},"selector":{"type":"css","value":%q}%s}`, css, more)
	}
	return append(
		cases,
		bapCase{name: "several elements", params: at("#twins li"), code: -32020, want: `"count":2`},
		bapCase{name: "no such element", params: at("#nobody"), code: -32012, want: `"message":"Element not found","data":{"retryable":true,"retryAfterMs":500,"details":{"selector":{"type":"css","value":"#nobody"}`},
		bapCase{name: "unknown type", params: strings.Replace(at("#email"), `"type":"css"`, `"type":"magic"`, 1), code: -32602, want: `"field":"selector`},
		bapCase{name: "empty selector", params: at(""), code: -32602},
		bapCase{name: "unknown ref", params: strings.Replace(at("#email"), `"type":"css","value":"#email"`, `"type":"ref","ref":"@nobody"`, 1), code: -32012, want: `"retryable":false`},
		bapCase{name: "bad selector", params: at("li["), code: -32602, want: "no CSS selector"},
	)
}

// onBAPPage are the cases of each method that is about a page.
func onBAPPage(more string) []bapCase {
	return []bapCase{
		{name: "unknown page", params: `{"pageId":"page-99"` + more + `}`, code: -32011, want: `"message":"Page not found: page-99"`},
		{name: "page of another type", params: `{"pageId":7` + more + `}`, code: -32602, want: `"field":"pageId"`},
	}
}

// value is a look at an element's value.
func valueOf(css, value string) [3]string {
	return [3]string{"observe/element", fmt.Sprintf(`{"selector":{"type":"css","value":%q},"properties":["value","text","checked"]}`, css), value}
}

const bapUnsupported = -32021

var bapMethods = []bapMethod{
	{"page/navigate", []bapCase{
		{name: "normal", params: `{"url":"{{app}}/two.html","waitUntil":"domcontentloaded"}`, want: `"url":"{{app}}/two.html","title":"Second page"`},
		{name: "with an observation", params: `{"url":"{{app}}/form.html","observe":{"includeInteractiveElements":true}}`, want: `"observation":{"metadata":{`},
		{name: "javascript", params: `{"url":"javascript:alert(1)"}`, code: -32602, want: `"message":"Blocked protocol: javascript"`},
		{name: "metadata", params: `{"url":"http://169.254.169.254/latest/"}`, code: -32602, want: `"message":"Blocked host (cloud metadata endpoint): 169.254.169.254"`},
		{name: "metadata in decimal", params: `{"url":"http://2852039166/"}`, code: -32602, want: "cloud metadata endpoint"},
		{name: "no URL", params: `{"url":"nowhere"}`, code: -32602, want: `"message":"Invalid URL: nowhere"`},
		{name: "redirect to blocked", params: `{"url":"{{app}}/redirect?to={{host}}/two.html","timeout":15000}`, code: -32041, want: `"message":"Domain not allowed: localhost"`, frame: -32015},
		{name: "never loads", params: `{"url":"{{app}}/never","timeout":1000}`, code: -32016, want: `"details":{"timeout":1000}`},
		{name: "bad input", params: `{"url":"{{app}}/","waitUntil":"soon"}`, code: -32602, want: `"field":"waitUntil"`},
	}},
	{"page/reload", []bapCase{{name: "normal", params: `{}`, want: `{}`}}},
	{"page/goBack", []bapCase{{name: "normal", params: `{}`, want: `{}`}}},
	{"page/goForward", []bapCase{{name: "nowhere to go", params: `{}`, want: `{}`}}},
	{"page/list", []bapCase{{name: "normal", params: `{}`, want: `"url":"{{app}}/form.html","title":"Sign up"`}}},
	{"page/evaluate", []bapCase{
		{name: "normal", params: `{"expression":"Promise.resolve({a: document.title})"}`, want: `{"type":"object","value":{"a":"Sign up"}}`},
		{name: "without an expression", params: `{}`, code: -32602, want: `"field":"expression"`},
		{name: "an exception", params: `{"expression":"throw new Error('no')"}`, code: -32021, want: `Evaluation failed: Error: no`},
		{name: "timeout", params: `{"expression":"new Promise(() => {})","timeout":500}`, code: -32016, want: `"timeout":500`},
		{name: "unknown page", params: `{"pageId":"page-9999","expression":"1"}`, code: -32011, want: `Page not found`},
	}},
	{"page/activate", []bapCase{
		{name: "normal", params: `{"pageId":"{{page}}"}`, want: `{}`},
		{name: "without a page", params: `{}`, code: -32602, want: `"field":"pageId"`},
	}},
	{"page/close", []bapCase{{name: "without a page", params: `{}`, code: -32602, want: `"field":"pageId"`}}},
	{"page/create", []bapCase{
		{name: "javascript", params: `{"url":"javascript:alert(1)"}`, code: -32602, want: "Blocked protocol"},
		{name: "metadata", params: `{"url":"http://metadata.google.internal./"}`, code: -32602, want: "cloud metadata endpoint"},
		{name: "unknown context", params: `{"contextId":"nowhere"}`, code: -32023, want: `"contextId":"nowhere"`},
	}},
	{"frame/list", []bapCase{{name: "normal", params: `{}`, want: `"url":"{{app}}/form.html","isMain":true`}}},
	{"frame/switch", []bapCase{
		{name: "by element", params: `{"selector":{"type":"css","value":"#inner"}}`, want: `"url":"about:srcdoc"`, then: [3]string{"observe/content", `{"format":"text"}`, "In the frame"}},
		{name: "unknown", params: `{"frameId":"nowhere"}`, code: -32040},
		{name: "no frame", params: `{"selector":{"type":"css","value":"#email"}}`, code: -32040},
	}},
	{"frame/main", []bapCase{{name: "normal", params: `{}`, want: `"frameId":"`}}},

	{"action/click", onElement(
		``,
		bapCase{name: "css", params: `{"selector":{"type":"css","value":"#agree"}}`, want: `{}`, then: valueOf("#agree", `"checked":true`)},
		bapCase{name: "role", params: `{"selector":{"type":"role","role":"checkbox","name":"agr"}}`, want: `{}`, then: valueOf("#agree", `"checked":true`)},
		bapCase{name: "text", params: `{"selector":{"type":"text","value":"show later"}}`, want: `{}`},
		bapCase{name: "xpath", params: `{"selector":{"type":"xpath","value":"//input[@id='agree']"}}`, want: `{}`, then: valueOf("#agree", `"checked":true`)},
		bapCase{name: "label", params: `{"selector":{"type":"label","value":"Agree"}}`, want: `{}`, then: valueOf("#agree", `"checked":true`)},
		bapCase{name: "coordinates", params: `{"selector":{"type":"coordinates","x":20,"y":20}}`, want: `{}`},
		bapCase{name: "trial", params: `{"selector":{"type":"css","value":"#agree"},"options":{"trial":true}}`, want: `{}`, then: valueOf("#agree", `"checked":false`)},
		bapCase{name: "hidden", params: `{"timeout":{{soon}},"selector":{"type":"css","value":".gone button"}}`, code: -32013, want: `"retryable":true`},
		bapCase{name: "disabled", params: `{"timeout":{{soon}},"selector":{"type":"css","value":"#off"}}`, code: -32014, want: `"retryable":true`},
		bapCase{name: "covered", params: `{"timeout":{{soon}},"selector":{"type":"css","value":"#under"}}`, code: -32013, want: "covered"},
	)},
	{"action/dblclick", onElement(``, bapCase{name: "normal", params: `{"selector":{"type":"css","value":"#later"}}`, want: `{}`})},
	{"action/hover", onElement(``, bapCase{name: "normal", params: `{"selector":{"type":"css","value":"#later"}}`, want: `{}`})},
	{"action/type", onElement(
		`,"text":"a"`,
		bapCase{name: "normal", params: `{"selector":{"type":"placeholder","value":"work email"},"text":"a@b.c"}`, want: `{}`, then: valueOf("#email", "a@b.c")},
		bapCase{name: "appends", params: `{"selector":{"type":"css","value":"#notes"},"text":"!"}`, want: `{}`, then: valueOf("#notes", `line2!`)},
		bapCase{name: "clear", params: `{"selector":{"type":"css","value":"#notes"},"text":"new","options":{"clear":true,"delay":1}}`, want: `{}`, then: valueOf("#notes", `"value":"new"`)},
	)},
	{"action/fill", onElement(
		`,"value":"a"`,
		bapCase{name: "normal", params: `{"selector":{"type":"testId","value":"mail"},"value":"x@y.z"}`, want: `{}`, then: valueOf("#email", "x@y.z")},
		bapCase{name: "no field", params: `{"timeout":{{soon}},"selector":{"type":"css","value":"#save"},"value":"x"}`, code: -32602},
		bapCase{name: "read only", params: `{"timeout":{{soon}},"selector":{"type":"css","value":"#locked"},"value":"x"}`, code: -32014},
	)},
	{"action/clear", onElement(``, bapCase{name: "normal", params: `{"selector":{"type":"css","value":"#notes"}}`, want: `{}`, then: valueOf("#notes", `"value":""`)})},
	{"action/press", []bapCase{
		{name: "on an element", params: `{"selector":{"type":"css","value":"#email"},"key":"Enter"}`, want: `{}`, then: valueOf("#saved", `"text":""`)},
		{name: "a chord", params: `{"key":"Control+A"}`, want: `{}`},
		{name: "no key", params: `{"key":"Anykey"}`, code: -32602, want: "Anykey"},
	}},
	{"action/scroll", []bapCase{
		{name: "the page", params: `{}`, want: `{}`},
		{name: "a page up", params: `{"options":{"direction":"up","amount":"page"}}`, want: `{}`},
		{name: "to an element", params: `{"selector":{"type":"css","value":"#far"}}`, want: `{}`},
	}},
	{"action/select", onElement(
		`,"values":["a"]`,
		bapCase{name: "one", params: `{"selector":{"type":"css","value":"#plan"},"values":"free"}`, want: `{}`, then: valueOf("#plan", `"value":"free"`)},
		bapCase{name: "several", params: `{"selector":{"type":"css","value":"#many"},"values":["Ham","Olives"]}`, want: `{}`},
	)},
	{"action/check", onElement(``, bapCase{name: "normal", params: `{"selector":{"type":"css","value":"#agree"}}`, want: `{}`, then: valueOf("#agree", `"checked":true`)})},
	{"action/uncheck", onElement(``, bapCase{name: "normal", params: `{"selector":{"type":"css","value":"#news"}}`, want: `{}`, then: valueOf("#news", `"checked":false`)})},
	{"action/upload", onElement(
		`,"files":[]`,
		bapCase{name: "normal", params: `{"selector":{"type":"css","value":"#file"},"files":[{"name":"a.txt","mimeType":"text/plain","buffer":"aGk="}]}`, want: `{}`, then: valueOf("#file", "a.txt")},
	)},
	{"action/drag", []bapCase{{name: "normal", params: `{"source":{"type":"css","value":"#card"},"target":{"type":"css","value":"#bin"}}`, want: `{}`, then: valueOf("#bin", "Got card")}}},
	{"dialog/handle", []bapCase{
		{name: "accept", params: `{"action":"accept","promptText":"Ada"}`, want: `{}`, then: [3]string{"action/click", `{"selector":{"type":"css","value":"#name"}}`, `{}`}},
	}},

	{"observe/screenshot", []bapCase{
		{name: "normal", params: `{}`, want: `"format":"jpeg"`},
		{name: "png of a part", params: `{"options":{"format":"png","clip":{"x":0,"y":0,"width":50,"height":40}}}`, want: `"format":"png","width":50,"height":40`},
		{name: "webp", params: `{"options":{"format":"webp","fullPage":true}}`, want: `"format":"webp"`},
		{name: "masked", params: `{"options":{"mask":[{"type":"css","value":"#email"}]}}`, want: `"format":"jpeg"`},
	}},
	{"observe/accessibility", []bapCase{
		{name: "normal", params: `{}`, want: `{"tree":{"role":"RootWebArea","name":"Sign up"`},
		{name: "below an element", params: `{"options":{"root":{"type":"css","value":"nav"}}}`, want: `{"tree":{"role":"navigation","name":"Main"`},
		{name: "no such element", params: `{"timeout":{{soon}},"options":{"root":{"type":"css","value":"#nobody"}}}`, code: -32012},
	}},
	{"observe/dom", []bapCase{
		{name: "normal", params: `{}`, want: `Sign up</title>`},
		{name: "of an element", params: `{"options":{"root":{"type":"css","value":"nav"},"attributes":false,"depth":3}}`, want: `{"html":"<nav><ul><li></li><li></li></ul></nav>"`},
		{name: "computed styles", params: `{"options":{"computedStyles":true}}`, code: bapUnsupported},
	}},
	{"observe/element", []bapCase{
		{name: "normal", params: `{"selector":{"type":"css","value":"#news"},"properties":["visible","enabled","checked"]}`, want: `{"checked":true,"enabled":true,"found":true,"visible":true}`},
		{name: "not found", params: `{"selector":{"type":"css","value":"#nobody"},"properties":["visible"]}`, want: `{"found":false}`},
		{name: "secret", params: `{"selector":{"type":"css","value":"#password"},"properties":["value"]}`, want: `"value":"[REDACTED]"`},
		{name: "several elements", params: `{"selector":{"type":"css","value":"#twins li"},"properties":["text"]}`, code: -32020, want: `"count":2`},
	}},
	{"observe/pdf", []bapCase{{name: "normal", params: `{"options":{"format":"A5","margin":{"top":"1cm"}}}`, want: `{"data":"JVBERi`, frame: bapUnsupported}}},
	{"observe/content", []bapCase{
		{name: "html", params: `{"format":"html"}`, want: `Sign up</title>`},
		{name: "text", params: `{"format":"text"}`, want: `Some text with a link: inside`},
		{name: "markdown", params: `{"format":"markdown"}`, want: `# Sign up`},
	}},
	{"observe/ariaSnapshot", []bapCase{
		{name: "normal", params: `{}`, want: `- heading \"Sign up\" [level=1]`},
		{name: "of an element", params: `{"selector":{"type":"css","value":"nav"}}`, want: `"snapshot":"- navigation \"Main\"`},
		{name: "no such element", params: `{"timeout":{{soon}},"selector":{"type":"css","value":"#nobody"}}`, code: -32012},
	}},

	{"storage/getState", []bapCase{{name: "normal", params: `{}`, want: `"cookies":[`}}},
	{"storage/setState", []bapCase{
		{name: "normal", params: `{"state":{"cookies":[],"origins":[{"origin":"{{app}}","localStorage":[{"name":"k","value":"v"}]}]}}`, want: `{}`, then: [3]string{"storage/getState", `{}`, `{"name":"k","value":"v"}`}},
		{name: "metadata", params: `{"state":{"cookies":[],"origins":[{"origin":"http://169.254.169.254","localStorage":[]}]}}`, code: -32602, want: "cloud metadata endpoint"},
		{name: "javascript", params: `{"state":{"cookies":[],"origins":[{"origin":"javascript:1","localStorage":[]}]}}`, code: -32602, want: "Blocked protocol"},
	}},
	{"storage/getCookies", []bapCase{{name: "normal", params: `{}`, want: `"cookies":[`}, {name: "of a URL", params: `{"urls":["{{app}}/"]}`, want: `"cookies":[`}}},
	{"storage/setCookies", []bapCase{{name: "normal", params: `{"cookies":[{"name":"a","value":"b"}]}`, want: `{}`, then: [3]string{"storage/getCookies", `{}`, `"name":"a","value":"b"`}}}},
	{"storage/clearCookies", []bapCase{{name: "of a URL", params: `{"urls":"{{app}}/"}`, want: `{}`}}},
	{"emulate/setViewport", []bapCase{{name: "normal", params: `{"width":640,"height":480}`, want: `{}`, then: [3]string{"page/list", `{}`, `"viewport":{"width":640,"height":480}`}}}},
	{"emulate/setUserAgent", []bapCase{{name: "normal", params: `{"userAgent":"Tester/1"}`, want: `{}`}}},
	{"emulate/setGeolocation", []bapCase{{name: "normal", params: `{"latitude":1,"longitude":2}`, want: `{}`}}},
	{"emulate/setOffline", []bapCase{{name: "normal", params: `{"offline":false}`, want: `{}`}}},

	{"events/subscribe", []bapCase{{name: "normal", params: `{"events":["page"]}`, want: `{}`}, {name: "in the words of the documents", params: `{"types":["page"]}`, want: `{}`}}},
	{"approval/respond", []bapCase{{name: "nothing waits", params: `{"requestId":"a","decision":"deny"}`, code: -32602}}},
	{"stream/cancel", []bapCase{{name: "unknown", params: `{"streamId":"a"}`, want: `{"cancelled":false}`}}},
	{"discovery/discover", []bapCase{{name: "normal", params: `{}`, want: `{"tools":[],"totalDiscovered":0}`}}},
	{"context/create", []bapCase{{name: "normal", params: `{"contextId":"c-1","options":{"locale":"de-DE"}}`, want: `{"contextId":"c-1"}`, frame: bapUnsupported}}},
	{"context/list", []bapCase{{name: "normal", params: `{}`, want: `"maxContexts":5`}}},
	{"context/destroy", []bapCase{{name: "unknown", params: `{"contextId":"nowhere"}`, code: -32023, want: `"contextId":"nowhere"`}}},

	{"agent/observe", []bapCase{
		{name: "normal", params: `{}`, want: `{"metadata":{"url":"{{app}}/form.html","title":"Sign up","viewport":{`},
		{name: "elements", params: `{"includeMetadata":false,"includeInteractiveElements":true,"maxElements":3}`, want: `{"interactiveElements":[{"ref":"@e34nzko","selector":{"type":"text","value":"Second page"},"role":"a","name":"Second page","actionHints":["clickable"],"tagName":"a"`},
		{name: "minimal", params: `{"responseTier":"minimal","maxElements":3,"includeScreenshot":true}`, want: `"actionHints":[],"tagName":"a"},`},
		{name: "tree", params: `{"includeAccessibility":true}`, want: `"accessibility":{"tree":[{"role":"RootWebArea"`},
		{name: "annotated", params: `{"annotateScreenshot":{"enabled":true,"labelFormat":"both","maxLabels":2}}`, want: `"annotated":true},"annotationMap":[{"label":"1:@e34nzko","ref":"@e34nzko"`},
		{name: "filtered", params: `{"includeInteractiveElements":true,"filterRoles":["select"]}`, want: `"totalInteractiveElements":2`},
		{name: "incremental", params: `{"incremental":true}`, want: `"changes":{"added":[{"ref":"@e34nzko"`},
		{name: "tools", params: `{"includeWebMCPTools":true}`, want: `"webmcpTools":[]`},
	}},
	{"agent/extract", []bapCase{
		{name: "a list", params: `{"instruction":"links","mode":"list","schema":{"type":"array","items":{"type":"string"}},"selector":{"type":"css","value":"nav"}}`, want: `{"success":true,"data":["Second page","Gap"],"confidence":0.8}`},
		{name: "an object", params: `{"instruction":"title","schema":{"type":"object","properties":{"title":{"type":"string"}}}}`, want: `"data":{"title":"Sign up"}`},
		{name: "no such element", params: `{"timeout":{{soon}},"instruction":"x","schema":{"type":"string"},"selector":{"type":"css","value":"#nobody"}}`, want: `{"success":false,"data":null,"error":"`},
	}},
	{"agent/act", []bapCase{
		{
			name: "normal", want: `{"completed":2,"total":2,"success":true,"results":[{"step":0,"label":"mail","success":true,"duration":`, then: valueOf("#saved", "Saved a@b.c"),
			params: `{"steps":[{"label":"mail","action":"action/fill","params":{"selector":{"type":"css","value":"#email"},"value":"a@b.c"}},{"action":"action/click","params":{"selector":{"type":"css","value":"#save"}}}],"postObserve":{}}`,
		},
		{
			name: "stops", want: `"completed":0,"total":2,"success":false`,
			params: `{"steps":[{"action":"action/click","params":{"selector":{"type":"ref","ref":"@nobody"}}},{"action":"action/click","params":{"selector":{"type":"css","value":"#agree"}}}]}`,
			then:   valueOf("#agree", `"checked":false`),
		},
		{
			name: "skips", want: `{"step":1,"success":true`, then: valueOf("#agree", `"checked":true`),
			params: `{"steps":[{"action":"action/click","onError":"skip","params":{"timeout":1500,"selector":{"type":"ref","ref":"@nobody"}}},{"action":"action/click","params":{"selector":{"type":"css","value":"#agree"}}}]}`,
		},
		{
			name: "retries", want: `"code":-32012,"message":"Element not found: no element has the ref @nobody any more, run agent/observe again"`,
			params: `{"steps":[{"action":"action/click","onError":"retry","maxRetries":2,"retryDelay":100,"params":{"selector":{"type":"ref","ref":"@nobody"}}}]}`,
		},
		{
			name: "an unmet condition", want: `"error":{"code":-32602,"message":"Condition not met: visible for #nobody`,
			params: `{"steps":[{"action":"action/click","condition":{"selector":{"type":"css","value":"#nobody"},"state":"visible","timeout":500},"params":{"selector":{"type":"css","value":"#save"}}}]}`,
		},
		{
			name: "a condition that comes true", want: `"success":true,"results"`,
			params: `{"steps":[{"action":"action/click","params":{"selector":{"type":"css","value":"#later"}}},{"action":"action/click","condition":{"selector":{"type":"css","value":"#late"},"state":"exists"},"params":{"selector":{"type":"css","value":"#late"}}}]}`,
		},
	}},
}
