package server

import (
	"crypto/hmac"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"encoding/hex"
	"errors"
	"fmt"
	"net"
	"strings"

	"github.com/dustin/go-humanize/english"

	"github.com/cdphub/cdphub/internal/cluster"
)

// Cluster joins a server to others that serve the same hubs. A hub belongs to the node
// that used it first; all other nodes forward requests for it to that one.
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
		return fmt.Errorf("the key of the cluster has %s, which could be guessed: it needs at least %d", english.Plural(len(c.Key), "byte", ""), minClusterKey)
	case c.MaxBrowsers < 0:
		return fmt.Errorf("the maximum of browsers of all nodes together is %d: set 1 or more, or 0 for no maximum", c.MaxBrowsers)
	}
	return nil
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

// derive makes ids that are the same at each node, of the key that all nodes have and
// of parts. It is nil without a cluster, where random ids do. The text has 32
// hexadecimal digits in capitals, as ids of Chromium have.
func (c *Cluster) derive() func(parts ...string) string {
	if c == nil {
		return nil
	}
	return func(parts ...string) string {
		sum := hmac.New(sha256.New, c.Key)
		// %q keeps the parts apart: ["a" "b"] and ["a b"] give two ids.
		fmt.Fprintf(sum, "cdphub id %q", parts)
		return strings.ToUpper(hex.EncodeToString(sum.Sum(nil)[:16]))
	}
}
