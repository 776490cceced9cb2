package wire

import (
	"bytes"
	"testing"
)

// FuzzCut compares the ends of a message that comes in pieces with those of the whole.
func FuzzCut(f *testing.F) {
	f.Add(uint16(3000), uint16(7))
	f.Add(uint16(cutEnd), uint16(cutEnd))
	f.Add(uint16(2*cutEnd+1), uint16(cutEnd-1))
	f.Add(uint16(0), uint16(0))
	f.Fuzz(func(t *testing.T, size, piece uint16) {
		whole := make([]byte, size)
		for i := range whole {
			whole[i] = byte(i * 7)
		}
		var c Cut
		for rest := whole; len(rest) > 0; {
			n := min(len(rest), int(piece)+1)
			c.Add(rest[:n])
			rest = rest[n:]
		}
		head := whole[:min(len(whole), cutEnd)]
		tail := whole[max(len(head), len(whole)-cutEnd):]
		if !bytes.Equal(c.Head, head) || !bytes.Equal(c.Tail, tail) || c.Size != int64(size) {
			t.Fatalf("%d bytes in pieces of %d: ends of %d and %d bytes, size %d", size, int(piece)+1, len(c.Head), len(c.Tail), c.Size)
		}
	})
}
