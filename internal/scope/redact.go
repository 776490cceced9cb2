package scope

import (
	"bytes"
	"unsafe"

	"github.com/cdphub/cdphub/internal/secrets"
	"github.com/cdphub/cdphub/internal/wire"
)

// Redact returns JSON, which must be valid, without the secrets in its strings, such as
// tokens in addresses (package secrets): in values and in names of members, at any depth,
// whatever they are called. What it returns is in itself unless something was left out.
func Redact(in []byte) []byte {
	if !secrets.MayBeIn(viewText(in)) {
		return in
	}
	r := reader{in: in}
	copied := 0
	for {
		begin := bytes.IndexByte(in[r.i:], '"')
		if begin < 0 {
			break
		}
		from := r.i + begin
		r.i = wire.SkipValue(in, from)
		text, changed := redactString(in[from:r.i])
		if !changed {
			continue
		}
		r.out = wire.AppendString(append(r.out, in[copied:from]...), text)
		copied = r.i
	}
	if copied == 0 {
		return in
	}
	return append(r.out, in[copied:]...)
}

// redactString is a string of JSON as a text without its secrets, and whether it had any.
func redactString(value []byte) (text string, changed bool) {
	if !secrets.MayBeIn(viewText(value[1 : len(value)-1])) {
		return "", false
	}
	before, _ := wire.Text(value)
	text = secrets.Text(before)
	return text, text != before
}

// viewText is a text in the memory of b: it is good until b changes.
func viewText(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }
