package membership

import (
	"crypto/tls"
	"net"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/cdphub/cdphub/internal/cluster"
	"github.com/cdphub/cdphub/internal/tcpstate"
)

const (
	dialWithin = 2 * time.Second  // TCP and TLS to another node
	peerSilent = 10 * time.Second // after which a node that acknowledges nothing is gone
)

// newTransport makes the connections to other nodes.
func newTransport(c *tls.Config) http.RoundTripper {
	dialer := net.Dialer{
		Timeout: dialWithin,
		// Keep-alives find a node that died without a FIN; GiveUpAfter finds one that
		// dies while data is on its way.
		KeepAliveConfig: net.KeepAliveConfig{Enable: true, Idle: peerSilent / 2, Interval: peerSilent / 4, Count: 2},
		Control:         tcpstate.GiveUpAfter(peerSilent),
	}
	return &http.Transport{
		DialContext:         dialer.DialContext,
		TLSClientConfig:     c,
		TLSHandshakeTimeout: dialWithin,
		MaxIdleConnsPerHost: 64,
		IdleConnTimeout:     time.Minute,
		// The answer goes to the Client as it is: the transport must not ask for
		// gzip itself and unpack it.
		DisableCompression: true,
	}
}

// forwards are the requests that this node forwards, by the node that serves them. A
// pointer to a function is the key, since functions cannot be compared.
type forwards struct {
	mu   sync.Mutex                      // guards everything below
	cuts map[string]map[*func()]struct{} `held:"hubs with forwarded requests"`
	n    int                             `held:"forwarded requests"`
}

// Add counts a request in; the function it returns counts it out.
func (l *forwards) Add(node string, cut func()) (left func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.cuts == nil {
		l.cuts = make(map[string]map[*func()]struct{})
	}
	if l.cuts[node] == nil {
		l.cuts[node] = make(map[*func()]struct{})
	}
	l.cuts[node][&cut] = struct{}{}
	l.n++
	return func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		delete(l.cuts[node], &cut)
		if len(l.cuts[node]) == 0 {
			delete(l.cuts, node)
		}
		l.n--
	}
}

// cutAllBut ends the requests that are forwarded to nodes other than these. It calls
// the functions under the lock: each only cancels a context.
func (l *forwards) cutAllBut(alive []cluster.Node) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for id, cuts := range l.cuts {
		if slices.ContainsFunc(alive, func(n cluster.Node) bool { return n.ID == id }) {
			continue
		}
		for cut := range cuts {
			(*cut)()
		}
	}
}

func (l *forwards) Len() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.n
}

// to is how many requests are forwarded to a node now.
func (l *forwards) to(node string) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.cuts[node])
}
