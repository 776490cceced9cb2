package main

import (
	"bufio"
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
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// writePair writes a new certificate for 127.0.0.1 and its key, and returns
// where, and the certificate's serial number.
func writePair(t *testing.T, dir string, serial int64) (cert, key string) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	about := &x509.Certificate{
		SerialNumber: big.NewInt(serial), Subject: pkix.Name{CommonName: "test"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, BasicConstraintsValid: true, IsCA: true, KeyUsage: x509.KeyUsageCertSign,
	}
	public, err := x509.CreateCertificate(rand.Reader, about, about, private.Public(), private)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	cert, key = filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	for file, block := range map[string]*pem.Block{cert: {Type: "CERTIFICATE", Bytes: public}, key: {Type: "PRIVATE KEY", Bytes: secret}} {
		if err := os.WriteFile(file, pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return cert, key
}

// startTLS runs a server that speaks TLS on all listeners.
func startTLS(t *testing.T, dir, oldest string) (s started, admin string) {
	t.Helper()
	cert, key := writePair(t, dir, 1)
	l := openLog(t, io.Discard)
	srv, err := newServer(hubFlags{ClientAddr: "127.0.0.1:0", HostAddr: "localhost:0", Drain: 5 * time.Second}, l.Logger)
	if err != nil {
		t.Fatal(err)
	}
	f := operationFlags{AdminAddr: "127.0.0.1:0", tlsFlags: tlsFlags{TLSCert: cert, TLSKey: key, TLSMin: oldest}}
	if err := f.equip(srv, l); err != nil {
		t.Fatal(err)
	}
	return startServer(t, srv), srv.admin.Addr().String()
}

// shake makes a TLS connection that speaks no newer version, and returns it
// with the server's serial number.
func shake(addr string, newest uint16) (*tls.Conn, int64, error) {
	c, err := tls.Dial("tcp", addr, &tls.Config{InsecureSkipVerify: true, MaxVersion: newest}) //nolint:gosec // a test
	if err != nil {
		return nil, 0, err
	}
	return c, c.ConnectionState().PeerCertificates[0].SerialNumber.Int64(), nil
}

func TestR16TLSVersions(t *testing.T) {
	for _, tc := range []struct {
		oldest   string
		newest   uint16
		name     string
		accepted bool
	}{
		{"1.3", tls.VersionTLS13, "1.3 by default", true},
		{"1.3", tls.VersionTLS12, "1.2 by default", false},
		{"1.2", tls.VersionTLS12, "1.2 when allowed", true},
		{"1.2", tls.VersionTLS11, "1.1 when 1.2 is allowed", false},
	} {
		s, admin := startTLS(t, t.TempDir(), tc.oldest)
		for _, addr := range []string{s.addr(false), s.addr(true), admin} {
			c, _, err := shake(addr, tc.newest)
			if (err == nil) != tc.accepted {
				t.Errorf("%s: %v", tc.name, err)
			}
			if err == nil {
				c.Close()
			}
		}
		s.stop()
	}
}

func TestR16PlainHTTPGets400(t *testing.T) {
	s, admin := startTLS(t, t.TempDir(), "1.3")
	for _, addr := range []string{s.addr(false), s.addr(true), admin} {
		if status, body := s.get(t, addr, "/json/version", nil); status != 400 {
			t.Errorf("plain HTTP: %d %s, want 400", status, body)
		}
	}
}

// TestR16WebSocketOverTLS sends a message of several records through, both
// ways, and asks where the endpoint is.
func TestR16WebSocketOverTLS(t *testing.T) {
	s, _ := startTLS(t, t.TempDir(), "1.3")
	c, _, err := shake(s.addr(false), tls.VersionTLS13)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	in := bufio.NewReader(c)
	ask := func(path string, header http.Header) *http.Response {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "https://"+s.addr(false)+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header = header
		if err := req.Write(c); err != nil {
			t.Fatal(err)
		}
		resp, err := http.ReadResponse(in, req)
		if err != nil {
			t.Fatal(err)
		}
		return resp
	}
	version := ask("/json/version", http.Header{})
	body, err := io.ReadAll(version.Body)
	if want := `"webSocketDebuggerUrl":"wss://` + s.addr(false) + `/devtools/browser"`; err != nil || !strings.Contains(string(body), want) {
		t.Errorf("/json/version: %s, want %s", body, want)
	}
	if resp := ask("/devtools/browser", upgradeHeader()); resp.StatusCode != http.StatusSwitchingProtocols {
		t.Fatalf("the handshake is answered with %s", resp.Status)
	}
	long := strings.Repeat("x", 1<<17)
	message := fmt.Sprintf(`{"id":1,"method":"Browser.getVersion","params":{"x":%q}}`, long)
	frame := []byte{0x81, 0x80 | 127, 0, 0, 0, 0, 0, byte(len(message) >> 16), byte(len(message) >> 8), byte(len(message)), 0, 0, 0, 0}
	if _, err := c.Write(append(frame, message...)); err != nil {
		t.Fatal(err)
	}
	answer := make([]byte, 4)
	if _, err := io.ReadFull(in, answer); err != nil || answer[0] != 0x81 {
		t.Fatalf("the answer begins with %v, %v", answer, err)
	}
	rest := make([]byte, int(answer[2])<<8|int(answer[3]))
	if _, err := io.ReadFull(in, rest); err != nil || !strings.HasPrefix(string(rest), `{"id":1,"result":`) {
		t.Errorf("the answer is %s, %v", rest, err)
	}
}

func TestTLSCertificateIsFollowed(t *testing.T) {
	dir := t.TempDir()
	s, _ := startTLS(t, dir, "1.3")
	serial := func() int64 {
		t.Helper()
		c, n, err := shake(s.addr(false), tls.VersionTLS13)
		if err != nil {
			t.Fatal(err)
		}
		c.Close()
		return n
	}
	if n := serial(); n != 1 {
		t.Fatalf("the certificate has number %d, want 1", n)
	}
	writePair(t, dir, 22)
	s.reloads.all(s.log)
	if n := serial(); n != 22 {
		t.Errorf("after a reload: number %d, want 22", n)
	}
	if err := os.WriteFile(filepath.Join(dir, "cert.pem"), []byte("broken"), 0o600); err != nil {
		t.Fatal(err)
	}
	s.reloads.all(s.log)
	if n := serial(); n != 22 {
		t.Errorf("after a reload of a broken file: number %d, want 22", n)
	}
	writePair(t, dir, 333)
	for end := time.Now().Add(20 * time.Second); serial() != 333; time.Sleep(100 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("the new files were not noticed")
		}
	}
}

func TestTLSFlags(t *testing.T) {
	dir := t.TempDir()
	cert, key := writePair(t, dir, 1)
	other := t.TempDir()
	_, otherKey := writePair(t, other, 2)
	for name, f := range map[string]tlsFlags{
		"no key":          {TLSCert: cert},
		"no certificate":  {TLSKey: key},
		"missing file":    {TLSCert: filepath.Join(dir, "none"), TLSKey: key},
		"another's key":   {TLSCert: cert, TLSKey: otherKey},
		"key for a chain": {TLSCert: key, TLSKey: cert},
	} {
		if _, err := f.secure(&server{}); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
