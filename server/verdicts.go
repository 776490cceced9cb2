package server

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

// verdictHeader carries what the entry node says of a request that it passes on: a
// JWT (RFC 7519) with HS256 (RFC 7518, section 3.2), good for one request to one
// node.
const verdictHeader = "Cdphub-Verdict"

// verdict is the claims of that JWT, beside iss (the entry node), aud (the owner),
// iat and jti.
type verdict struct {
	Method   string         `json:"method"`
	URI      string         `json:"uri"`
	Host     string         `json:"host"`
	Hub      string         `json:"hub"`
	Epoch    cluster.Epoch  `json:"epoch"`
	Listener string         `json:"listener"` // see audience.name
	Exposed  bool           `json:"exposed"`
	From     netip.AddrPort `json:"from"`
	TLS      bool           `json:"tls"`
	Claim    bool           `json:"claim,omitempty"` // the hub has no owner: the node is to claim it
	Node     bool           `json:"node,omitempty"`  // the entry node asks in its own name, for no Client
	// Pass is how the request was let in; nil for one that brings what the owner alone
	// can check, such as a ticket.
	Pass *auth.Verdict `json:"pass,omitempty"`
}

// verdictGood is how old a verdict may be, and so how far the clocks of nodes may
// differ.
const verdictGood = 30 * time.Second

// verdicts signs and checks them. Each node numbers its own: whoever reads them keeps
// which of the newest numbers came, so that none counts twice (as RFC 4303, section
// 3.4.3, does for packets). That needs the same memory however many come, and a flood
// of requests keeps out none that is newer.
type verdicts struct {
	self string // static, as is key
	key  []byte

	mu   sync.Mutex         // guards everything below
	run  string             // names this process in the ids of its verdicts; "" before the first
	last uint64             `stays:"numbers the verdicts"`   // the number of the newest
	seen map[string]*window `stays:"a window for each node"` // of others, by their runs
}

// windowSize is how many of the newest numbers are kept: verdicts may overtake each
// other while a connection between nodes is being made.
const windowSize = 1 << 18

// window is which verdicts of one process came.
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

var (
	errVerdict       = errors.New("the request has no valid verdict of a node of this cluster")
	errVerdictClock  = fmt.Errorf("the verdict is too old or from the future: the clocks of the nodes may differ by %v", verdictGood)
	errVerdictTwice  = errors.New("the verdict was already used")
	errVerdictEnded  = errors.New("the verdict is for another node, which may have had this address before")
	errVerdictOthers = errors.New("the verdict is for another request")
)

// sign writes a verdict for the node that is to serve the request, in the compact
// form of JWS (RFC 7515, section 3.1).
func (s *verdicts) sign(v *verdict, owner string) (string, error) {
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: jose.HS256, Key: s.key}, nil)
	if err != nil {
		return "", err
	}
	return jwt.Signed(signer).Claims(jwt.Claims{
		Issuer: s.self, Audience: jwt.Audience{owner}, IssuedAt: jwt.NewNumericDate(time.Now()), ID: s.nextID(),
	}).Claims(v).Serialize()
}

// read checks the verdict of a request, and takes it out of the headers: nothing
// behind may read or log it. Its errors are errVerdict… and say no more than the
// other node needs.
func (s *verdicts) read(r *http.Request) (*verdict, error) {
	text := r.Header.Values(verdictHeader)
	r.Header.Del(verdictHeader)
	if len(text) != 1 {
		return nil, errVerdict
	}
	// HS256 alone: a token must not choose its own algorithm (RFC 8725, section 3.1).
	token, err := jwt.ParseSigned(text[0], []jose.SignatureAlgorithm{jose.HS256})
	if err != nil {
		return nil, errVerdict
	}
	var c jwt.Claims
	v := new(verdict)
	if err := token.Claims(s.key, &c, v); err != nil {
		return nil, errVerdict
	}
	// The key is right, so this is a node of the cluster that asks for a process
	// which had this address before.
	if !c.Audience.Contains(s.self) {
		return nil, errVerdictEnded
	}
	if v.Method != r.Method || v.URI != r.RequestURI || v.Host != r.Host {
		return nil, errVerdictOthers
	}
	if c.IssuedAt == nil || time.Since(c.IssuedAt.Time()).Abs() > verdictGood {
		return nil, errVerdictClock
	}
	// Last, so that a verdict that is refused for another reason uses no number up.
	return v, s.once(c.ID)
}

// nextID is the id of a verdict, "RUN.NUMBER". RUN is random for each process:
// numbers begin at 1 again after a restart.
func (s *verdicts) nextID() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.run == "" {
		s.run = rand.Text()
	}
	s.last++
	return s.run + "." + strconv.FormatUint(s.last, 10)
}

// once fails with errVerdictTwice for an id that was seen before. Windows of
// processes that have not been heard of for a while are forgotten.
func (s *verdicts) once(id string) error {
	run, text, _ := strings.Cut(id, ".")
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil || run == "" {
		return errVerdict
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Now()
	w := s.seen[run]
	if w == nil {
		for other, w := range s.seen { // what such a one could repeat is too old by its time
			if now.Sub(w.used) > 2*verdictGood {
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
		return errVerdictTwice
	}
	w.used = now
	return nil
}
