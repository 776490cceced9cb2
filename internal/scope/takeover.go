package scope

import "strings"

// While a person has taken over a page, other Clients go on reading it and wait
// with what acts on it. While it is quiet they do not even read, since the person
// may type a password there.

// Acts reports whether a method acts on a page. One that is not in the table does,
// but for those of the hub itself.
func Acts(method string) bool {
	return table.acts[method] || table.methods[method] == nil && !strings.HasPrefix(method, ownDomain)
}

// ownDomain begins the methods that the hub answers itself, of no page.
const ownDomain = "CdpHub."

// GoesOn reports whether a method may go on for a page that is quiet: it frees
// something, or lets the page go on, and reads nothing.
func GoesOn(method string) bool {
	return table.goesOn[method] || strings.HasSuffix(method, ".disable") || strings.HasPrefix(method, ownDomain) && !table.acts[method]
}

// Hush returns what others get of an event of a page that is quiet, whose params
// must be valid JSON; ok is false when it is nothing. What it returns is params
// itself unless something was left out. Only events that the table lists come through.
func Hush(method string, params []byte) (seen []byte, ok bool) {
	if !table.heard[method] {
		return nil, false
	}
	domain, _, _ := strings.Cut(method, ".")
	return cleared(table.without[domain], params), true
}
