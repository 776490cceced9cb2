package targets

import (
	"encoding/json"

	"github.com/cdphub/cdphub/internal/wire"
)

// Filter is a Target.TargetFilter: it selects types of targets. The first rule that fits
// decides, and what fits none is left out. [{"type":"iframe","exclude":true},{}] takes all
// but frames. The page of CDP's domain Target describes it.
type Filter []Rule

// Rule is one entry of a Filter. An empty type is any. {"type":"page","exclude":true} on
// the wire. Both members are optional.
type Rule struct {
	Type    string
	Exclude bool
}

// Usual is the Filter where none is given, as in Chromium: pages, and neither
// the browser nor tabs.
var Usual = Filter{{Type: "browser", Exclude: true}, {Type: "tab", Exclude: true}, {}}

// Takes reports whether a type of targets is selected.
func (f Filter) Takes(kind string) bool {
	for _, r := range f {
		if r.Type == "" || r.Type == kind {
			return !r.Exclude
		}
	}
	return false
}

// maxKind is more bytes than the name of any type of targets has.
const maxKind = 64

// MaxRules is how many rules a Filter may have: each is looked at for each
// target. There are some twenty types.
const MaxRules = 64

// ReadFilter reads [{"type":"page","exclude":true},…], whose members it takes by
// their exact names. It shares no memory with the text. ok is false for anything else than
// an array of at most MaxRules such objects. Unknown members are ignored, and a type that
// is too long for any target is cut: a Filter is kept, and the text may be as long as a
// message.
func ReadFilter(raw []byte) (Filter, bool) {
	var list []json.RawMessage
	if json.Unmarshal(raw, &list) != nil || len(list) > MaxRules {
		return nil, false
	}
	f := make(Filter, len(list))
	for i, entry := range list {
		ok := true
		err := wire.ReadObject(entry, func(key string, value []byte) error {
			switch key {
			case "type":
				kind, is := wire.Text(value)
				f[i].Type, ok = Cut(kind, maxKind), ok && is
			case "exclude":
				f[i].Exclude = value[0] == 't'
				ok = ok && (f[i].Exclude || value[0] == 'f')
			}
			return nil
		})
		if err != nil || !ok {
			return nil, false
		}
	}
	return f, true
}
