package bridge

import (
	"path/filepath"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxFileName is the longest name of a file, in bytes: NAME_MAX of Linux, of which some is
// left for a number (limits.h).
const maxFileName = 240

// IsFileName reports whether a name that a page, a Host or a browser has given can be that
// of a file in a folder of the hub's choice. It is one element of a path on every system:
// no separator, no "..", no drive, no device such as NUL, no control character. Every such
// name that becomes part of a path is asked for here.
func IsFileName(name string) bool {
	return name != "" && name != "." && len(name) <= maxFileName && utf8.ValidString(name) &&
		!strings.ContainsAny(name, `/\`) && !strings.ContainsFunc(name, unicode.IsControl) && filepath.IsLocal(name)
}
