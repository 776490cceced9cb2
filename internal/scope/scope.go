// Package scope says what a Client may do with each method, parameter and event
// of the Chrome DevTools Protocol. The table is scopes.txt.
//
//	why := scope.Standard.Refuse("Browser.crash")       // "" if it is allowed
//	members, params, err := s.Read(method, params)      // what goes to the Host
//	seen, ok := s.Event("Network.requestWillBeSent", e) // what the Client gets of it
//
// A method or event that is not in the table needs Privileged: what a new version of
// Chromium adds is refused until it is in the table.
package scope

import (
	"slices"

	"github.com/cdphub/cdphub/internal/wire"
)

// Scope is how much a Client may do; each includes those before it.
type Scope uint8

// The scopes, after the profiles of the Browser Agent Protocol.
const (
	Readonly   Scope = iota + 1 // looks, and changes nothing
	Standard                    // drives pages: input, navigation, script
	Full                        // cookies, storage, requests, contexts
	Privileged                  // the machine and the browser around the pages
)

// Names are those of the scopes, the least first.
var Names = []string{"readonly", "standard", "full", "privileged"}

// String is the name of the scope; "" for none.
func (s Scope) String() string {
	if s < Readonly || s > Privileged {
		return ""
	}
	return Names[s-1]
}

// Parse finds a scope by its name.
func Parse(name string) (s Scope, ok bool) {
	i := slices.Index(Names, name)
	return Scope(i + 1), i >= 0
}

// Of is the least scope that may call a method. One that is not in the table
// needs Privileged.
func Of(method string) Scope {
	if m := table.methods[method]; m != nil {
		return m.scope
	}
	return Privileged
}

// Files reports whether the scope reaches the files of the machine that a Host
// runs on.
func (s Scope) Files() bool { return s >= Privileged }

// ReadOnly reports whether the scope allows no changes.
func (s Scope) ReadOnly() bool { return s < Standard }

// Redacts reports whether the scope sees events and answers only by Redact. Script reads
// the address of its page, so that from Standard on nothing would be gained.
func (s Scope) Redacts() bool { return s < Standard }

// Refuse returns why the scope does not allow a CDP method, or "". The text is for the
// Client: "Not allowed: Browser.crash needs scope privileged".
func (s Scope) Refuse(method string) string {
	if s >= Privileged {
		return ""
	}
	need := Of(method)
	if s >= need {
		return ""
	}
	return "Not allowed: " + method[:min(len(method), wire.MaxMethod)] + " needs scope " + need.String()
}

// TakesParams reports whether the table has params of a method.
func TakesParams(method string) bool {
	m := table.methods[method]
	return m != nil && len(m.members) > 0
}

// Judged reports whether Read looks into the params of a method.
func Judged(method string) bool {
	if m := table.methods[method]; m != nil {
		return m.members != nil
	}
	return Reaches(method)
}
