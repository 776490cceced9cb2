package membership

import (
	"crypto/rand"
	"errors"
	"fmt"
	"net/http"
	"net/netip"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"

	"github.com/cdphub/cdphub/internal/auth"
	"github.com/cdphub/cdphub/internal/cluster"
)

// AssertionHeader carries what the entry node says of a request that it forwards: a
// JWT (RFC 7519) with HS256 (RFC 7518, section 3.2), good for one request to one
// node.
const AssertionHeader = "Cdphub-Verdict"

// Assertion is the claims of that JWT, beside iss (the entry node), aud (the owner),
// iat and jti.
type Assertion struct {
	Method   string         `json:"method"`
	URI      string         `json:"uri"`
	Host     string         `json:"host"`
	Hub      string         `json:"hub"`
	Epoch    cluster.Epoch  `json:"epoch"`
	Listener string         `json:"listener"` // of front.Audience.Name
	Exposed  bool           `json:"exposed"`
	From     netip.AddrPort `json:"from"`
	TLS      bool           `json:"tls"` // for nodes of older versions, which do not read Own
	// Own is where the Client has reached the entry node; nil from nodes of older versions.
	Own   *auth.OwnAddress `json:"own,omitempty"`
	Claim bool             `json:"claim,omitempty"` // the hub has no owner: the node is to claim it
	Node  bool             `json:"node,omitempty"`  // the entry node asks in its own name, for no Client
	// Pass is how the request was let in; nil for one that brings what the owner alone
	// can check, such as a ticket.
	Pass *auth.Verdict `json:"pass,omitempty"`
}

// assertionLifetime is how old an assertion may be, and so how far the clocks of nodes may
// differ.
const assertionLifetime = 30 * time.Second

// Signer signs assertions and verifies them. Each node numbers its own: the others remember
// which of the newest numbers came, so that none counts twice (as RFC 4303, section
// 3.4.3, does for packets). That needs the same memory however many come, and a flood
// of requests keeps out none that is newer.
type Signer struct {
	self string // static, as is key
	key  []byte // of HMAC-SHA256; all nodes have the same

	mu   sync.Mutex         // guards everything below
	run  string             // names this process in the ids of its assertions; "" before the first
	last uint64             `stays:"numbers the assertions"` // the number of the newest
	seen map[string]*window `stays:"a window for each node"` // of others, by their runs
}

// NewSigner makes the Signer of a node, by its id.
func NewSigner(self string, key []byte) *Signer { return &Signer{self: self, key: key} }

// windowSize is how many of the newest numbers are kept: assertions may overtake each
// other while a connection between nodes is being made.
const windowSize = 1 << 18

// window is which assertions of one process came.
type window struct {
	newest uint64
	used   time.Time
	came   [windowSize / 64]uint64 // bits, by number modulo windowSize
}

// take notes a number, and reports whether it is new. It is false for a number that
// came before, and for one that is older than all that are kept. Memory and time do
// not depend on how many come.
func (w *window) take(n uint64) bool {
	switch {
	case n > w.newest:
		// The whole window is older than the new number.
		if n-w.newest >= windowSize {
			clear(w.came[:])
		} else {
			// Numbers that were skipped have not come; their bits are of a window
			// ago.
			for i := w.newest + 1; i < n; i++ {
				w.came[i%windowSize/64] &^= 1 << (i % 64)
			}
		}
		w.newest = n
	case w.newest-n >= windowSize || w.came[n%windowSize/64]&(1<<(n%64)) != 0:
		return false
	}
	w.came[n%windowSize/64] |= 1 << (n % 64)
	return true
}

// Why an assertion is refused. The messages have the word of the header.
var (
	errNoAssertion  = errors.New("the request has no valid verdict of a node of this cluster")
	errClocksDiffer = fmt.Errorf("the verdict is too old or from the future: the clocks of the nodes may differ by %v", assertionLifetime)
	errReused       = errors.New("the verdict was already used")
	ErrOtherProcess = errors.New("the verdict is for another node, which may have had this address before")
	ErrOtherRequest = errors.New("the verdict is for another request")
)

// Sign writes an assertion for the node that is to serve the request, in the compact
// form of JWS (RFC 7515, section 3.1).
func (s *Signer) Sign(v *Assertion, owner string) (string, error) {
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: jose.HS256, Key: s.key}, nil)
	if err != nil {
		return "", err
	}
	return jwt.Signed(signer).Claims(jwt.Claims{
		Issuer: s.self, Audience: jwt.Audience{owner}, IssuedAt: jwt.NewNumericDate(time.Now()), ID: s.nextID(),
	}).Claims(v).Serialize()
}

// Verify checks the assertion of a request, and takes it out of the headers: nothing
// behind may read or log it. Its errors say no more than the
// other node needs.
func (s *Signer) Verify(r *http.Request) (*Assertion, error) {
	text := r.Header.Values(AssertionHeader)
	r.Header.Del(AssertionHeader)
	if len(text) != 1 {
		return nil, errNoAssertion
	}
	// HS256 alone: a token must not choose its own algorithm (RFC 8725, section 3.1).
	token, err := jwt.ParseSigned(text[0], []jose.SignatureAlgorithm{jose.HS256})
	if err != nil {
		return nil, errNoAssertion
	}
	var c jwt.Claims
	v := new(Assertion)
	if err := token.Claims(s.key, &c, v); err != nil {
		return nil, errNoAssertion
	}
	// The key is right, so this is a node of the cluster that asks for a process
	// which had this address before.
	if !c.Audience.Contains(s.self) {
		return nil, ErrOtherProcess
	}
	if v.Method != r.Method || v.URI != r.RequestURI || v.Host != r.Host {
		return nil, ErrOtherRequest
	}
	if c.IssuedAt == nil || time.Since(c.IssuedAt.Time()).Abs() > assertionLifetime {
		return nil, errClocksDiffer
	}
	// Last, so that an assertion that is refused for another reason uses no number up.
	return v, s.once(c.ID)
}

// nextID is the id of an assertion, "RUN.NUMBER". RUN is random for each process:
// numbers begin at 1 again after a restart.
func (s *Signer) nextID() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.run == "" {
		s.run = rand.Text()
	}
	s.last++
	return s.run + "." + strconv.FormatUint(s.last, 10)
}

// once fails with errReused for an id that was seen before. Windows of
// processes that have not been heard of for a while are forgotten.
func (s *Signer) once(id string) error {
	run, text, _ := strings.Cut(id, ".")
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil || run == "" {
		return errNoAssertion
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Now()
	w := s.seen[run]
	if w == nil {
		for other, w := range s.seen { // what such a one could repeat is too old by its time
			if now.Sub(w.used) > 2*assertionLifetime {
				delete(s.seen, other)
			}
		}
		if s.seen == nil {
			s.seen = make(map[string]*window)
		}
		w = new(window)
		s.seen[run] = w
	}
	if !w.take(n) {
		return errReused
	}
	w.used = now
	return nil
}
