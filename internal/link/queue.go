package link

// queue is bytes in their order. It keeps no more memory than a few times their number.
type queue struct {
	b  []byte
	at int // b[:at] is gone
}

// smallest is what an empty queue may keep.
const smallest = 4 << 10

// len is the number of bytes.
func (q *queue) len() int { return len(q.b) - q.at }

// cost is the memory that counts against a budget.
func (q *queue) cost() int {
	if cap(q.b) <= smallest {
		return q.len()
	}
	return cap(q.b)
}

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
	if left := q.len(); cap(q.b) > smallest && left <= cap(q.b)/8 {
		q.b = append([]byte(nil), q.b[q.at:]...)
		q.at = 0
	} else if left == 0 {
		q.b, q.at = q.b[:0], 0
	}
}
