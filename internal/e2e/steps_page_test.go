package e2e

var scripts = []step{
	{name: "eval", run: ab("eval", "6 * 7"), says: "42"},
	{name: "eval: promise", run: ab("eval", "Promise.resolve({a: [1, 'x']})", "--json"), shows: []string{`"result":{"a":[1,"x"]}`}},
	{name: "eval: effect", run: ab("eval", "document.title = 'Renamed'"), says: `"Renamed"`, ask: "document.title", want: `"Renamed"`},
	{name: "eval: error", run: ab("eval", "nosuch.thing"), fails: "ReferenceError: nosuch is not defined"},
	{name: "click: console", run: ab("click", "#speak"), ask: seen("speak", "click"), want: `["click"]`},
	{name: "console", run: ab("console"), says: "[log] plain words 7\n[warning] careful words\n[error] harsh words"},
	{name: "console --clear", run: ab("console", "--clear"), shows: []string{"cleared"}},
	{name: "console: after --clear", run: ab("console", "--json"), shows: []string{`"messages":[]`}},
	{name: "click: throw", run: ab("click", "#break"), ask: seen("break", "click"), want: `["click"]`},
	{name: "errors", run: ab("errors", "--json"), shows: []string{"TypeError: broken on purpose"}},
	{name: "errors --clear", run: ab("errors", "--clear"), shows: []string{"cleared"}},
	{name: "errors: after --clear", run: ab("errors", "--json"), shows: []string{`"errors":[]`}},
	{name: "click: alert", run: ab("click", "#alarm"), ask: text("alarm"), want: `"Rang"`},
	{name: "batch", run: ab("batch", "get title", "get count li"), shows: []string{"Renamed", "3"}},
	{name: "network requests", run: ab("network", "requests"), shows: []string{"GET $APP/app.html (Document) 200", "GET $APP/witness.js (Script) 200"}},
}

var storage = []step{
	{name: "storage local set", run: ab("storage", "local", "set", "colour", "green"), ask: "localStorage.getItem('colour')", want: `"green"`},
	{name: "storage local get", run: ab("storage", "local", "get", "colour"), says: "colour: green"},
	{name: "storage local", run: ab("storage", "local"), shows: []string{"colour: green"}},
	{name: "storage local clear", run: ab("storage", "local", "clear"), ask: "localStorage.length", want: "0"},
	{name: "storage session set", run: ab("storage", "session", "set", "shape", "round"), ask: "sessionStorage.getItem('shape')", want: `"round"`},
	{name: "storage session get", run: ab("storage", "session", "get", "shape"), says: "shape: round"},
	{name: "storage session clear", run: ab("storage", "session", "clear"), ask: "sessionStorage.getItem('shape')", want: "null"},
	{name: "cookies set", run: ab("cookies", "set", "crumb", "one"), ask: "document.cookie", want: `"crumb=one"`},
	{name: "cookies", run: ab("cookies"), says: "crumb=one"},
	{name: "cookies get", run: ab("cookies", "get"), says: "crumb=one"},
	{name: "cookies clear", run: ab("cookies", "clear"), ask: "document.cookie", want: `""`},
}

var history = []step{
	{name: "open", run: ab("open", "$APP/two.html"), says: "✓ Second page\n  $APP/two.html", page: "/two.html", ask: "location.href.endsWith('/two.html')", want: "true"},
	{name: "back", run: ab("back"), says: "$APP/app.html", ask: "document.title", want: `"Field book"`},
	{name: "get title: after back", run: ab("get", "title"), says: "Field book"},
	{name: "forward", run: ab("forward"), says: "$APP/two.html", page: "/two.html", ask: "document.title", want: `"Second page"`},
	{name: "click: here", run: ab("click", "#here"), page: "/two.html", ask: text("here"), want: `"Pressed here"`},
	{name: "reload", run: ab("reload"), says: "$APP/two.html", page: "/two.html", ask: text("here"), want: `"Press here"`},
	{name: "click: link", run: ab("click", "#home"), ask: "document.readyState", want: `"complete"`},
	{name: "get url: after click", run: ab("get", "url"), says: "$APP/app.html"},
	{name: "pushstate", run: ab("pushstate", "?leaf=9"), says: "$APP/app.html?leaf=9", ask: "location.search", want: `"?leaf=9"`},
	{name: "open: hash", run: ab("open", "$APP/app.html?leaf=9#far"), shows: []string{"$APP/app.html?leaf=9#far"}, ask: "[location.hash, scrollY > 2000]", want: `["#far",true]`},
}

var tabs = []step{
	{name: "tab list", run: ab("tab", "list"), shows: []string{"→ [t1] ", " - $APP/app.html"}, hides: []string{"[t2]"}},
	{name: "tab new", run: ab("tab", "new", "$APP/two.html"), says: "$APP/two.html", page: "/two.html", ask: "document.title", want: `"Second page"`},
	{name: "click: in the new tab", run: ab("click", "#here"), page: "/two.html", ask: text("here"), want: `"Pressed here"`},
	{name: "tab list: two", run: ab("tab", "list"), shows: []string{"[t1] ", " - $APP/app.html\n→ [t2] ", " - $APP/two.html"}},
	{name: "tab", run: ab("tab", "t1"), says: "✓ Field book\n  $APP/app.html"},
	{name: "click: in the first tab", run: ab("click", "#plus"), ask: text("count"), want: `"1"`},
	{name: "tab close", run: ab("tab", "close", "t2"), shows: []string{"Tab [t2] closed"}},
	{name: "click --new-tab", run: ab("click", "#two", "--new-tab"), says: "$APP/two.html", page: "/two.html", ask: "document.title", want: `"Second page"`},
	{name: "tab close: the current one", run: ab("tab", "close"), shows: []string{"closed"}},
	{name: "tab new: blank", run: ab("tab", "new"), shows: []string{"about:blank"}},
	{name: "eval: in a blank tab", run: ab("eval", "document.body.textContent = 'written'; location.href"), says: `"about:blank"`},
	{name: "tab close: the blank one", run: ab("tab", "close"), shows: []string{"closed"}},
	{name: "tab list: after close", run: ab("tab", "list"), shows: []string{"→ [t1] ", " - $APP/app.html"}, hides: []string{"[t2]"}},
}

