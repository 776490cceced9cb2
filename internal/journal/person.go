package journal

import (
	"bytes"
	"strings"
	"time"

	"github.com/cdphub/cdphub/relay"
)

// In a handoff no Client may read what the person does. The timeline has the kinds of the
// actions and the person's name, so that a person cannot act unseen by a link: neither what was
// typed nor where, how often and on what. Even the places of clicks would tell a PIN.

// personKinds are the kinds of actions, by their methods and the types of their params.
var personKinds = map[string][]struct{ part, text string }{
	mouseEvent:                    {{`"mousePressed"`, "clicked"}, {`"mouseWheel"`, "scrolled"}},
	keyEvent:                      {{`"keyDown"`, "typed"}, {`"rawKeyDown"`, "typed"}, {`"char"`, "typed"}},
	"Input.insertText":            {{"", "typed"}},
	"Input.imeSetComposition":     {{"", "typed"}},
	"Input.dispatchTouchEvent":    {{`"touchStart"`, "clicked"}},
	"Page.handleJavaScriptDialog": {{"", "answered a dialog"}},
}

// personKind is the kind of an action; "" for what is none, such as a move of the mouse. The
// caller has the hub's lock: the params are not parsed.
func personKind(method string, params []byte) string {
	kinds, listed := personKinds[method]
	if !listed {
		return "acted"
	}
	for _, kind := range kinds {
		if bytes.Contains(params, []byte(kind.part)) {
			return kind.text
		}
	}
	return ""
}

// personActed keeps the kind of an action during a handoff: one entry for actions of one kind
// in a row.
func (o *observer) personActed(c relay.Observed) {
	kind := personKind(c.Method, c.Params)
	if kind == "" {
		return
	}
	at, name, method := time.Now(), strings.Clone(c.Person), methods[c.Method].name
	o.put(o.key(c.TargetID), 0, func(j *Journal, l *line) {
		if l.personKind == kind {
			return
		}
		l.personKind = kind
		j.keepLocked(l, Entry{At: at.UnixMilli(), Kind: Command, Client: l.text(name), Method: method, Text: kind}, nil)
	})
}
