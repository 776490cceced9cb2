package link

// queue is bytes in their order. It keeps no memory while it is empty.
type queue struct {
	b  []byte
	at int // b[:at] is gone
}

// smallest is what an empty queue may keep.
const smallest = 4 << 10

// len is the number of bytes.
func (q *queue) len() int { return len(q.b) - q.at }

// push copies p to the end. It moves what is left to the front instead of growing, if at
// least half is gone.
func (q *queue) push(p []byte) {
	if q.at > len(q.b)/2 && len(q.b)+len(p) > cap(q.b) {
		q.b = q.b[:copy(q.b, q.b[q.at:])]
		q.at = 0
	}
	q.b = append(q.b, p...)
}

// from is what begins at an index.
func (q *queue) from(i int) []byte { return q.b[q.at+i:] }

// drop removes the n oldest bytes.
func (q *queue) drop(n int) {
	q.at += n
	if q.at < len(q.b) {
		return
	}
	q.at = 0
	if q.b = q.b[:0]; cap(q.b) > smallest {
		q.b = nil
	}
}
