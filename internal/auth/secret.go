package auth

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"fmt"
	"strings"

	"github.com/dustin/go-humanize/english"
)

// minSecret is the least number of characters of a token. A token of NewToken has 26
// characters with at least 128 random bits; 16 is for those that were made in
// another way.
const minSecret = 16

// Secret is a token as its bearer sends it. Being a function inside, it can
// neither be compared with == nor printed as a part of something else.
type Secret struct{ reveal func() string }

// NewSecret wraps a copy of a token: what it was part of may be large.
func NewSecret(text string) Secret {
	text = strings.Clone(text)
	return Secret{func() string { return text }}
}

// text is the token itself; "" of the zero Secret.
func (s Secret) text() string {
	if s.reveal == nil {
		return ""
	}
	return s.reveal()
}

// NewToken makes a random token of 26 letters and digits.
func NewToken() string { return rand.Text() }

// String hides the token.
func (Secret) String() string { return "bearer.***" }

// GoString hides the token from %#v.
func (Secret) GoString() string { return "bearer.***" }

// digest is the SHA-256 of a token, which is all that is kept of it. It is a fast hash:
// tokens are random, and no passwords.
type digest struct {
	_   [0]func() // is compares, and nothing else does
	sum [sha256.Size]byte
}

// digestOf is the SHA-256 of a token.
func digestOf(s Secret) digest { return digest{sum: sha256.Sum256([]byte(s.text()))} }

// is compares in a time that does not depend on the digests.
func (d digest) is(other digest) bool { return subtle.ConstantTimeCompare(d.sum[:], other.sum[:]) == 1 }

// Hash is the SHA-256 of a token in hexadecimal, as a tokens file may hold it.
func (s Secret) Hash() string {
	d := digestOf(s)
	return hex.EncodeToString(d.sum[:])
}

// readDigest reads what Hash returns.
func readDigest(text string) (digest, error) {
	b, err := hex.DecodeString(text)
	if err != nil || len(b) != sha256.Size {
		return digest{}, fmt.Errorf("sha256 must be %d hexadecimal digits", 2*sha256.Size)
	}
	return digest{sum: [sha256.Size]byte(b)}, nil
}

// checkLength refuses a token that could be guessed.
func (s Secret) checkLength() error {
	if n := len(s.text()); n < minSecret {
		return fmt.Errorf("the token has %s, which could be guessed: use at least %d, such as `cdphub token new` makes", english.Plural(n, "character", ""), minSecret)
	}
	return nil
}
