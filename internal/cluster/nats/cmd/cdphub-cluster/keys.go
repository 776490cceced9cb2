package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"io"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// The files of a folder of keys.
const (
	caFile     = "ca.pem"       // the authority's certificate
	certFile   = "node.pem"     // the certificate of the nodes, signed by it
	keyFile    = "node-key.pem" // its key
	secretFile = "secret"       // for what nodes tell each other of requests
)

// keysGood is how long the certificates are good.
const keysGood = 10 * 365 * 24 * time.Hour

// keys are what the nodes of a cluster share.
type keys struct {
	pair   tls.Certificate
	pool   *x509.CertPool
	secret []byte
}

func readKeys(dir string) (k *keys, err error) {
	k = &keys{pool: x509.NewCertPool()}
	in := func(name string) string { return filepath.Join(dir, name) }
	if k.pair, err = tls.LoadX509KeyPair(in(certFile), in(keyFile)); err != nil {
		return nil, fmt.Errorf("--cluster-keys: %w", err)
	}
	authority, err := os.ReadFile(in(caFile))
	if err != nil {
		return nil, fmt.Errorf("--cluster-keys: %w", err)
	}
	if !k.pool.AppendCertsFromPEM(authority) {
		return nil, fmt.Errorf("--cluster-keys: %s has no certificate in PEM", in(caFile))
	}
	text, err := os.ReadFile(in(secretFile))
	if err != nil {
		return nil, fmt.Errorf("--cluster-keys: %w", err)
	}
	k.secret = []byte(strings.TrimSpace(string(text)))
	return k, nil
}

// keysCmd is `cdphub-cluster cluster keys`.
type keysCmd struct {
	Dir string `arg:"" help:"Folder to write to. It must not have keys yet."`
}

// Run writes the files. The key of the authority is forgotten: all nodes have the same
// certificate, and new keys are a new folder.
func (c *keysCmd) Run(out io.Writer) error {
	if err := os.MkdirAll(c.Dir, 0o700); err != nil {
		return err
	}
	authority, err := newCertificate("cdphub cluster authority", nil)
	if err != nil {
		return err
	}
	node, err := newCertificate("cdphub cluster node", authority)
	if err != nil {
		return err
	}
	private, err := x509.MarshalPKCS8PrivateKey(node.key)
	if err != nil {
		return err
	}
	for _, f := range []struct {
		name string
		text []byte
	}{
		{caFile, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: authority.cert.Raw})},
		{certFile, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: node.cert.Raw})},
		{keyFile, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: private})},
		{secretFile, []byte(rand.Text() + rand.Text() + "\n")},
	} {
		if err := writeNew(filepath.Join(c.Dir, f.name), f.text); err != nil {
			return err
		}
	}
	_, err = fmt.Fprintf(out, "The keys are in %s, until %s. Copy the folder to each node. Keep it unreadable for others.\n", c.Dir, node.cert.NotAfter.Format(time.DateOnly))
	return err
}

// writeNew writes a file that is not there yet.
func writeNew(path string, text []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return fmt.Errorf("the keys of a cluster are not replaced, since its nodes would no longer trust each other: %w", err)
	}
	if _, err := f.Write(text); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}

type certified struct {
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
}

// newCertificate makes one that an authority signs, or that is one.
func newCertificate(name string, authority *certified) (*certified, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 127))
	if err != nil {
		return nil, err
	}
	about := &x509.Certificate{
		SerialNumber: serial, Subject: pkix.Name{CommonName: name},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(keysGood),
		BasicConstraintsValid: true, IsCA: authority == nil, KeyUsage: x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}
	by := &certified{about, key}
	if authority != nil {
		by = authority
	} else {
		about.KeyUsage = x509.KeyUsageCertSign
		about.ExtKeyUsage = nil
	}
	raw, err := x509.CreateCertificate(rand.Reader, about, by.cert, key.Public(), by.key)
	if err != nil {
		return nil, err
	}
	cert, err := x509.ParseCertificate(raw)
	return &certified{cert, key}, err
}
