package membership

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/cdphub/cdphub/internal/cluster"
)

// Peer requests are what one node asks another to do, at its listener for nodes alone. The
// assertion of the sender says that it is a node:
//
//	POST /cluster/evict            ends an idle browser: 204, or 409 when there is none
//	POST /cluster/drain?by=WHOM&wait=TIME    drains the node: 204, or 409 when no other would stay
//	POST /cluster/handover         takes the named sessions of a hub

// EvictPath makes room for a browser of another node, where all nodes together may
// have only so many.
const EvictPath = "/cluster/evict"

const (
	// PeerTimeout is how long another node may take to answer a peer request, and
	// maxPeerAnswer how many bytes of the answer are read.
	PeerTimeout   = 5 * time.Second
	maxPeerAnswer = 4 << 10
)

// Ask sends a peer request without a body, within PeerTimeout.
func (m *Member) Ask(ctx context.Context, n cluster.Node, uri string) (status int, err error) {
	ctx, cancel := context.WithTimeout(ctx, PeerTimeout)
	defer cancel()
	return m.Send(ctx, n, Assertion{URI: uri}, nil)
}

// Send sends a request of this node, not of a Client, with a body. The assertion says for which
// URI, hub and epoch it is. The error is nil only if the other node has done it. Otherwise it has
// the text of the answer, and status is its code; 0 means that no answer came.
func (m *Member) Send(ctx context.Context, n cluster.Node, a Assertion, body []byte) (status int, err error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, "https://"+n.Peer+a.URI, bytes.NewReader(body))
	if err != nil {
		return 0, err
	}
	// The assertion covers method, URI and Host, so that it is good for this request
	// alone.
	a.Method, a.Host, a.Node = r.Method, n.Peer, true
	text, err := m.Signer.Sign(&a, n.ID)
	if err != nil {
		return 0, err
	}
	r.Header.Set(AssertionHeader, text)
	answer, err := m.Transport.RoundTrip(r)
	if err != nil {
		return 0, err
	}
	defer answer.Body.Close()
	// The body is for the log; more than maxPeerAnswer bytes of it are not read.
	if answer.StatusCode/100 != 2 {
		why, _ := io.ReadAll(io.LimitReader(answer.Body, maxPeerAnswer))
		err = fmt.Errorf("node %s answered %d: %s", n.Name, answer.StatusCode, bytes.TrimSpace(why))
	}
	return answer.StatusCode, err
}