var frames = []step{
	{name: "open: frames", run: ab("open", "$APP/frames.html"), shows: []string{"✓ Frames"}, page: "/child.html", ask: "document.title", want: `"Inner page"`},
	{
		name: "snapshot: with a frame", run: ab("snapshot"),
		shows: []string{`heading "Outer page"`, `Iframe "Inner frame"`, `  - heading "Inner page"`, `  - button "Press"`},
	},
	{name: "frame", run: ab("frame", "#inner"), shows: []string{"Done"}},
	{name: "get text: in a frame", run: ab("get", "text", "h2"), says: "Inner page"},
	{name: "click: in a frame", run: ab("click", "#press"), page: "/child.html", ask: text("press"), want: `"Inner pressed"`},
	{name: "fill: in a frame", run: ab("fill", "#word", "hello"), page: "/child.html", ask: value("word"), want: `"hello"`},
	{name: "snapshot -i: in a frame", run: ab("snapshot", "-i"), shows: []string{`heading "Inner page"`, `textbox "Word"`, `button "Inner pressed"`}, hides: []string{"Outer page"}},
	{name: "frame main", run: ab("frame", "main"), shows: []string{"Done"}},
	{name: "get text: in the page", run: ab("get", "text", "h1"), says: "Outer page"},
	{name: "click: in the page", run: ab("click", "#press"), page: "/frames.html", ask: text("press"), want: `"Outer pressed"`},
}

var settings = []step{
	{name: "set viewport", run: ab("set", "viewport", "900", "600"), ask: "[innerWidth, innerHeight]", want: "[900,600]"},
	{name: "set media", run: ab("set", "media", "dark"), ask: "matchMedia('(prefers-color-scheme: dark)').matches", want: "true"},
	{name: "set media: light", run: ab("set", "media", "light"), ask: "matchMedia('(prefers-color-scheme: dark)').matches", want: "false"},
	{
		name: "network route", run: ab("network", "route", "**/nosuch.json", "--body", `{"made":"up"}`),
		ask: "fetch('/nosuch.json').then(r => r.json())", want: `{"made":"up"}`,
	},
	{name: "network unroute", run: ab("network", "unroute"), ask: "fetch('/nosuch.json').then(r => r.status)", want: "404"},
	{name: "a11y", run: ab("a11y"), shows: []string{"url: $APP/app.html", "landmark-one-main"}},
	{name: "read", run: ab("read"), shows: []string{"# Field book", "Accept the terms", "Rolling text"}},
	{name: "diff snapshot", run: ab("diff", "snapshot"), shows: []string{`+- heading "Field book" [level=1]`}},
}

// beyond is what page script cannot do, or not yet: the error must say so.
var beyond = []step{
	{
		name: "upload", run: ab("upload", "#file", "/etc/hostname"), ask: "document.getElementById('file').files.length", want: "1",
		refused: "File upload by path is disabled on this hub",
	},
	{
		name: "pdf", run: ab("pdf", "$HOME/page.pdf"), file: "page.pdf", starts: "%PDF-",
		refused: "Page.printToPDF is not possible in an embedded frame: page script cannot print to a file",
	},
	{name: "connect", run: ab("connect", "$PORT"), ask: "document.title", want: `"Field book"`},
	{name: "eval: a question, asked later", run: ab("eval", "setTimeout(() => { document.title = String(confirm('Sure?')) }, 1000), 1"), shows: []string{"1"}},
	{name: "dialog status", run: ab("dialog", "status"), shows: []string{"Sure?"}, late: true},
	{name: "dialog accept", run: ab("dialog", "accept"), ask: "document.title", want: `"true"`},
	{name: "screenshot of an element", run: ab("screenshot", "#pad", "$HOME/pad.png"), file: "pad.png", starts: "\x89PNG"},
	{
		name: "profiler start", run: ab("profiler", "start"), shows: []string{"rofil"},
		refused: "is not possible in an embedded frame: needs the browser process",
	},
	{name: "screenshot", run: ab("screenshot", "$HOME/page.png"), file: "page.png", starts: "\x89PNG"},
	{
		name: "set offline", run: ab("set", "offline", "on"), shows: []string{"Done"},
		refused: "is not possible in an embedded frame: the network belongs to the browser",
	},
	{name: "set geo", run: ab("set", "geo", "52", "13"), shows: []string{"Done"}},
	{
		name: "set headers", run: ab("set", "headers", `{"X-Extra":"1"}`), shows: []string{"Done"},
		refused: "Network.setExtraHTTPHeaders is not possible in an embedded frame: request headers belong to the browser",
	},
	{name: "set offline: off", run: ab("set", "offline", "off"), shows: []string{"Done"}},
	{name: "eval: afterwards", run: ab("eval", "'still here'"), says: `"still here"`},
}
