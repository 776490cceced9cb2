package server

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"hash/maphash"
	"net"
	"net/http"
	"sync"
	"time"

	"go.uber.org/zap"

	"github.com/cdphub/cdphub/internal/browsers"
	"github.com/cdphub/cdphub/internal/cluster"
)

// Cluster joins a server to others that serve the same hubs. A hub belongs to the node
// that used it first; all other nodes pass requests for it on to that one.
type Cluster struct {
	// Directory says which node owns which hub. The server closes it when it ends.
	Directory cluster.Directory
	// Listener is where other nodes reach this one, by TCP and without TLS of its own:
	// at the address that Directory.Self names.
	Listener net.Listener
	// Certificate is shown to other nodes, and CA has signed those of all nodes. It must
	// sign for nothing else: whoever has a certificate of it, and Key, is a node.
	Certificate tls.Certificate
	CA          *x509.CertPool
	// Key signs what one node tells another of who has sent a request (HMAC-SHA256).
	// All nodes have the same, of at least 32 bytes.
	Key []byte
	// Own are further addresses at which this process listens, such as that of a server of
	// the directory: no page of its browsers may reach them.
	Own []net.Addr
	// MaxBrowsers is how many browsers all nodes may have together; 0: as many as each
	// may have.
	MaxBrowsers int
}

// minClusterKey is the least length of Cluster.Key in bytes (RFC 7518, section 3.2).
const minClusterKey = 32

// check refuses a cluster that would work in part, or unsafely.
func (c *Cluster) check() error {
	switch {
	case c.Directory == nil || c.Listener == nil:
		return errors.New("a cluster needs a directory, and a listener for the other nodes")
	case len(c.Certificate.Certificate) == 0 || c.CA == nil:
		return errors.New("a cluster needs a certificate for this node, and the certificate of the authority that signed it")
	case len(c.Key) < minClusterKey:
		return fmt.Errorf("the key of the cluster has %d bytes, which could be guessed: it needs at least %d", len(c.Key), minClusterKey)
	case c.MaxBrowsers < 0:
		return fmt.Errorf("the maximum of browsers of all nodes together is %d: set 1 or more, or 0 for no maximum", c.MaxBrowsers)
	}
	return nil
}

// membership is what a server does as one node of a cluster.
type membership struct {
	dir      cluster.Directory // static, as is all down to mu
	id       string
	hubs     interface{ Has(hub string) bool }
	log      *zap.Logger
	forwards *forwards `held:"*"`
	signer   verdicts
	seed     maphash.Seed
	restore  func(ctx context.Context, hub string) // what there is of a hub of another node
	dropped  func(hub string)                      // another node has it
	claim    [256]sync.Mutex                       // by hash of the hub: one claim of a hub at a time
	pool     *browsers.Pool
	most     int           // browsers of all nodes; 0: there is no limit
	patience time.Duration // of who waits for one

	placements placements
	links      linkStats

	mu   sync.Mutex          // guards everything below
	held map[string]*holding `held:"hubs of this node"`
	lost uint64              `stays:"counts what has been"` // claims that other nodes have taken
	// leaving are Hosts of hubs that no other node has taken from this one.
	leaving []*hubUser `held:"hubs that move"`
}

// clusterStatus is the answer of /cluster of the listener for operators.
type clusterStatus struct {
	Self  string         `json:"self"` // the id of this node
	Nodes []cluster.Node `json:"nodes"`
	Links int            `json:"links"` // connections that this node passes on
	Lost  uint64         `json:"lost"`  // hubs that other nodes have taken
}

// status takes the lock only for lost: the directory and the forwards have locks of
// their own.
func (m *membership) status() clusterStatus {
	m.mu.Lock()
	lost := m.lost
	m.mu.Unlock()
	return clusterStatus{m.id, m.dir.Nodes(), m.forwards.len(), lost}
}

func (m *membership) serveStatus(w http.ResponseWriter, _ *http.Request) {
	writeJSON(w, http.StatusOK, m.status())
}
