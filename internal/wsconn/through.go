package wsconn

import (
	"context"
	"crypto/rand"
	"crypto/tls"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/url"

	"github.com/cdphub/cdphub/internal/version"
)

// DialThrough is Dial by a transport of net/http: through its proxies, and with its
// TLS. It returns the header of the answer too. A server that refuses yields an
// error that wraps a StatusError and has the beginning of the answer. Redirects are not
// followed: RoundTrip never does. The caller must call Serve or Start of the connection.
func DialThrough(ctx context.Context, by *http.Transport, rawURL string, header http.Header, l Limits) (*Conn, http.Header, error) {
	u, err := url.Parse(rawURL)
	if err != nil {
		return nil, nil, fmt.Errorf("dial: %w", err)
	}
	scheme, ok := map[string]string{"ws": "http", "wss": "https"}[u.Scheme]
	if !ok {
		return nil, nil, fmt.Errorf("dial: scheme %q is neither ws nor wss", u.Scheme)
	}
	u.Scheme = scheme
	var nc net.Conn
	// The body of a 101 can be read and written (http.Response.Body), but has no deadlines.
	// Those are set on the connection below, which only the trace tells.
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{GotConn: func(i httptrace.GotConnInfo) { nc = i.Conn }})
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), http.NoBody)
	if err != nil {
		return nil, nil, fmt.Errorf("dial: %w", err)
	}
	key := make([]byte, 16)
	rand.Read(key)
	req.Header.Set("User-Agent", version.UserAgent()) // unless header has another
	for name, values := range header {
		req.Header[http.CanonicalHeaderKey(name)] = values
	}
	req.Host = req.Header.Get("Host") // net/http writes no other; of the URL where it is ""
	for name, value := range map[string]string{
		"Connection": "Upgrade", "Upgrade": "websocket", "Sec-WebSocket-Version": "13",
		"Sec-WebSocket-Key": base64.StdEncoding.EncodeToString(key),
	} {
		req.Header.Set(name, value)
	}
	resp, err := by.RoundTrip(req)
	if err != nil {
		return nil, nil, dialError(ctx, u, err)
	}
	body, err := switchedReader(resp, req)
	if err != nil {
		resp.Body.Close()
		return nil, nil, fmt.Errorf("dial %s: %w", u.Host, err)
	}
	limits := l.withDefaults()
	c := newConn(&upgraded{nc, body}, &limits)
	c.client = true
	return c, resp.Header, nil
}

// switchedReader is what the connection is read from after a good answer (RFC 6455,
// section 4.1).
func switchedReader(resp *http.Response, req *http.Request) (io.Reader, error) {
	if resp.StatusCode != http.StatusSwitchingProtocols {
		return nil, refusalOf(resp)
	}
	const subprotocol = "Sec-WebSocket-Protocol"
	chosen := resp.Header.Get(subprotocol)
	switch {
	case resp.Header.Get("Sec-WebSocket-Accept") != acceptKey(req.Header.Get("Sec-WebSocket-Key")):
		return nil, errors.New("the answer is not a WebSocket handshake: its Sec-WebSocket-Accept is wrong")
	case chosen != "" && !hasToken(req.Header, subprotocol, chosen):
		return nil, fmt.Errorf("the server chose the subprotocol %q, and %q was offered", chosen, req.Header.Get(subprotocol))
	case resp.Header.Get("Sec-WebSocket-Extensions") != "":
		return nil, errors.New("the server chose an extension that was not offered")
	}
	return resp.Body, nil
}

// upgraded is a connection after the answer of net/http's transport, whose body
// may begin with bytes that were read ahead.
type upgraded struct {
	net.Conn
	body io.Reader
}

// Read implements net.Conn.
func (u *upgraded) Read(p []byte) (int, error) { return u.body.Read(p) }

// CloseWrite ends what is sent, where the connection can.
func (u *upgraded) CloseWrite() error {
	if half, ok := u.Conn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return nil
}

// tlsOf is the TLS of a connection, if it has.
func tlsOf(nc net.Conn) (t *tls.Conn, ok bool) {
	if u, is := nc.(*upgraded); is {
		nc = u.Conn
	}
	t, ok = nc.(*tls.Conn)
	return t, ok
}
