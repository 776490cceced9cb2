package e2e

import "fmt"

// section is a run of steps from a freshly opened app page.
type section struct {
	name  string
	steps []step
}

// ab names agent-browser's arguments.
func ab(args ...string) []string { return args }

// value, text and seen are questions to a page.
func value(id string) string { return fmt.Sprintf("document.getElementById(%q).value", id) }
func text(id string) string  { return fmt.Sprintf("document.getElementById(%q).textContent", id) }

// seen asks for the events of these types on the element since the page was
// opened, oldest first.
func seen(id, types string) string {
	return fmt.Sprintf("seen.filter(e => e[1] === %q && %q.split(' ').includes(e[0])).map(e => e[0])", id, types)
}

// sections is the table: command, and what is asserted.
var sections = []section{
	{"reading", reading},
	{"finding", finding},
	{"clicking", clicking},
	{"typing", typing},
	{"choosing", choosing},
	{"scrolling", scrolling},
	{"pointer", pointer},
	{"waiting", waiting},
	{"scripts", scripts},
	{"storage", storage},
	{"history", history},
	{"tabs", tabs},
	{"frames", frames},
	{"settings", settings},
	{"beyond a frame", beyond},
}

var reading = []step{
	{
		name: "snapshot", run: ab("snapshot"),
		shows: []string{
			`heading "Field book" [level=1`, `textbox "Name" [required`, `combobox "Plan"`, `]: Free`,
			`checkbox "Accept the terms" [checked=false`, `checkbox "Newsletter" [checked=true`,
			`radio "Small" [checked=true`, `button "Out of order" [disabled`, `StaticText "Rolling text"`,
			`textbox "Editor"`, `link "Second page"`, `listitem`, `button "Far away"`,
		},
		hides: []string{"Hidden words"},
	},
	{
		name: "snapshot -i", run: ab("snapshot", "-i"),
		shows: []string{`textbox "Name" [required, ref=`, `button "Save entry" [ref=`, `button "Add one" [ref=`, `link "Second page" [ref=`},
		hides: []string{"StaticText", "LabelText", "Rolling text"},
	},
	{
		name: "snapshot -c", run: ab("snapshot", "-c"),
		shows: []string{`heading "Field book"`, `StaticText "Name"`, `button "Far away"`},
		hides: []string{"generic", "Hidden words"},
	},
	{
		name: "snapshot -d", run: ab("snapshot", "-d", "1"),
		shows: []string{`heading "Field book"`, "form", `button "Far away"`},
		hides: []string{`option "Free"`, `StaticText "Name"`},
	},
	{
		name: "snapshot -s", run: ab("snapshot", "-s", "#entry"),
		shows: []string{"form", `textbox "Name"`, `option "Team"`, `button "Save entry"`},
		hides: []string{"Field book", "Add one"},
	},
	{name: "get text", run: ab("get", "text", "#heading"), says: "Field book"},
	{name: "get html", run: ab("get", "html", "#count"), says: "0"},
	{
		name: "get html: nested", run: ab("get", "html", "#list"),
		says: `<li class="row">One</li><li class="row">Two</li><li class="row">Three</li>`,
	},
	{name: "get value", run: ab("get", "value", "#plan"), says: "free"},
	{name: "get attr", run: ab("get", "attr", "#heading", "title"), says: "The book"},
	{name: "get title", run: ab("get", "title"), says: "Field book"},
	{name: "get url", run: ab("get", "url"), says: "$APP/app.html"},
	{name: "get count", run: ab("get", "count", "#list li"), says: "3"},
	{name: "get box", run: ab("get", "box", "#pad"), shows: []string{"x:", "800\n", "y:", "10\n", "width:", "300\n", "height:", "60"}},
	{name: "get styles", run: ab("get", "styles", "#plus"), shows: []string{"\ndisplay: inline-block\n", "\nfont-weight: 700\n"}},
	{name: "is visible", run: ab("is", "visible", "#plus"), says: "true"},
	{name: "is visible: hidden", run: ab("is", "visible", "#secret"), says: "false"},
	{name: "is enabled", run: ab("is", "enabled", "#plus"), says: "true"},
	{name: "is enabled: disabled", run: ab("is", "enabled", "#off"), says: "false"},
	{name: "is checked", run: ab("is", "checked", "#news"), says: "true"},
	{name: "is checked: not", run: ab("is", "checked", "#terms"), says: "false"},
	{name: "get text: missing", run: ab("get", "text", "#nosuch"), fails: "Element not found: #nosuch"},
}

var finding = []step{
	{name: "find role", run: ab("find", "role", "button", "click", "--name", "Add one"), ask: text("count"), want: `"1"`},
	{name: "find role: fill", run: ab("find", "role", "textbox", "fill", "--name", "Name", "Bob"), ask: value("name"), want: `"Bob"`},
	{name: "find text", run: ab("find", "text", "Add one", "click"), ask: text("count"), want: `"2"`},
	{name: "find label", run: ab("find", "label", "Email", "fill", "bob@example.org"), ask: value("email"), want: `"bob@example.org"`},
	{
		name: "find placeholder", run: ab("find", "placeholder", "you@example.org", "fill", "ada@example.org"),
		ask: value("email"), want: `"ada@example.org"`,
	},
	{name: "find testid", run: ab("find", "testid", "plus", "click"), ask: text("count"), want: `"3"`},
	{name: "find testid: text", run: ab("find", "testid", "plus", "text"), says: "Add one"},
	{name: "find alt", run: ab("find", "alt", "A dot", "click"), ask: seen("dot", "mousedown mouseup click"), want: `["mousedown","mouseup","click"]`},
	{name: "find title", run: ab("find", "title", "The book", "text"), says: "Field book"},
	{name: "find first", run: ab("find", "first", "#list li", "text"), says: "One"},
	{name: "find nth", run: ab("find", "nth", "1", "#list li", "text"), says: "Two"},
	{name: "find last", run: ab("find", "last", "#list li", "text"), says: "Three"},
	{name: "find label: check", run: ab("find", "label", "Accept the terms", "check"), ask: "document.getElementById('terms').checked", want: "true"},
	{name: "find role: missing", run: ab("find", "role", "button", "click", "--name", "No such button"), fails: "No such button"},
}

var clicking = []step{
	{name: "click", run: ab("click", "#plus"), ask: text("count"), want: `"1"`},
	{name: "click: events", run: ab("click", "#plus"), ask: seen("plus", "mousedown focusin mouseup click") + ".slice(-3)", want: `["mousedown","mouseup","click"]`},
	{name: "dblclick", run: ab("dblclick", "#twice"), ask: text("twice"), want: `"Pressed twice"`},
	{name: "hover", run: ab("hover", "#hover"), ask: text("hover"), want: `"Inside"`},
	{name: "hover: elsewhere", run: ab("hover", "#plus"), ask: text("hover"), want: `"Outside"`},
	{name: "focus", run: ab("focus", "#notes"), ask: "document.activeElement.id", want: `"notes"`},
	{name: "focus: events", run: ab("focus", "#name"), ask: seen("name", "focusin"), want: `["focusin"]`},
	{name: "click: disabled", run: ab("click", "#off"), fails: "is disabled"},
	{name: "click: missing", run: ab("click", "#nosuch"), fails: "Element not found: #nosuch"},
	{name: "drag", run: ab("drag", "#card", "#bin"), ask: text("bin"), want: `"Got the card"`},
	{name: "highlight", run: ab("highlight", "#plus"), shows: []string{"Done"}, ask: text("plus"), want: `"Add one"`},
}
