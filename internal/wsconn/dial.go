package wsconn

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
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
	c, _, err := DialThrough(ctx, direct, rawURL, header, l)
	return c, err
}

// direct connects without a proxy. A connection that is refused is not used again.
var direct = func() *http.Transport {
	var one http.Protocols
	one.SetHTTP1(true) // HTTP/2 has no Upgrade
	return &http.Transport{Protocols: &one, DisableKeepAlives: true, DisableCompression: true}
}()

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
