package share

import (
	"github.com/cdphub/cdphub/internal/wire"
)

// eachMember calls fn for each member of a JSON object, until fn returns false. The name is unescaped, since Chromium
// compares names so; from and to are where the value stands in the object. It reports whether it came to the end.
// The text was checked, or comes from the browser: a document nests deeper than internal/wire lets strangers.
func eachMember(object []byte, fn func(name string, from, to int) bool) bool {
	i := wire.SkipSpace(object, 0)
	if i == len(object) || object[i] != '{' {
		return false
	}
	if i = wire.SkipSpace(object, i+1); i < len(object) && object[i] == '}' {
		return true
	}
	for {
		name, from := memberName(object, i)
		if from < 0 {
			return false
		}
		to := wire.SkipValue(object, from)
		if to < 0 || !fn(name, from, to) {
			return false
		}
		if i = wire.SkipSpace(object, to); i == len(object) || object[i] != ',' {
			return i < len(object) && object[i] == '}'
		}
		i = wire.SkipSpace(object, i+1)
	}
}

// memberName reads the name that begins at i, and returns where its value begins; -1 for what is no member.
func memberName(text []byte, i int) (name string, value int) {
	end := wire.SkipValue(text, i)
	if end < 0 {
		return "", -1
	}
	name, ok := wire.Text(text[i:end])
	if i = wire.SkipSpace(text, end); !ok || i == len(text) || text[i] != ':' {
		return "", -1
	}
	return name, wire.SkipSpace(text, i+1)
}

// eachElement calls fn for each element of a JSON array.
func eachElement(array []byte, fn func(from, to int)) {
	i := wire.SkipSpace(array, 0)
	if i == len(array) || array[i] != '[' {
		return
	}
	for i = wire.SkipSpace(array, i+1); i < len(array) && array[i] != ']'; i = wire.SkipSpace(array, i+1) {
		to := wire.SkipValue(array, i)
		if to < 0 {
			return
		}
		fn(i, to)
		if i = wire.SkipSpace(array, to); i == len(array) || array[i] != ',' {
			return
		}
	}
}

// valueOf is a member inside members; nil when there is none. Of two with one name the last counts, as in Chromium.
func valueOf(object []byte, path ...string) []byte {
	for _, wanted := range path {
		var found []byte
		eachMember(object, func(name string, from, to int) bool {
			if name == wanted {
				found = object[from:to]
			}
			return true
		})
		if object = found; found == nil {
			return nil
		}
	}
	return object
}

// textOf is a member that is a string; "" when there is none.
func textOf(object []byte, path ...string) string {
	text, _ := wire.Text(valueOf(object, path...))
	return text
}

func isTrue(object []byte, name string) bool { return string(valueOf(object, name)) == "true" }

// withMember returns a copy of an object in which one member has this value, behind all others; nil removes the member.
func withMember(object []byte, member string, value []byte) []byte {
	out := make([]byte, 1, len(object)+len(member)+len(value)+5)
	out[0] = '{'
	eachMember(object, func(name string, from, to int) bool {
		if name != member {
			out = append(appendName(out, name), object[from:to]...)
		}
		return true
	})
	if value != nil {
		out = append(appendName(out, member), value...)
	}
	return append(out, '}')
}

// appendName begins another member of an object.
func appendName(out []byte, name string) []byte {
	if last := out[len(out)-1]; last != '{' {
		out = append(out, ',')
	}
	return append(wire.AppendString(out, name), ':')
}

// quoteText is a JSON string.
func quoteText(text string) []byte { return wire.AppendString(nil, text) }
