package membership

import (
	"crypto/rand"
	"errors"
	"net/http"
	"time"

	"github.com/cdphub/cdphub/internal/auth"
	"github.com/cdphub/cdphub/internal/cluster"
)

// StaleHeader is in the answer of a node that does not own the hub with the epoch
// that the entry node knows.
const StaleHeader = "Cdphub-Stale"

// NodeEnded is its value where the node that was asked is another one: the process that
// had its address has ended.
const NodeEnded = "ended"

// Why a request could not be forwarded.
var (
	ErrStale = errors.New("the other node no longer owns the hub")
	ErrEnded = errors.New("another node has the address of the owner, which has ended")
)

// Forward sends one request to the owner of its hub, and once more to the new owner
// when the first says that it is not the owner any more. It is for one request and
// one goroutine.
type Forward struct {
	Member    *Member
	Assertion *Assertion
	Hub       string
	Owner     cluster.Owner
}

// SetPass fills in the Pass of the assertion. It returns the random word that stands for
// the token in URLs of the answer, so that the owner never sees the token; "" when
// URLs need none.
func (f *Forward) SetPass(pass auth.Pass) (mark string) {
	if f.Assertion.Pass == nil {
		return ""
	}
	mark = rand.Text()
	*f.Assertion.Pass = pass.Verdict(mark)
	if pass.Query == "" {
		return ""
	}
	return mark
}

// RoundTrip implements http.RoundTripper. It returns ErrStale when the hub is this
// node's by now, or when the body was sent and cannot be sent again.
func (f *Forward) RoundTrip(r *http.Request) (*http.Response, error) {
	answer, err := f.Send(r)
	if !errors.Is(err, ErrStale) {
		return answer, err
	}
	f.Member.Directory.Forget(f.Hub)
	owner, here, err := f.Member.Locate(r.Context(), f.Hub)
	switch {
	case err != nil:
		return nil, err
	case here, r.Body != nil && r.Body != http.NoBody: // the body has been sent
		return nil, ErrStale
	}
	f.Owner, f.Assertion.Epoch, f.Assertion.Claim = owner, owner.Epoch, false
	return f.Send(r)
}

// Send signs a new assertion each time: one is good for one node and one request.
func (f *Forward) Send(r *http.Request) (*http.Response, error) {
	m := f.Member
	out := r.Clone(r.Context())
	out.URL.Scheme, out.URL.Host = "https", f.Owner.Node.Peer
	f.Assertion.URI = out.URL.RequestURI()
	text, err := m.Signer.Sign(f.Assertion, f.Owner.Node.ID)
	if err != nil {
		return nil, err
	}
	out.Header.Set(AssertionHeader, text)
	begun := time.Now()
	answer, err := m.Transport.RoundTrip(out)
	// The owner sets StaleHeader only in answers of its own, before it serves
	// anything.
	if err != nil || answer.Header.Get(StaleHeader) == "" {
		if r.Context().Err() == nil { // else the sender of the request has left
			m.stats.add(f.Owner.Node.Name, time.Since(begun), err)
		}
		return answer, err
	}
	m.stats.add(f.Owner.Node.Name, 0, ErrStale)
	answer.Body.Close()
	if answer.Header.Get(StaleHeader) == NodeEnded {
		return nil, ErrEnded
	}
	return nil, ErrStale
}
