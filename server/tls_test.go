package server

import (
	"bufio"
	"crypto/tls"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/cdphub/cdphub/internal/hubtest"
	"github.com/cdphub/cdphub/internal/logging/logtest"
)

// startTLS runs a server that speaks TLS on all listeners.
func startTLS(t *testing.T, dir string, oldest uint16, change func(*Options)) (s started, admin string) {
	t.Helper()
	cert, key := hubtest.WriteCertificate(t, dir, 1)
	l := logtest.Open(t, io.Discard)
	s = startLogged(t, l.Logger, func(o *Options) {
		o.TLS = TLS{CertFile: cert, KeyFile: key, Min: oldest}
		if change != nil {
			change(o)
		}
	})
	return s, s.AdminAddr()
}

// withOperators gives operators a port, which wants a token.
func withOperators(o *Options) {
	withTokens(o)
	o.AdminAddr, o.Tokens.Admin = "127.0.0.1:0", adminToken
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
		oldest   uint16
		newest   uint16
		name     string
		accepted bool
	}{
		{0, tls.VersionTLS13, "1.3 by default", true},
		{0, tls.VersionTLS12, "1.2 by default", false},
		{tls.VersionTLS12, tls.VersionTLS12, "1.2 when allowed", true},
		{tls.VersionTLS12, tls.VersionTLS11, "1.1 when 1.2 is allowed", false},
	} {
		s, admin := startTLS(t, t.TempDir(), tc.oldest, withOperators)
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
	s, admin := startTLS(t, t.TempDir(), tls.VersionTLS13, withOperators)
	for _, addr := range []string{s.addr(false), s.addr(true), admin} {
		if status, body := s.get(t, addr, "/json/version", nil); status != 400 {
			t.Errorf("plain HTTP: %d %s, want 400", status, body)
		}
	}
}

// TestR16WebSocketOverTLS sends a message of several records through, both
// ways, and asks where the endpoint is.
func TestR16WebSocketOverTLS(t *testing.T) {
	s, _ := startTLS(t, t.TempDir(), tls.VersionTLS13, nil)
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
	t.Parallel()
	dir := t.TempDir()
	s, _ := startTLS(t, dir, tls.VersionTLS13, nil)
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
	hubtest.WriteCertificate(t, dir, 22)
	s.readFiles()
	if n := serial(); n != 22 {
		t.Errorf("after a reload: number %d, want 22", n)
	}
	if err := os.WriteFile(filepath.Join(dir, "cert.pem"), []byte("broken"), 0o600); err != nil {
		t.Fatal(err)
	}
	s.readFiles()
	if n := serial(); n != 22 {
		t.Errorf("after a reload of a broken file: number %d, want 22", n)
	}
	hubtest.WriteCertificate(t, dir, 333)
	for end := time.Now().Add(within); serial() != 333; time.Sleep(100 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("the new files were not noticed")
		}
	}
}

func TestTLSOptions(t *testing.T) {
	dir := t.TempDir()
	cert, key := hubtest.WriteCertificate(t, dir, 1)
	other := t.TempDir()
	_, otherKey := hubtest.WriteCertificate(t, other, 2)
	for name, f := range map[string]TLS{
		"no key":          {CertFile: cert},
		"no certificate":  {KeyFile: key},
		"missing file":    {CertFile: filepath.Join(dir, "none"), KeyFile: key},
		"another's key":   {CertFile: cert, KeyFile: otherKey},
		"key for a chain": {CertFile: key, KeyFile: cert},
	} {
		o := testOptions()
		o.TLS = f
		if srv, err := New(o); err == nil {
			srv.Close()
			t.Errorf("%s: no error", name)
		}
	}
}
