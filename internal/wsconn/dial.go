package wsconn

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"

	"github.com/gobwas/ws"

	"github.com/cdphub/cdphub/internal/version"
)

// StatusError is a server's refusal of a handshake: an HTTP status.
type StatusError int

// Error implements error.
func (e StatusError) Error() string { return fmt.Sprintf("handshake refused with status %d", int(e)) }

// Dial connects to a WebSocket server at a ws or wss URL. The header is added to
// that of the handshake. A Host in it replaces the URL's, and its
// Sec-WebSocket-Protocol offers subprotocols. Redirects are not followed.
//
// A server that refuses yields an error that wraps a StatusError and has the beginning of
// the answer. A context that ends before the handshake yields its cause; afterwards it has
// no effect. The caller must call Serve or Start of what it returns.
//
//	conn, err := wsconn.Dial(ctx, "ws://127.0.0.1:9222/devtools/browser/ID", nil, wsconn.Limits{})
//	if status, refused := errors.AsType[wsconn.StatusError](err); refused {
//		// 401, 403, 404 …
//	}
func Dial(ctx context.Context, rawURL string, header http.Header, l Limits) (*Conn, error) {
	u, err := url.Parse(rawURL)
	if err != nil {
		return nil, fmt.Errorf("dial: %w", err)
	}
	if u.Scheme != "ws" && u.Scheme != "wss" {
		return nil, fmt.Errorf("dial: scheme %q is neither ws nor wss", u.Scheme)
	}
	u.Fragment, u.RawFragment = "", "" // never sent (RFC 6455, section 3)
	d := dialerWith(header)
	var refused error
	d.OnStatusError = func(status int, _ []byte, answer io.Reader) { refused = readRefusal(status, answer) }
	nc, early, _, err := d.Dial(ctx, u.String())
	if err != nil {
		return nil, dialError(ctx, u, cmp.Or(refused, err))
	}
	limits := l.withDefaults()
	c := newConn(nc, &limits)
	// RFC 6455, section 5.1: a client masks what it sends.
	c.client = true
	if early != nil { // frames that came right behind the answer
		b, _ := early.Peek(early.Buffered())
		c.in.push(b)
		ws.PutReader(early)
	}
	return c, nil
}

// dialerWith returns a dialer that sends a header. Names count in any case. gobwas/ws writes
// Host and Sec-WebSocket-Protocol from fields of its own: in Dialer.Header they would be
// there twice.
func dialerWith(header http.Header) ws.Dialer {
	var d ws.Dialer
	others := http.Header{"User-Agent": {version.UserAgent()}} // unless header has another
	for name, values := range header {
		switch http.CanonicalHeaderKey(name) {
		case "Host":
			d.Host = strings.Join(values, ",")
		case "Sec-Websocket-Protocol":
			for offered := range strings.SplitSeq(strings.Join(values, ","), ",") {
				d.Protocols = append(d.Protocols, strings.TrimSpace(offered))
			}
		case "User-Agent":
			others["User-Agent"] = values
		default:
			others[name] = values
		}
	}
	d.Header = ws.HandshakeHeaderHTTP(others)
	return d
}

// readRefusal is the error for an answer from its status line on.
func readRefusal(status int, answer io.Reader) error {
	resp, err := http.ReadResponse(bufio.NewReader(answer), nil) //nolint:bodyclose // it would read to the end: the dialer closes the connection
	if err != nil {
		return StatusError(status)
	}
	return refusalOf(resp)
}

// refusalOf is the error for an answer that is not 101.
func refusalOf(resp *http.Response) error {
	const longest = 1 << 10
	text, err := io.ReadAll(io.LimitReader(resp.Body, longest))
	if said := strings.TrimSpace(string(text)); err == nil && said != "" {
		return fmt.Errorf("%w: %s", StatusError(resp.StatusCode), said)
	}
	return StatusError(resp.StatusCode)
}

// dialError names the server if it was reached: net's own errors name it already.
func dialError(ctx context.Context, u *url.URL, err error) error {
	if ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	if op, ok := errors.AsType[*net.OpError](err); ok && op.Op == "dial" {
		return fmt.Errorf("dial: %w", err)
	}
	return fmt.Errorf("dial %s: %w", u.Host, err)
}
