package server

import (
	"bufio"
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/cdphub/cdphub/internal/cluster"
)

const (
	dialWithin = 2 * time.Second  // TCP and TLS to another node
	peerSilent = 10 * time.Second // after which a node that acknowledges nothing is gone
)

// joined is an answer whose connection httputil takes over for a WebSocket. From then
// on no server sets deadlines, and a peer that reads nothing would block the copy for
// ever: each write may take as long as patience says.
type joined struct {
	http.ResponseWriter
	patience time.Duration
	taken    bool
}

// Unwrap is for http.ResponseController.
func (j *joined) Unwrap() http.ResponseWriter { return j.ResponseWriter }

// Hijack implements http.Hijacker.
func (j *joined) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	conn, rw, err := http.NewResponseController(j.ResponseWriter).Hijack()
	if err != nil {
		return nil, nil, err
	}
	j.taken = true
	p := patient{Conn: conn, in: conn, patience: j.patience}
	// httputil.ReverseProxy reads from the net.Conn and not from the bufio.Reader.
	if n := rw.Reader.Buffered(); n > 0 { // a Client that has not waited for the answer; httputil forgets these bytes
		early, err := rw.Peek(n)
		if err != nil {
			return nil, nil, err
		}
		p.in = io.MultiReader(bytes.NewReader(bytes.Clone(early)), conn)
	}
	return p, rw, nil
}

// patient is a connection whose writes may take only so long.
type patient struct {
	net.Conn
	in       io.Reader // the connection, and before it what came with the request
	patience time.Duration
}

// Read implements net.Conn.
func (p patient) Read(b []byte) (int, error) { return p.in.Read(b) }

// Write implements net.Conn. An error of SetWriteDeadline shows as an error of the
// write.
func (p patient) Write(b []byte) (int, error) {
	p.SetWriteDeadline(time.Now().Add(p.patience))
	return p.Conn.Write(b)
}

// CloseWrite passes on that the other side has ended its half.
func (p patient) CloseWrite() error {
	if half, ok := p.Conn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return nil
}

// forwards are the requests that this node passes on, by the node that serves them. A
// pointer to a function is the key, since functions cannot be compared.
type forwards struct {
	transport http.RoundTripper // static

	mu   sync.Mutex                      // guards everything below
	cuts map[string]map[*func()]struct{} `held:"hubs with forwarded requests"`
	n    int                             `held:"forwarded requests"`
}

func newForwards(c *Cluster) *forwards {
	dialer := net.Dialer{
		Timeout: dialWithin,
		// Keep-alives find a node that died without a FIN; giveUpAfter finds one that
		// dies while data is on its way.
		KeepAliveConfig: net.KeepAliveConfig{Enable: true, Idle: peerSilent / 2, Interval: peerSilent / 4, Count: 2},
		Control:         giveUpAfter(peerSilent),
	}
	return &forwards{
		cuts: make(map[string]map[*func()]struct{}),
		transport: &http.Transport{
			DialContext:         dialer.DialContext,
			TLSClientConfig:     c.tls(),
			TLSHandshakeTimeout: dialWithin,
			MaxIdleConnsPerHost: 64,
			IdleConnTimeout:     time.Minute,
			// The answer goes to the Client as it is: the transport must not ask for
			// gzip itself and unpack it.
			DisableCompression: true,
		},
	}
}

// tls is for the connections between this node and others. They are HTTP/1.1, since a
// WebSocket needs its Upgrade header; HTTP/2 has none (RFC 9113, section 8.6).
func (c *Cluster) tls() *tls.Config {
	config := ClusterTLS(c.Certificate, c.CA)
	config.NextProtos = []string{"http/1.1"}
	// 0 is the default capacity of 64. A resumed session saves the signatures of a
	// full handshake.
	config.ClientSessionCache = tls.NewLRUClientSessionCache(0)
	return config
}

// ClusterTLS is for both ends of a connection between nodes: each end shows the
// certificate own, and wants one that authority has signed. The name or address in
// the certificate does not matter: nodes come and go, and whoever has a certificate
// of this authority is a node.
func ClusterTLS(own tls.Certificate, authority *x509.CertPool) *tls.Config {
	verify := func(state tls.ConnectionState) error {
		if len(state.PeerCertificates) == 0 {
			return errors.New("the other node shows no certificate")
		}
		o := x509.VerifyOptions{Roots: authority, Intermediates: x509.NewCertPool(), KeyUsages: []x509.ExtKeyUsage{x509.ExtKeyUsageAny}}
		for _, between := range state.PeerCertificates[1:] {
			o.Intermediates.AddCert(between)
		}
		if _, err := state.PeerCertificates[0].Verify(o); err != nil {
			return fmt.Errorf("the other node does not belong to this cluster: %w", err)
		}
		return nil
	}
	return &tls.Config{
		Certificates: []tls.Certificate{own},
		// RequireAndVerifyClientCert would use the system's or ClientCAs' roots and
		// demand the key usage clientAuth; VerifyConnection checks both directions
		// alike.
		ClientAuth:         tls.RequireAnyClientCert,
		InsecureSkipVerify: true, //nolint:gosec // verify does it: by the authority of the cluster alone, under whatever address
		VerifyConnection:   verify,
		MinVersion:         tls.VersionTLS13,
	}
}

// add counts a request in; the function it returns counts it out.
func (l *forwards) add(node string, cut func()) (left func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
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

// cutAllBut ends the requests that are passed on to nodes other than these. It calls
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

func (l *forwards) len() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.n
}

// to is how many requests are passed on to a node now.
func (l *forwards) to(node string) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.cuts[node])
}
