package scope

import (
	"strings"

	"github.com/cdphub/cdphub/internal/wire"
)

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
// itself unless something was removed. Only events that the table lists come through, and
// of their texts only those that it lists: a text that it does not know becomes "".
func Hush(method string, params []byte) (seen []byte, ok bool) {
	kinds := table.heard[method]
	if kinds == nil {
		return nil, false
	}
	return rewriteJSON(clearer{reader: reader{in: params}, kinds: kinds, hush: true}), true
}

// HushTargets removes from the result of Target.getTargets or Target.getTargetInfo what Hush
// removes from Target.targetInfoChanged, for the targets that are quiet. What is no such
// result is returned unchanged.
//
//	{"targetInfos":[{"targetId":"…","title":"…",…},…]}
//	{"targetInfo":{"targetId":"…","title":"…",…}}
func HushTargets(result []byte, quiet func(targetID string) bool) []byte {
	out := []byte{'{'}
	err := wire.ReadObject(result, func(key string, value []byte) error {
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = append(wire.AppendString(out, key), ':')
		if value[0] != '[' {
			out = append(out, hushTarget(value, quiet)...)
			return nil
		}
		from := 0
		r := reader{in: value}
		for _, element := range r.elements() {
			out = append(append(out, value[from:element[0]]...), hushTarget(value[element[0]:element[1]], quiet)...)
			from = element[1]
		}
		out = append(out, value[from:]...)
		return nil
	})
	if err != nil {
		return result
	}
	return append(out, '}')
}

// hushTarget is a TargetInfo (CDP) without its title and most of its address, if it is quiet.
func hushTarget(info []byte, quiet func(targetID string) bool) []byte {
	if id, ok := wire.Text(wire.MemberOf(info, "targetId")); !ok || !quiet(id) {
		return info
	}
	return rewriteJSON(clearer{reader: reader{in: info}, kinds: table.heard["Target.targetInfoChanged"], hush: true})
}

// elements goes past an array and returns where each of its elements begins and ends.
func (r *reader) elements() (list [][2]int) {
	r.i++ // the bracket
	for first := true; r.more(first); first = false {
		from := r.i
		r.raw()
		list = append(list, [2]int{from, r.i})
	}
	return list
}

// Origin is the origin of an address of a document, such as "https://app.example:8443", in
// lower case; "" for one that has none of its own, such as about:blank.
func Origin(address string) string {
	address = strings.TrimPrefix(address, "blob:")
	scheme, rest, ok := strings.Cut(address, "://")
	if !ok || strings.ContainsAny(scheme, "/?#") {
		return ""
	}
	if end := strings.IndexAny(rest, `/?#\`); end >= 0 {
		rest = rest[:end]
	}
	return strings.ToLower(scheme + "://" + rest[strings.LastIndexByte(rest, '@')+1:])
}

// Reduce is as much of an address as others see of a quiet page: its origin, or its scheme
// where it has none. A path or a query may be what the person has typed.
func Reduce(address string) string {
	if address == "" || address == "about:blank" || address == "about:srcdoc" {
		return address
	}
	if origin := Origin(address); origin != "" {
		return origin + "/"
	}
	scheme, _, ok := strings.Cut(address, ":")
	if !ok || strings.ContainsAny(scheme, "/?# ") {
		return ""
	}
	return scheme + ":"
}
