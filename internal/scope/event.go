package scope

import (
	"strings"

	"github.com/cdphub/cdphub/internal/secrets"
	"github.com/cdphub/cdphub/internal/wire"
)

// Event returns what the scope gets to see of an event, whose params must be
// valid JSON; ok is false when it is nothing. What it returns is params itself
// unless something was cleared. An event that is not in the table is for
// Privileged alone.
func (s Scope) Event(method string, params []byte) (seen []byte, ok bool) {
	if s >= Privileged {
		return params, true
	}
	least, known := table.events[method]
	if !known || s < least {
		return nil, false
	}
	domain, _, _ := strings.Cut(method, ".")
	seen = clearMembers(clearing[s][domain], params)
	if s.Redacts() {
		seen = Redact(seen)
	}
	return seen, true
}

// clearMembers is an event's params with some members cleared: kinds by their names.
// It is params itself where there are none. It may be called by several goroutines, since
// the tables do not change.
func clearMembers(kinds map[string]string, params []byte) []byte {
	if kinds == nil {
		return params
	}
	return rewriteJSON(clearer{reader: reader{in: params}, kinds: kinds})
}

// rewriteJSON is what a clearer makes of its JSON; the JSON itself if it changes nothing.
func rewriteJSON(c clearer) []byte {
	c.value("")
	if !c.changed {
		return c.in
	}
	return c.out
}

// clearing is what a scope sees cleared in the events of a domain: kinds by the
// names of members.
var clearing = func() (by [Privileged]map[string]map[string]string) {
	for s := range by {
		by[s] = make(map[string]map[string]string)
		for domain, list := range table.clears {
			for _, c := range list {
				if Scope(s) >= c.Scope {
					continue
				}
				if by[s][domain] == nil {
					by[s][domain] = make(map[string]string)
				}
				for _, name := range c.Names {
					by[s][domain][name] = c.Kind
				}
			}
		}
	}
	return by
}()

// clearer writes an event's params anew, with some members cleared. The kinds of
// clearing are:
//
//	value    the empty value of its type: "", 0, [] or {}
//	headers  of an object, the values of headers that may have a secret; else as value
//	address  a string: without the parts of it that may be secrets
//	secret   as value; of a header
//	out      the member is left out
//	origin   a string: an address, of which the origin stays
//	keep     a string that stays where others do not (hush)
type clearer struct {
	reader
	kinds   map[string]string
	hush    bool // a string of no kind is cleared
	changed bool
}

// value writes a value; kind says how it is cleared, "" is not at all.
func (c *clearer) value(kind string) {
	c.space()
	switch first := c.in[c.i]; {
	case kind == "value", kind == "secret", kind == "headers" && first != '{':
		c.empty(c.raw())
	case first == '{':
		c.object(kind)
	case first == '[':
		c.array(kind)
	case kind == "address" && first == '"':
		value := c.raw()
		text, changed := redactString(value)
		c.text(value, text, changed)
	case kind == "origin" && first == '"':
		value := c.raw()
		text, _ := wire.Text(value)
		reduced := Reduce(text)
		c.text(value, reduced, reduced != text)
	case c.hush && kind != "keep" && first == '"':
		c.empty(c.raw())
	default:
		c.out = append(c.out, c.raw()...)
	}
}

// empty writes the empty value of a value's type.
func (c *clearer) empty(value []byte) {
	with := `0`
	switch value[0] {
	case '"':
		with = `""`
	case '[':
		with = `[]`
	case '{':
		with = `{}`
	case 't', 'f', 'n':
		with = string(value)
	}
	c.changed = c.changed || with != string(value)
	c.out = append(c.out, with...)
}

// text writes a text in place of a value if it has changed, else the value.
func (c *clearer) text(value []byte, text string, changed bool) {
	if !changed {
		c.out = append(c.out, value...)
		return
	}
	c.changed = true
	c.out = wire.AppendString(c.out, text)
}

// object writes an object; in one of headers those with secrets are cleared.
func (c *clearer) object(kind string) {
	c.i++
	c.out = append(c.out, '{')
	for first, empty := true, true; c.more(first); first = false {
		from := c.i
		name := c.name()
		// The name is looked up at any depth: {"request":{"postData":…}} as well as
		// {"postData":…}.
		next := c.kinds[name]
		if next == "out" {
			c.raw()
			c.changed = true
			continue
		}
		if !empty {
			c.out = append(c.out, ',')
		}
		empty = false
		c.out = append(c.out, c.in[from:c.i]...)
		if kind == "headers" {
			next = "address" // such as Referer and Location
			if secretHeader(name) {
				next = "secret"
			}
		}
		c.value(next)
	}
	c.out = append(c.out, '}')
}

// array writes an array; its elements are cleared as the array would be.
func (c *clearer) array(kind string) {
	c.i++
	c.out = append(c.out, '[')
	for first := true; c.more(first); first = false {
		if !first {
			c.out = append(c.out, ',')
		}
		c.value(kind)
	}
	c.out = append(c.out, ']')
}

// secretHeader reports whether a header's value is, or may be, a secret: by its
// name, or since tokens travel in it where no other header can be set.
func secretHeader(name string) bool {
	name = strings.ToLower(name)
	return secrets.IsName(name, false) || name == "sec-websocket-protocol" || strings.HasSuffix(name, "auth") || strings.HasSuffix(name, "session")
}
