package wire

// cutEnd is how many bytes are kept at each end of a message that is cut.
const cutEnd = 1 << 10

// Cut is a message that was too large to be kept: its ends and its size. They say
// whose it was, since Chromium writes the id or method first and the sessionId last. The
// zero Cut is empty.
type Cut struct {
	Head, Tail []byte // at most 1 KiB each; they do not overlap
	Size       int64  // of the whole message, in bytes
}

// Add appends the next bytes of the message. It keeps no part of p.
func (c *Cut) Add(p []byte) {
	c.Size += int64(len(p))
	n := min(cutEnd-len(c.Head), len(p))
	c.Head = append(c.Head, p[:n]...)
	p = p[n:]
	if len(p) >= cutEnd {
		c.Tail = append(c.Tail[:0], p[len(p)-cutEnd:]...)
		return
	}
	if over := len(c.Tail) + len(p) - cutEnd; over > 0 {
		c.Tail = c.Tail[:copy(c.Tail, c.Tail[over:])]
	}
	c.Tail = append(c.Tail, p...)
}
