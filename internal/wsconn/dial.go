package wsconn

import (
	"bufio"
	"cmp"
	"context"
	"crypto/rand"
	"crypto/tls"
	"encoding/base64"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"time"
)

// StatusError is a server's refusal of a handshake: an HTTP status.
type StatusError int

func (e StatusError) Error() string { return fmt.Sprintf("handshake refused with status %d", int(e)) }

// Dial connects to a WebSocket server at a ws or wss URL with the default
// limits. The header is added to that of the handshake; a Host in it replaces
// the URL's. A server that refuses yields a StatusError.
func Dial(ctx context.Context, rawURL string, header http.Header) (*Conn, error) {
	return DialLimits(ctx, rawURL, header, Limits{})
}

// DialLimits is Dial with limits of the caller's choice.
func DialLimits(ctx context.Context, rawURL string, header http.Header, l Limits) (*Conn, error) {
	u, err := url.Parse(rawURL)
	if err != nil {
		return nil, fmt.Errorf("dial: %w", err)
	}
	nc, err := dialHost(ctx, u)
	if err != nil {
		return nil, fmt.Errorf("dial: %w", err)
	}
	stop := context.AfterFunc(ctx, func() { nc.SetDeadline(time.Now()) })
	c, err := handshake(nc, u, header, l)
	if err == nil && !stop() {
		err = context.Cause(ctx)
	}
	if err != nil {
		nc.Close()
		return nil, fmt.Errorf("dial %s: %w", u.Host, err)
	}
	return c, nil
}

func dialHost(ctx context.Context, u *url.URL) (net.Conn, error) {
	port := u.Port()
	if u.Scheme == "wss" {
		d := tls.Dialer{}
		return d.DialContext(ctx, "tcp", net.JoinHostPort(u.Hostname(), cmp.Or(port, "443")))
	}
	if u.Scheme != "ws" {
		return nil, fmt.Errorf("scheme %q is neither ws nor wss", u.Scheme)
	}
	d := net.Dialer{}
	return d.DialContext(ctx, "tcp", net.JoinHostPort(u.Hostname(), cmp.Or(port, "80")))
}

// handshake asks for the upgrade (RFC 6455, section 4.1).
func handshake(nc net.Conn, u *url.URL, header http.Header, l Limits) (*Conn, error) {
	var nonce [16]byte
	rand.Read(nonce[:])
	key := base64.StdEncoding.EncodeToString(nonce[:])
	req := &http.Request{Method: http.MethodGet, URL: u, Host: u.Host, Header: http.Header{}}
	for name, values := range header {
		req.Header[name] = values
	}
	if host := header.Get("Host"); host != "" {
		req.Host = host
		req.Header.Del("Host")
	}
	req.Header.Set("Upgrade", "websocket")
	req.Header.Set("Connection", "Upgrade")
	req.Header.Set("Sec-WebSocket-Version", "13")
	req.Header.Set("Sec-WebSocket-Key", key)
	if err := req.Write(nc); err != nil {
		return nil, err
	}
	br := bufio.NewReader(nc)
	resp, err := http.ReadResponse(br, req)
	if err != nil {
		return nil, err
	}
	resp.Body.Close()
	if resp.StatusCode != http.StatusSwitchingProtocols {
		return nil, StatusError(resp.StatusCode)
	}
	if resp.Header.Get("Sec-WebSocket-Accept") != accept(key) {
		return nil, fmt.Errorf("Sec-WebSocket-Accept is wrong")
	}
	limits := l.withDefaults()
	c := newConn(nc, &limits)
	c.client = true
	early, _ := br.Peek(br.Buffered())
	c.in.push(early)
	return c, nil
}
