package auth

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"go.uber.org/zap"

	"github.com/cdphub/cdphub/internal/optionname"
)

// TokenOptions names the sources of tokens. Without any, every request is let in.
type TokenOptions struct {
	// Client, Host and Admin are tokens for one role on every hub, with scope
	// full; "" where there is none.
	Client, Host, Admin string
	File                string   // of YAML, see FileEntry; "" where there is none
	Keys                []string // files that verify signed tokens: PEM, JWK set or secret
	Log                 *zap.Logger
}

// The reasons why a token that was good is so no longer. Their texts are also
// what its connections are closed with.
var (
	ErrExpired = errors.New("token expired")
	ErrRevoked = errors.New("token revoked")
	// ErrChanged says that a token is still good, but not for all that it was when a connection began.
	ErrChanged = errors.New("token changed")
)

// Tokens knows the tokens of a process. Those in files follow the files while
// Watch runs.
type Tokens struct {
	log  *zap.Logger // static after NewTokens
	set  bool
	file *source // owned by Watch's goroutine
	keys []*source

	mu      sync.RWMutex        // guards everything below
	fixed   []entry             `stays:"configuration"` // of options
	listed  []entry             `stays:"configuration"` // of the file
	issued  []entry             `held:"issued tokens"`  // of Issue
	revoked map[string]bool     `stays:"configuration"`
	signers [][]key             `stays:"configuration"` // by position in keys
	leases  map[*lease]struct{} `held:"leases of tokens"`

	counts atomic.Pointer[map[Role]int] // of all these, see Count
}

// NewTokens reads all sources.
func NewTokens(o TokenOptions) (*Tokens, error) {
	t := &Tokens{log: o.Log, leases: make(map[*lease]struct{}), signers: make([][]key, len(o.Keys))}
	if t.log == nil {
		t.log = zap.NewNop()
	}
	for _, f := range []struct {
		text, name, option string
		role               Role
	}{
		{o.Client, "--client-token", "server.Tokens.Client", RoleClient},
		{o.Host, "--host-token", "server.Tokens.Host", RoleHost},
		{o.Admin, "--admin-token", "server.Tokens.Admin", RoleAdmin},
	} {
		if f.text == "" {
			continue
		}
		s := NewSecret(f.text)
		if err := s.checkLength(); err != nil {
			return nil, fmt.Errorf("%s: %w", optionname.Of(f.option), err)
		}
		t.fixed = append(t.fixed, entry{digestOf(s), Grant{Role: f.role, Hub: EveryHub, Scope: ScopeFull, Name: f.name, Own: true}})
	}
	if o.File != "" {
		t.file = newSource(o.File, "server.Tokens.File", t.readFile)
	}
	for i, path := range o.Keys {
		t.keys = append(t.keys, newSource(path, "server.Tokens.JWTKeys", func(raw []byte) error { return t.readKeys(i, raw) }))
	}
	// Also if a file has no tokens: an empty file lets no request in, and not every one.
	t.set = len(t.fixed) > 0 || len(t.sources()) > 0
	for _, s := range t.sources() {
		if err := s.load(); err != nil {
			return nil, err
		}
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.countLocked()
	return t, nil
}

// Count is how many bearers of a role there may be that pay for themselves. Where keys
// verify signed tokens, it is manySigned more. It takes no lock.
func (t *Tokens) Count(r Role) int { return (*t.counts.Load())[r] }

// manySigned stands for signed tokens, whose number is not known.
const manySigned = 1000

func (t *Tokens) countLocked() {
	counts := make(map[Role]int)
	for _, list := range [][]entry{t.fixed, t.listed, t.issued} {
		for _, e := range list {
			if e.grant.Payer.ID == "" {
				counts[e.grant.Role]++
			}
		}
	}
	if len(t.keys) > 0 {
		for _, r := range []Role{RoleClient, RoleHost, RoleAdmin} {
			counts[r] += manySigned
		}
	}
	t.counts.Store(&counts)
}

// readFile takes a tokens file. If it is wrong, what was read before stays.
func (t *Tokens) readFile(raw []byte) error {
	listed, revoked, err := parseFile(raw)
	if err == nil {
		t.mu.Lock()
		t.listed, t.revoked = listed, revoked
		t.countLocked()
		t.mu.Unlock()
	}
	return err
}

// readKeys takes the keys of file i. If it is wrong, what was read before stays.
func (t *Tokens) readKeys(i int, raw []byte) error {
	keys, err := parseKeys(raw)
	if err == nil {
		t.mu.Lock()
		t.signers[i] = keys
		t.mu.Unlock()
	}
	return err
}

// Set reports whether any source was configured, so that a token is needed.
func (t *Tokens) Set() bool { return t.set }

// FromFiles reports whether there may be tokens of several owners: those of a tokens
// file, and signed ones.
func (t *Tokens) FromFiles() bool { return len(t.sources()) > 0 }

// Covers reports whether there may be a token for that role.
func (t *Tokens) Covers(r Role) bool {
	t.mu.RLock()
	defer t.mu.RUnlock()
	is := func(e entry) bool { return e.grant.Role == r }
	return len(t.keys) > 0 || slices.ContainsFunc(t.fixed, is) || slices.ContainsFunc(t.listed, is)
}

// Issue makes a token of this process that allows what the grant says, and
// returns it with what ends it and every connection that it has let in; "" where
// no token is needed. It is kept in memory alone. A second call of end does nothing.
func (t *Tokens) Issue(g Grant) (text string, end func()) {
	if !t.set {
		return "", func() {}
	}
	text, g.Own = NewToken(), true
	e := entry{digestOf(NewSecret(text)), g}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.issued = append(t.issued, e)
	t.countLocked()
	return text, func() {
		t.mu.Lock()
		t.issued = slices.DeleteFunc(t.issued, func(other entry) bool { return other.digest.is(e.digest) })
		t.countLocked()
		t.mu.Unlock()
		t.sweep(true)
	}
}

// Inspect returns what a token allows, or why it allows nothing: with ErrExpired and
// ErrRevoked, also what it has allowed.
func (t *Tokens) Inspect(s Secret) (Grant, error) {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return t.checkLocked(s, time.Now())
}

// checkLocked is Inspect with the lock held. A token that is known beforehand needs no
// signature. Only others are tried as signed ones.
func (t *Tokens) checkLocked(s Secret, now time.Time) (Grant, error) {
	if found := t.findLocked(digestOf(s)); found != nil {
		return unlessExpired(*found, now)
	}
	g, err := verifyToken(slices.Concat(t.signers...), s, now)
	if err == nil && t.revoked[g.ID] {
		return g, ErrRevoked
	}
	return g, err
}

// findLocked finds a token that is known beforehand; nil for others. The time that it takes
// does not depend on which one it is.
func (t *Tokens) findLocked(d digest) (found *Grant) {
	for _, list := range [][]entry{t.fixed, t.listed, t.issued} {
		for i := range list { // all of them, however early it is found
			if list[i].digest.is(d) {
				found = &list[i].grant
			}
		}
	}
	return found
}

// unlessExpired is a grant, and ErrExpired when its time is over.
func unlessExpired(g Grant, now time.Time) (Grant, error) {
	if g.expired(now) {
		return g, ErrExpired
	}
	return g, nil
}

// readSource reads a file of tokens or keys, which should be small.
func readSource(path string) ([]byte, error) {
	// Bytes. A device or a pipe could have no end.
	const most = 16 << 20
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || info.Size() > most {
		return nil, fmt.Errorf("%s is not a file of at most %d MiB", path, most>>20)
	}
	return os.ReadFile(path)
}
