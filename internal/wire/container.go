package wire

import (
	"encoding/binary"
	"math/bits"
)

// scanContainer scans an object or an array that stands inside base open brackets, with
// all that is in it. It does not recurse. Brackets are kept in an array of MaxDepth bytes
// on the stack: a Client decides how deep a message nests, and a recursion would grow the
// goroutine's stack.
func scanContainer(b []byte, i, base uint) (int, fault) {
	var (
		around     [MaxDepth]byte // by level, what closes the bracket around
		closer     byte           // closes the innermost open bracket
		depth      = base
		key, first bool // next is a key; the first of its kind
		m          = marksAt(b, i)
		f, huge    fault
	)
	for i < uint(len(b)) {
		switch c := b[i]; {
		case c == '"': // which m has first
			if m.set == 0 {
				m = m.next(b)
			}
			if m.set &= m.set - 1; m.set == 0 {
				m = m.next(b)
			}
			if i = m.first(); i < uint(len(b)) && b[i] == '"' {
				i, m.set = i+1, m.set&(m.set-1)
			} else if i, m, f = textRest(b, i); f != fine {
				return int(i), f
			}
			if !key {
				break
			}
			if i < uint(len(b)) && isWhite(b[i]) {
				i, m = m.skip(b, i)
			}
			if i >= uint(len(b)) || b[i] != ':' {
				return int(i), wantColon
			}
			i, key, first = i+1, false, false
			continue
		case isWhite(c):
			i, m = m.skip(b, i)
			continue
		case first && c == closer: // nothing is inside
		case key:
			return int(i), wantString
		case c == '{' || c == '[':
			if depth == MaxDepth {
				return int(i), tooDeep
			}
			around[depth] = closer
			i, depth, closer = i+1, depth+1, c+2 // '}' is '{'+2, and ']' is '['+2
			key, first = c == '{', true
			continue
		default:
			if end := scanWhole(b, i, closer); end > 0 {
				i = end
			} else if i, f = scanScalar(b, i); f.isBad() {
				return int(i), f
			} else {
				huge |= f // fine or hugeNumber
			}
		}
		for i < uint(len(b)) && b[i] != ',' {
			switch c := b[i]; {
			case c == closer:
				if i, depth = i+1, depth-1; depth == base {
					return int(i), huge
				}
				closer = around[depth]
			case isWhite(c):
				i, m = m.skip(b, i)
			default:
				return int(i), wantComma
			}
		}
		i, key, first = i+1, closer == '}', false
	}
	return len(b), cutShort
}

// marks says which of the 64 bytes from at on are special and not yet passed, a bit
// for each. To find the ends of strings by them is faster than to look for the end of
// each: where a string ends does not depend on where the one before has, so that the
// CPU works on several at once. Special are quotes, backslashes and control characters.
type marks struct {
	at  uint
	set uint64
}

// marksAt marks the bytes from i on, which is at most len(b).
func marksAt(b []byte, i uint) marks {
	switch n := uint(len(b)); {
	case n-i >= 64:
		return marks{i, markSpecial64((*[64]byte)(b[i:]))}
	case n >= 64:
		return marks{i, markSpecial64((*[64]byte)(b[n-64:])) >> (64 - (n - i))}
	default:
		var p [64]byte
		copy(p[:], b[i:])
		return marks{i, markSpecial64(&p) & (1<<(n-i) - 1)}
	}
}

// first is the index of the first mark.
func (m marks) first() uint { return m.at + uint(bits.TrailingZeros64(m.set)) }

// next marks the bytes behind those of m. If none of the next 64 is special, it goes
// on to the first that is, as in a long string.
func (m marks) next(b []byte) marks {
	m = marksAt(b, min(m.at+64, uint(len(b))))
	if m.set == 0 {
		m = marksAt(b, uint(skipPlain(b, int(min(m.at+64, uint(len(b)))))))
	}
	return m
}

// skip passes white space.
func (m marks) skip(b []byte, i uint) (uint, marks) {
	if i = uint(someSpace(b, int(i))); i-m.at >= 64 {
		return i, marksAt(b, i)
	}
	m.set &= ^uint64(0) << (i - m.at)
	return i, m
}

// textRest is strRest, and marks the bytes behind the string.
func textRest(b []byte, i uint) (uint, marks, fault) {
	end, f := strRest(b, int(min(i, uint(len(b)))))
	return uint(end), marksAt(b, uint(end)), f
}

// isWhite reports whether c is white space.
func isWhite(c byte) bool { return c <= ' ' && 1<<c&(1<<' '|1<<'\t'|1<<'\n'|1<<'\r') != 0 }

// scanWhole scans a number of up to seven digits and nothing else, with a comma or
// closing bracket right behind it. It returns 0 for all that is not that simple.
func scanWhole(b []byte, i uint, closer byte) uint {
	if i+8 > uint(len(b)) {
		return 0
	}
	w := binary.LittleEndian.Uint64(b[i:]) ^ ones*'0'
	m := (w + ones*(0x7f-9) | w) & tops // the first byte above 9; marks above it may be false
	end := i + uint(bits.TrailingZeros64(m))/8
	if m == 0 || end == i || b[i] == '0' && end > i+1 || b[end] != ',' && b[end] != closer {
		return 0
	}
	return end
}

// scanScalar is scanScalarAt for the index type of scanContainer.
func scanScalar(b []byte, i uint) (uint, fault) {
	end, f := scanScalarAt(b, int(i))
	return uint(end), f
}

// markSpecial64 returns which of 64 bytes are special, in a bit for each.
func markSpecial64(p *[64]byte) uint64 {
	return markSpecial8(wordAt(p, 0)) | markSpecial8(wordAt(p, 8))<<8 | markSpecial8(wordAt(p, 16))<<16 | markSpecial8(wordAt(p, 24))<<24 |
		markSpecial8(wordAt(p, 32))<<32 | markSpecial8(wordAt(p, 40))<<40 | markSpecial8(wordAt(p, 48))<<48 | markSpecial8(wordAt(p, 56))<<56
}

// markSpecial8 returns which bytes of a word are special, in its lowest eight bits. Unlike
// markSpecial it is right for each byte: its sums are of seven bits, so that none carries
// to the next byte. One has its top bit at 0 for control characters and, since XOR
// with 2 makes 0x20 of it, the quote; the other for the backslash. The product brings
// the eight bits together.
func markSpecial8(w uint64) uint64 {
	low := w & sevens
	t := ^(((low^ones*2)+ones*(0x7f-0x20))&((low^slash)+sevens) | w) & tops
	return t >> 7 * 0x0102040810204080 >> 56
}
