package chrome

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/cdphub/cdphub/internal/version"
	"github.com/cdphub/cdphub/internal/wire"
	"github.com/cdphub/cdphub/internal/wsconn"
)

const (
	askTimeout  = 10 * time.Second // for /json/version
	dialTimeout = time.Minute      // for the WebSocket: a browser may ask its user first
	maxVersion  = 1 << 20          // bytes of what /json/version answers
)

// socket is a browser at the other end of a WebSocket. It implements conn.
type socket struct {
	*outbox
	ws *wsconn.Conn
}

// Serve implements conn. It has no context: Close is what ends the connection.
func (s socket) Serve(to receiver) error {
	s.ws.HandleTooLarge(func(head, tail []byte, size int64) {
		to.receiveCut(&wire.Cut{Head: head, Tail: tail, Size: size})
	})
	var writing sync.WaitGroup
	writing.Go(func() {
		if s.run(s.write) != nil {
			s.Close()
		}
	})
	why := s.ws.Serve(context.Background(), to.receive)
	s.Close()
	writing.Wait()
	if why == wsconn.ReasonNormal {
		return errClosed
	}
	return fmt.Errorf("the connection to the browser ended: %w", why)
}

// write writes messages and waits until the socket has taken them: what comes meanwhile
// waits in the outbox, which knows whose turn it is.
func (s socket) write(messages []byte) error {
	if !s.queue(messages) {
		return errBehind
	}
	s.ws.WaitBelow(0, dialTimeout) // the connection ends before, if the browser takes nothing
	return nil
}

// queue queues messages, each of which has a NUL behind it.
func (s socket) queue(messages []byte) bool {
	for m := range bytes.SplitSeq(bytes.TrimSuffix(messages, []byte{0}), []byte{0}) {
		if len(m) > 0 && !s.ws.Offer(wire.Frame{Body: m}) {
			return false
		}
	}
	return true
}

// Close implements conn. The browser lives on: it still gets what is in the batch, by which
// the Host ends contexts and sessions.
func (s socket) Close() {
	s.queue(s.takeBatch())
	s.ws.Close(wsconn.ReasonNormal)
	s.close()
}

// connectBrowser connects to a browser that runs, of which a message may have so many bytes. The error says what to try, for the person who
// has given the address.
func connectBrowser(ctx context.Context, where string, limit int) (conn, error) {
	endpoint, err := endpointOf(ctx, where)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, dialTimeout)
	defer cancel()
	c, err := dialBrowser(ctx, endpoint, limit)
	if err != nil {
		return nil, fmt.Errorf("connect to the browser: %w; check that it runs, and that this is its address", err)
	}
	return c, nil
}

// dialBrowser connects to the WebSocket of a browser.
func dialBrowser(ctx context.Context, endpoint *url.URL, limit int) (conn, error) {
	ws, err := wsconn.Dial(ctx, endpoint.String(), nil, wsconn.Limits{MaxMessage: int64(limit), MaxPending: math.MaxInt32, MaxQueued: math.MaxInt32})
	if err != nil {
		return nil, err
	}
	return socket{newOutbox(), ws}, nil
}

// endpointOf finds the WebSocket of the browser that an Options.URL names. A ws address is
// taken as it is, and the browser is not asked for one.
func endpointOf(ctx context.Context, where string) (*url.URL, error) {
	if info, err := os.Stat(where); err == nil && info.IsDir() {
		return endpointIn(where)
	}
	u, err := url.Parse(where)
	if err == nil && u.Host != "" {
		switch u.Scheme {
		case "ws", "wss":
			return u, nil
		case "http", "https":
			return askEndpoint(ctx, u)
		}
	}
	return nil, errors.New("the address of the browser is not an http:// or ws:// URL, nor the folder of a profile: " +
		"use an address such as http://127.0.0.1:9222")
}

// activePort is the name of the file in which Chromium leaves the address of its debugging port.
const activePort = "DevToolsActivePort"

// endpointIn reads the file in which Chromium leaves its port and the path of
// its WebSocket, a line each, when its debugging port is open. The file is
// DevToolsActivePort: "9222\n/devtools/browser/ID".
func endpointIn(profile string) (*url.URL, error) {
	name := filepath.Join(profile, activePort)
	text, err := os.ReadFile(name) //nolint:gosec // a folder the user gave
	if err != nil {
		return nil, fmt.Errorf("%w: no browser runs there with its debugging port open: start it with --remote-debugging-port=0 and this --user-data-dir", err)
	}
	port, path, _ := strings.Cut(strings.TrimSpace(string(text)), "\n")
	if n, err := strconv.ParseUint(port, 10, 16); err != nil || n == 0 || !strings.HasPrefix(path, "/devtools/browser/") {
		return nil, fmt.Errorf("%s does not have a port and a path: remove it and start the browser again", name)
	}
	return &url.URL{Scheme: "ws", Host: net.JoinHostPort("127.0.0.1", port), Path: path}, nil
}

// askEndpoint asks a browser's HTTP endpoint for its WebSocket. Only the path
// of the answer counts: the host that the browser thinks it has may not be the
// one it is reached at. So a browser behind a forwarded port or in a container works, too.
func askEndpoint(ctx context.Context, u *url.URL) (*url.URL, error) {
	ctx, cancel := context.WithTimeout(ctx, askTimeout)
	defer cancel()
	body, err := getDocument(ctx, u.JoinPath("json", "version"))
	if err != nil {
		return nil, fmt.Errorf("ask %s for its WebSocket: %w", u.Host, err)
	}
	var version struct {
		Endpoint string `json:"webSocketDebuggerUrl"`
	}
	err = wire.Decode(body, &version)
	if err == nil {
		var answer *url.URL
		if answer, err = url.Parse(version.Endpoint); err == nil && answer.Path != "" {
			scheme := "ws" + strings.TrimPrefix(u.Scheme, "http")
			return &url.URL{Scheme: scheme, Host: u.Host, Path: answer.Path, RawQuery: answer.RawQuery}, nil
		}
	}
	return nil, fmt.Errorf("%s is not the debugging port of a browser: its /json/version has no webSocketDebuggerUrl", u.Host)
}

// getDocument gets a small document and follows no redirect. Its errors do not have
// the URL, whose query may be a secret.
func getDocument(ctx context.Context, u *url.URL) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), http.NoBody)
	if err != nil {
		return nil, err
	}
	req.Header.Set("User-Agent", version.UserAgent())
	client := http.Client{
		Transport:     &http.Transport{DisableKeepAlives: true}, // and no proxy
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	resp, err := client.Do(req)
	var in *url.Error
	if errors.As(err, &in) {
		return nil, fmt.Errorf("%w: start the browser with --remote-debugging-port, or correct its address", in.Err)
	}
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxVersion))
	switch {
	case err != nil:
		return nil, err
	case resp.StatusCode == http.StatusOK:
		return body, nil
	case strings.Contains(string(body), "Host header"): // Chromium 156, status 500
		return nil, fmt.Errorf("the browser accepts only an IP address or localhost as its name: use one in place of %s", u.Hostname())
	}
	return nil, fmt.Errorf("it answers with status %d", resp.StatusCode)
}
