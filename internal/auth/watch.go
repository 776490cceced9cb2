package auth

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"go.uber.org/zap"

	"github.com/cdphub/cdphub/internal/optionname"
)

// pollEvery is how often files are looked at, and leases. A change counts when
// it has stood still for one round, so that nothing half written is read: all
// is done within a second.
const pollEvery = 250 * time.Millisecond

// source is one file that tokens come from.
type source struct {
	path, option string // static
	read         func(raw []byte) error

	loaded, seen os.FileInfo // nil where there was no file
}

// newSource makes a source, and reads nothing yet.
func newSource(path, option string, read func([]byte) error) *source {
	return &source{path: path, option: option, read: read}
}

// load reads the file; what was read before stays when that fails.
func (s *source) load() error {
	s.loaded = s.stat()
	s.seen = s.loaded
	raw, err := readSource(s.path)
	if err == nil {
		err = s.read(raw)
	}
	if err != nil {
		return fmt.Errorf("%s %s: %w", optionname.Of(s.option), s.path, err)
	}
	return nil
}

// stat describes the file; nil where there is none. It follows symbolic links, so that a
// mounted secret that is replaced by a link counts as changed.
func (s *source) stat() os.FileInfo {
	info, err := os.Stat(s.path)
	if err != nil {
		return nil
	}
	return info
}

// changed reports whether the file is another than the one loaded, and has
// been for one round.
func (s *source) changed() bool {
	now := s.stat()
	// An editor may write a file in several steps.
	still := isSameFile(now, s.seen)
	s.seen = now
	return still && !isSameFile(now, s.loaded)
}

// isSameFile reports whether a file has been neither written nor replaced.
func isSameFile(a, b os.FileInfo) bool {
	if a == nil || b == nil {
		return a == nil && b == nil
	}
	return os.SameFile(a, b) && a.ModTime().Equal(b.ModTime()) && a.Size() == b.Size()
}

// sources are all files, that of tokens first.
func (t *Tokens) sources() []*source {
	if t.file == nil {
		return t.keys
	}
	return append([]*source{t.file}, t.keys...)
}

// Watch follows the files and ends leases whose time is over, until ctx ends.
// What comes over reload makes it read every file at once, and gets the error.
func (t *Tokens) Watch(ctx context.Context, reload <-chan chan<- error) {
	tick := time.NewTicker(pollEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case answer := <-reload:
			answer <- t.follow(true)
		case <-tick.C:
			if err := t.follow(false); err != nil {
				t.log.Error("tokens could not be read again: the old ones stay in use", zap.Error(err))
			}
		}
	}
}

// follow reads what has changed, or everything, then ends leases.
func (t *Tokens) follow(everything bool) error {
	fresh, failed := false, []error(nil)
	for _, s := range t.sources() {
		if !everything && !s.changed() {
			continue
		}
		if err := s.load(); err != nil {
			failed = append(failed, err)
			continue
		}
		fresh = true
		t.log.Info("tokens read", zap.String("file", s.path))
	}
	t.sweep(fresh)
	return errors.Join(failed...)
}

// lease is one connection that lasts as long as its token.
type lease struct {
	secret Secret
	bearer string // the hash of the token, in place of the secret that another node knows
	listed bool   // a token with that hash was known here
	grant  Grant
	end    func(why error)
}

// Hold calls end, once, with ErrExpired, ErrRevoked or ErrChanged as soon as a token no
// longer allows what it did; end must not wait. release ends the hold.
func (t *Tokens) Hold(s Secret, g Grant, end func(why error)) (release func()) {
	return t.hold(&lease{secret: s, grant: g, end: end})
}

// HoldBearer is Hold for a token that another node has checked; only its hash is known
// here. If it was listed then (Lists), it ends when it is no longer. A signed token
// ends with its time, or when its id is revoked.
func (t *Tokens) HoldBearer(bearer string, listed bool, g Grant, end func(why error)) (release func()) {
	return t.hold(&lease{bearer: bearer, listed: listed, grant: g, end: end})
}

// Lists reports whether a token with that hash is known beforehand.
func (t *Tokens) Lists(bearer string) bool {
	t.mu.RLock()
	defer t.mu.RUnlock()
	d, err := readDigest(bearer)
	return err == nil && t.findLocked(d) != nil
}

// hold adds a lease. If the token has ended since it was checked, end is called at once,
// under the lock.
func (t *Tokens) hold(l *lease) (release func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if why := t.endedLocked(l, time.Now(), true); why != nil { // since it was checked
		l.end(why)
		return func() {}
	}
	t.leases[l] = struct{}{}
	return func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		delete(t.leases, l)
	}
}

// sweep ends leases that are over. Only fresh sources can have ended others
// than those whose time is up. end runs under the lock, which is why it must not wait.
func (t *Tokens) sweep(fresh bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	now := time.Now()
	for l := range t.leases {
		if why := t.endedLocked(l, now, fresh); why != nil {
			delete(t.leases, l)
			l.end(why)
		}
	}
}

// checkAgainLocked is checkLocked for a lease.
func (t *Tokens) checkAgainLocked(l *lease, now time.Time) (Grant, error) {
	if l.bearer == "" {
		return t.checkLocked(l.secret, now)
	}
	if d, err := readDigest(l.bearer); err == nil {
		if g := t.findLocked(d); g != nil {
			return unlessExpired(*g, now)
		}
	}
	if l.listed || l.grant.ID != "" && t.revoked[l.grant.ID] {
		return l.grant, ErrRevoked
	}
	return unlessExpired(l.grant, now)
}

// endedLocked returns why a lease is over, or nil.
func (t *Tokens) endedLocked(l *lease, now time.Time, fresh bool) error {
	// A look at the time costs nothing; to check a signature again does.
	if !fresh {
		if l.grant.expired(now) {
			return ErrExpired
		}
		return nil
	}
	g, err := t.checkAgainLocked(l, now)
	switch {
	case errors.Is(err, ErrExpired):
		return ErrExpired
	case err != nil:
		return ErrRevoked
	case !g.covers(l.grant):
		return ErrChanged
	}
	// A token may be good for longer now.
	l.grant.Expires = g.Expires
	return nil
}
