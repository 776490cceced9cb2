package e2e

var typing = []step{
	{name: "fill", run: ab("fill", "#name", "Ada"), ask: value("name"), want: `"Ada"`},
	{name: "fill: again", run: ab("fill", "#name", "Grace"), ask: value("name"), want: `"Grace"`},
	{name: "fill: events", run: ab("fill", "#notes", "First"), ask: seen("notes", "input") + ".length > 0", want: "true"},
	{name: "type", run: ab("type", "#notes", ", second"), ask: value("notes"), want: `"First, second"`},
	{name: "press", run: ab("press", "Enter"), ask: value("notes"), want: `"First, second\n"`},
	{name: "press: chord", run: ab("press", "Control+a"), ask: "[document.getElementById('notes').selectionStart, document.getElementById('notes').selectionEnd]", want: "[0,14]"},
	{name: "press: Backspace", run: ab("press", "Backspace"), ask: value("notes"), want: `""`},
	{name: "keydown", run: ab("keydown", "Shift"), ask: "seen.at(-1)", want: `["keydown","notes","Shift"]`},
	{name: "keyup", run: ab("keyup", "Shift"), ask: "seen.at(-1)", want: `["keyup","notes","Shift"]`},
	{name: "press: Tab", run: ab("press", "Tab"), ask: "document.activeElement.id", want: `"save"`},
	{name: "press: Enter on a button", run: ab("press", "Enter"), ask: text("saved"), want: `"Saved Grace, free, small, terms false"`},
	{name: "click: an editor", run: ab("click", "#editor"), ask: "document.activeElement.id", want: `"editor"`},
	{name: "keyboard type", run: ab("keyboard", "type", "typed"), ask: text("editor"), want: `"typed"`},
	{
		name: "keyboard inserttext", run: ab("keyboard", "inserttext", " and put"),
		ask: "[document.getElementById('editor').textContent, seen.filter(e => e[0] === 'keydown' && e[1] === 'editor').length]", want: `["typed and put",0]`,
	},
	{name: "fill: ö and 漢", run: ab("fill", "#name", "Jörg 漢字"), ask: value("name"), want: `"Jörg 漢字"`},
	{name: "press: Enter in a form", run: ab("press", "Enter"), ask: text("saved"), want: `"Saved Jörg 漢字, free, small, terms false"`},
}

var choosing = []step{
	{name: "select", run: ab("select", "#plan", "pro"), ask: value("plan"), want: `"pro"`},
	{name: "select: by label", run: ab("select", "#plan", "Team"), ask: value("plan"), want: `"team"`},
	{name: "select: events", run: ab("select", "#plan", "free"), ask: seen("plan", "change") + ".length", want: "3"},
	{name: "check", run: ab("check", "#terms"), ask: "document.getElementById('terms').checked", want: "true"},
	{name: "check: again", run: ab("check", "#terms"), ask: "document.getElementById('terms').checked", want: "true"},
	{name: "check: a radio button", run: ab("check", "#large"), ask: "document.querySelector('[name=size]:checked').value", want: `"large"`},
	{name: "uncheck", run: ab("uncheck", "#news"), ask: "[document.getElementById('news').checked, " + seen("news", "change") + ".length]", want: "[false,1]"},
	{name: "click: submit, unfilled", run: ab("click", "#save"), ask: text("saved"), want: `""`},
	{name: "fill: a required field", run: ab("fill", "#name", "Ada"), ask: value("name"), want: `"Ada"`},
	{name: "click: submit", run: ab("click", "#save"), ask: text("saved"), want: `"Saved Ada, free, large, terms true"`},
}

var scrolling = []step{
	{name: "scroll down", run: ab("scroll", "down", "300"), ask: "scrollY", want: "300"},
	{name: "scroll up", run: ab("scroll", "up", "100"), ask: "scrollY", want: "200"},
	{name: "scroll --selector", run: ab("scroll", "down", "50", "--selector", "#roll"), ask: "document.getElementById('roll').scrollTop", want: "50"},
	{name: "is visible: below the fold", run: ab("is", "visible", "#far"), says: "true"},
	{
		name: "scrollintoview", run: ab("scrollintoview", "#far"),
		ask: "(r => r.top >= 0 && r.bottom <= innerHeight)(document.getElementById('far').getBoundingClientRect())", want: "true",
	},
	{name: "scroll: back", run: ab("scroll", "up", "9000"), ask: "scrollY", want: "0"},
	{name: "click: below the fold", run: ab("click", "#far"), ask: "[" + seen("far", "click") + ".length, scrollY > 2000]", want: "[1,true]"},
	{name: "open: the same page again", run: ab("open", "$APP/app.html"), shows: []string{"Field book"}, ask: "[scrollY, seen.length]", want: "[0,0]"},
	{name: "snapshot -i: below the fold", run: ab("snapshot", "-i"), shows: []string{`heading "Field book"`, `button "Far away"`}},
}

var pointer = []step{
	{name: "mouse move", run: ab("mouse", "move", "900", "30"), ask: "pointer", want: "[900,30]"},
	{name: "mouse down", run: ab("mouse", "down"), ask: "seen.at(-1)", want: `["mousedown","pad",0]`},
	{name: "mouse up", run: ab("mouse", "up"), ask: "seen.slice(-2)", want: `[["mouseup","pad",0],["click","pad"]]`},
	{name: "mouse down: right", run: ab("mouse", "down", "right"), ask: "seen.at(-1)", want: `["mousedown","pad",2]`},
	{name: "mouse up: right", run: ab("mouse", "up", "right"), ask: "seen.at(-1)", want: `["mouseup","pad",2]`},
	{name: "mouse wheel", run: ab("mouse", "wheel", "250"), ask: "scrollY", want: "250"},
}

var waiting = []step{
	{name: "click: what comes later", run: ab("click", "#later"), ask: seen("later", "click"), want: `["click"]`},
	{name: "wait", run: ab("wait", "#arrived"), shows: []string{"Done"}, ask: text("arrived"), want: `"Arrived late"`},
	{name: "wait --text", run: ab("wait", "--text", "Arrived late"), says: "Arrived late"},
	{name: "wait --fn", run: ab("wait", "--fn", "window.arrived"), says: "true"},
	{name: "click: pushState", run: ab("click", "#push"), ask: seen("push", "click"), want: `["click"]`},
	{name: "wait --url", run: ab("wait", "--url", "**leaf=2"), says: "$APP/app.html?leaf=2"},
	{name: "wait --load", run: ab("wait", "--load", "load"), shows: []string{"Done"}, ask: "document.readyState", want: `"complete"`},
	{name: "wait --load: networkidle", run: ab("wait", "--load", "networkidle"), shows: []string{"Done"}},
	{name: "wait ms", run: ab("wait", "50"), shows: []string{"Done"}},
	{name: "wait --state", run: ab("wait", "#secret", "--state", "hidden"), shows: []string{"Done"}},
	{name: "wait: in vain", run: ab("wait", "#nosuch", "--timeout", "300"), fails: "timed out after 300ms"},
}
