package wsconn

import (
	"crypto/sha1" //nolint:gosec // RFC 6455 wants it
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/cdphub/cdphub/relay/quota"
)

// Options says how a handshake is answered and what the connection may use.
type Options struct {
	// AnyKey accepts every Sec-WebSocket-Key that is not empty. There are CDP
	// clients in the field that send "nil" and read frames accordingly: to a
	// peer with a key that is not 16 bytes of base64 nothing but whole text
	// frames is ever sent.
	AnyKey bool
	// Subprotocol is one that the peer has offered and the answer names; ""
	// names none.
	Subprotocol string
	// Compression accepts permessage-deflate (RFC 7692), without context
	// takeover. What a message inflates to counts against MaxMessage.
	Compression bool
	Header      http.Header // more of the answer
	Budget      *Budget     // shared with other connections; nil: none
	Payer       quota.Payer // for whom the memory counts
	Poller      *Poller     // watches the connection while it is idle, see Start; nil: it keeps its goroutine
	Share       *Share      // of the CPUs, with the others of its hub; nil: it never waits for others
	Limits      Limits
}

// ErrHandshake says that Upgrade has refused a request, and answered it.
var ErrHandshake = errors.New("not a WebSocket handshake")

// handshakeTimeout is for writing the answer. The answer fits the socket's buffer: only a
// broken connection takes longer.
const handshakeTimeout = 5 * time.Second

// Upgrade answers a WebSocket handshake (RFC 6455, section 4.2) and takes the connection
// over from net/http. Who may connect has been decided before. A request that is not a
// valid handshake is answered here, and the error wraps ErrHandshake; other errors are
// those of a socket that is gone. Extensions and subprotocols are declined but for those of
// the options.
//
// A net/http handler that then calls Serve keeps the memory of its request
// and the buffers of net/http alive; a goroutine of its own does not.
func Upgrade(w http.ResponseWriter, r *http.Request, o Options) (*Conn, error) {
	if err := CheckHandshake(w, r, o.AnyKey); err != nil {
		return nil, err
	}
	nc, buffered, err := http.NewResponseController(w).Hijack()
	if err != nil {
		http.Error(w, "this connection cannot become a WebSocket", http.StatusInternalServerError)
		return nil, fmt.Errorf("hijack: %w", err)
	}
	key := r.Header.Get("Sec-WebSocket-Key")
	limits := o.Limits.withDefaults()
	c := newConn(nc, &limits)
	c.textOnly = !goodKey(key)
	c.memory.budget, c.memory.payer, c.poller, c.share = o.Budget, o.Payer, o.Poller, o.Share
	// A client may send frames behind its handshake without waiting for the answer.
	// net/http has read them already.
	if n := buffered.Reader.Buffered(); n > 0 {
		early, _ := buffered.Peek(n)
		c.in.push(append([]byte(nil), early...))
	}
	extensions := ""
	if o.Compression && !c.textOnly {
		if answer := negotiateDeflate(r.Header); answer != "" {
			c.deflate = true
			extensions = "Sec-WebSocket-Extensions: " + answer + "\r\n"
		}
	}
	nc.SetDeadline(time.Now().Add(handshakeTimeout))
	head := "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n" +
		"Sec-WebSocket-Accept: " + acceptKey(key) + "\r\n" + extensions
	if o.Subprotocol != "" {
		head += "Sec-WebSocket-Protocol: " + o.Subprotocol + "\r\n"
	}
	var more strings.Builder
	if err := o.Header.Write(&more); err != nil {
		nc.Close()
		return nil, fmt.Errorf("answer handshake: %w", err)
	}
	_, err = nc.Write([]byte(head + more.String() + "\r\n"))
	if err != nil {
		nc.Close()
		return nil, fmt.Errorf("answer handshake: %w", err)
	}
	nc.SetDeadline(time.Time{})
	return c, nil
}

// CheckHandshake answers a request that is not a valid handshake, and returns an error that
// wraps ErrHandshake. Upgrade does so too; call this before work that only a WebSocket is
// worth. For anyKey see Options.AnyKey. It writes nothing for a good request.
func CheckHandshake(w http.ResponseWriter, r *http.Request, anyKey bool) error {
	status, why := checkHandshake(r, anyKey)
	switch status {
	case 0:
		return nil
	// RFC 9110, section 15.5.22, wants Upgrade in a 426, and RFC 6455, section 4.4, the
	// version that is spoken.
	case http.StatusUpgradeRequired:
		w.Header().Set("Upgrade", "websocket")
		w.Header().Set("Connection", "Upgrade")
		w.Header().Set("Sec-WebSocket-Version", "13")
	// RFC 9110, section 15.5.6.
	case http.StatusMethodNotAllowed:
		w.Header().Set("Allow", http.MethodGet)
	}
	http.Error(w, why, status)
	return fmt.Errorf("%w: %s", ErrHandshake, why)
}

// checkHandshake returns the status and words to refuse a handshake with, or 0. The rules are those
// of RFC 6455, section 4.2.1. HTTP/2 has no Upgrade header; its way (RFC 8441) is not
// offered.
func checkHandshake(r *http.Request, anyKey bool) (int, string) {
	key := r.Header.Get("Sec-WebSocket-Key")
	version := r.Header.Values("Sec-WebSocket-Version")
	switch {
	case r.Method != http.MethodGet:
		return http.StatusMethodNotAllowed, "a WebSocket handshake is a GET request"
	case r.ProtoMajor != 1 || r.ProtoMinor < 1:
		return http.StatusHTTPVersionNotSupported, "a WebSocket handshake needs HTTP/1.1: have a proxy on the way use it (nginx: proxy_http_version 1.1)"
	case !hasToken(r.Header, "Upgrade", "websocket") || !hasToken(r.Header, "Connection", "upgrade"):
		return http.StatusUpgradeRequired, "This is the address of a WebSocket: connect to it by ws:// or wss:// with a WebSocket client. If you have, a proxy on the way has not passed on the headers Upgrade and Connection."
	case len(version) == 0:
		return http.StatusBadRequest, "Sec-WebSocket-Version is missing"
	case len(version) > 1 || version[0] != "13":
		return http.StatusUpgradeRequired, "only WebSocket version 13 is supported"
	case len(r.Header.Values("Sec-WebSocket-Key")) != 1 || key == "":
		return http.StatusBadRequest, "there must be one Sec-WebSocket-Key"
	case !anyKey && !goodKey(key):
		return http.StatusBadRequest, "Sec-WebSocket-Key must be 16 bytes in base64"
	}
	return 0, ""
}

// goodKey reports whether a key is what RFC 6455, section 4.1, asks for.
func goodKey(key string) bool {
	b, err := base64.StdEncoding.DecodeString(key)
	return err == nil && len(b) == 16
}

// acceptKey is the Sec-WebSocket-Accept for a key, taken as it was given. RFC 6455, section
// 4.2.2, step 5.4, with the GUID of section 1.3. SHA-1 protects nothing here: it proves
// that the server has read the handshake.
func acceptKey(key string) string {
	sum := sha1.Sum([]byte(key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11")) //nolint:gosec // see above
	return base64.StdEncoding.EncodeToString(sum[:])
}

// hasToken reports whether a comma-separated header names a token, in any
// case.
func hasToken(h http.Header, name, token string) bool {
	for _, line := range h.Values(name) {
		for part := range strings.SplitSeq(line, ",") {
			if strings.EqualFold(strings.TrimSpace(part), token) {
				return true
			}
		}
	}
	return false
}
