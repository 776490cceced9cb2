package journal

import (
	"cmp"
	"errors"
	"io/fs"
	"strings"
	"time"

	"go.uber.org/zap"

	"github.com/cdphub/cdphub/relay/quota"
)

var errFull = errors.New("the recordings of the last minute need more room than all recordings may take")

// makeRoom removes recordings until there is room for some bytes: the oldest of the Payer
// that has most, so that the noise of one token removes its own recordings, and never
// those of others. except is the recording that grows, and payer the ID of who has caused
// most of it.
func (f *files) makeRoom(bytes int64, except, payer string) error {
	for f.pool.Excess()+bytes > 0 {
		name := f.oldest(except, payer)
		if name == "" {
			return errFull
		}
		f.remove(name)
	}
	return nil
}

// oldest is the recording to remove next; "" for none. A recording that has changed in the
// last minute stays, unless it makes room for another Payer.
func (f *files) oldest(except, payer string) (name string) {
	used := make(map[string]int64) // by Payer, of all recordings
	for _, s := range f.sizes {
		for by, n := range s.bytes {
			used[by.ID] += n
		}
	}
	most := quota.Most(used)
	for other, s := range f.sizes {
		switch {
		case other == except, s.payer() != most, payer == most && time.Since(s.changed) < mayRemove:
		case name == "" || cmp.Or(s.changed.Compare(f.sizes[name].changed), strings.Compare(other, name)) < 0:
			name = other
		}
	}
	return name
}

// payer is the ID of who has caused most of a recording: others that have added to it do
// not make it theirs.
func (s *size) payer() string { return mostOf(s.bytes) }

// mostOf is the ID of the Payer that has caused most of some bytes.
func mostOf(bytes map[quota.Payer]int64) string {
	used := make(map[string]int64, len(bytes))
	for payer, n := range bytes {
		used[payer.ID] += n
	}
	return quota.Most(used)
}

// remove removes a recording. If its target goes on, it gets another one.
func (f *files) remove(name string) {
	for _, fl := range f.lines {
		if fl.name == name {
			f.detach(fl)
		}
	}
	err := errors.Join(f.root.RemoveAll(name+picturesIn), f.root.Remove(name+Extension))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		f.log.Warn("an old recording could not be removed", zap.Error(err))
	}
	for payer, n := range f.sizes[name].bytes {
		f.pool.Add(payer, -n)
	}
	delete(f.sizes, name)
}

// countShares counts bytes that were written, which are fewer than those that several
// Payers have caused: the file is compressed.
func (f *files) countShares(name string, caused map[quota.Payer]int64, bytes int64) {
	var all int64
	for _, n := range caused {
		all += n
	}
	left, now := bytes, time.Now()
	for payer, n := range caused {
		share := bytes * n / max(all, 1)
		left -= share
		f.count(name, payer, share, now)
	}
	for payer := range caused { // what rounding has left
		f.count(name, payer, left, now)
		return
	}
	f.count(name, quota.Payer{}, left, now)
}

// payerOf reads from a recording of an earlier process for whom it counts.
func (f *files) payerOf(name string) (p quota.Payer) {
	file, err := f.root.Open(name + Extension)
	if err != nil {
		return p
	}
	defer file.Close()
	h, err := readHeader(file)
	if err != nil || h.Payer == "" {
		return p
	}
	return quota.Payer{ID: h.Payer, Name: "token " + h.Payer[:min(len(h.Payer), 8)]}
}
