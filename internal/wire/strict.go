package wire

// What Chromium 156 reads besides RFC 8259 (crdtp, json.cc): control characters inside of
// strings, the escape \v, and the white space of C (vertical tab, form feed). Clients that put
// their JSON together by hand send such messages.

// strictGrowth is how many times as long a message may become, so that a Client cannot have
// the hub hold many times what it sends. Only control characters without a short escape make
// it more than twice as long, and texts have few of them.
const strictGrowth = 2

// strictJSON writes such a message as RFC 8259 has it. It returns nil for one in which there
// is nothing of this kind. The rest is left as it is, and may be no JSON either.
func strictJSON(frame []byte) []byte {
	out := make([]byte, 0, len(frame)+len(frame)/8)
	text, changed := false, false
	for i := 0; i < len(frame); i++ {
		switch c := frame[i]; {
		case c == '"':
			text = !text
			out = append(out, c)
		case text && c == '\\' && i+1 < len(frame):
			if i++; frame[i] == 'v' {
				out, changed = append(out, `\u000b`...), true
			} else {
				out = append(out, c, frame[i])
			}
		case text && c < ' ':
			out, changed = appendEscape(out, c), true
		case !text && (c == '\v' || c == '\f'):
			out, changed = append(out, ' '), true
		default:
			out = append(out, c)
		}
		if len(out) > strictGrowth*len(frame) {
			return nil
		}
	}
	if !changed {
		return nil
	}
	return out
}
