package journal

import (
	"cmp"
	"slices"
	"time"
)

// ring holds the newest entries of one target, within a number of bytes.
type ring struct {
	kept  []kept // the oldest first
	bytes int64
	last  uint64 // the newest Seq
}

// kept is an Entry with its picture.
type kept struct {
	Entry
	picture []byte
}

func (k *kept) size() int64 { return k.Entry.size() + int64(len(k.picture)) }

// mostEntries is how many entries of one target are kept, however small they are.
const mostEntries = 5000

// add keeps an entry. Older entries make room for it, but the newest one always
// stays.
func (r *ring) add(k kept, most int64) {
	r.kept = append(r.kept, k)
	r.bytes += k.size()
	for len(r.kept) > mostEntries || r.bytes > most && len(r.kept) > 1 {
		r.drop()
	}
}

// find is the index of the entry with a Seq, by which entries are sorted, or of the one
// after it.
func (r *ring) find(seq uint64) (i int, found bool) {
	return slices.BinarySearchFunc(r.kept, seq, func(k kept, seq uint64) int { return cmp.Compare(k.Seq, seq) })
}

// drop forgets the oldest entry.
func (r *ring) drop() {
	r.bytes -= r.kept[0].size()
	// So that the array does not hold the picture.
	r.kept[0] = kept{}
	r.kept = r.kept[1:]
	if len(r.kept) == 0 {
		r.kept = nil
	}
}

// dropBefore forgets the entries that began before a time.
func (r *ring) dropBefore(t time.Time) {
	for at := t.UnixMilli(); len(r.kept) > 0 && r.kept[0].At < at; {
		r.drop()
	}
}
