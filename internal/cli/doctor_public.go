package cli

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"time"

	"github.com/cdphub/cdphub/internal/auth"
	"github.com/cdphub/cdphub/internal/wsconn"
	"github.com/cdphub/cdphub/server"
)

// publicWay is the way of clients and people through --public-url.
type publicWay struct {
	own   auth.OwnAddress // what the hub should take for its own address
	token string          // of a Client; "": none is known
	path  string          // of the WebSocket that is opened
	idle  time.Duration   // until the first ping of the hub
}

// checkPublic goes the way of a client through --public-url. Meanwhile a hub with these options serves, unless one runs
// already.
func checkPublic(ctx context.Context, o server.Options, runs bool) (all []finding) {
	u, err := url.Parse(o.PublicURL)
	if err != nil || u.Host == "" {
		return nil
	}
	t := o.Tokens
	guarded := t.Client != "" || t.Host != "" || t.File != "" || len(t.JWTKeys) > 0
	if !runs {
		if o.Browsers = nil; guarded && t.Client == "" {
			o.Tokens.Client = rand.Text()
		}
		srv, err := server.New(o)
		if err != nil {
			return nil // another finding says why
		}
		ctx, stop := context.WithCancel(ctx)
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			srv.Run(ctx) //nolint:errcheck // what it cannot do is found on the way
		}()
		defer func() { stop(); <-ended }()
	}
	w := publicWay{
		own: auth.OwnAddressAt(u), token: o.Tokens.Client, path: "/devtools/browser", idle: o.Limits.PingEvery,
	}
	if guarded && w.token == "" {
		w.path = "/ws" // where a token may come later
	}
	if all = append(all, w.discover(ctx)); all[0].State == fine {
		all = append(all, w.connect(ctx))
	}
	if !guarded {
		all = append(all, finding{publicCheck, warning, "there are no tokens: whoever reaches " + o.PublicURL + " may drive every page", "set --tokens, or have the proxy let only some people in"})
	}
	return all
}

const (
	publicCheck = "public URL"
	publicWait  = 10 * time.Second // for each answer
	// maxPublicAnswer is how much of an answer is read, in bytes: whoever answers may not be a hub.
	maxPublicAnswer = 64 << 10
)

// discover asks where clients connect. Without a token GET / says that, too.
func (w publicWay) discover(ctx context.Context) finding {
	status, text, err := w.get(ctx, "/json/version")
	if status == http.StatusUnauthorized && w.token == "" {
		status, text, err = w.get(ctx, "/")
	}
	named, want := regexp.MustCompile(`wss?://[^"\s]*/devtools/browser`).FindString(text), w.own.WebSocket()+"/devtools/browser"
	switch {
	case err != nil:
		return finding{publicCheck, failing, err.Error(), "let the name lead to the proxy, and have the proxy listen there, with a certificate that this machine trusts (SSL_CERT_FILE names others)"}
	case status != http.StatusOK:
		return w.refused("GET /json/version", status, text)
	case named == "":
		return finding{publicCheck, failing, w.own.HTTP() + " is answered by another program than a hub", "correct --public-url, or where the proxy passes it on to"}
	case named != want:
		return finding{
			publicCheck, failing, "the hub is asked at " + w.own.HTTP() + ", and names " + named + " to clients in place of " + want,
			"have the proxy pass on the header Host as clients send it, with the port (nginx: proxy_set_header Host $http_host), or name the proxy with --trusted-proxy and have it set X-Forwarded-Proto and X-Forwarded-Host",
		}
	}
	return finding{Check: publicCheck, State: fine, Found: "clients are told " + named}
}

// get asks the hub through the public URL.
func (w publicWay) get(ctx context.Context, path string) (status int, text string, err error) {
	client := http.Client{Timeout: publicWait, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, w.own.HTTP()+path, http.NoBody)
	if err != nil {
		return 0, "", err
	}
	if w.token != "" {
		r.Header.Set("Authorization", "Bearer "+w.token)
	}
	resp, err := client.Do(r)
	if err != nil {
		return 0, "", err
	}
	defer resp.Body.Close()
	if to := resp.Header.Get("Location"); to != "" {
		return resp.StatusCode, "a redirect to " + to, nil
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxPublicAnswer))
	return resp.StatusCode, string(body), err
}

// connect opens a WebSocket as a page of the hub does, and holds it until the hub has sent a ping.
func (w publicWay) connect(ctx context.Context) finding {
	header := http.Header{"Origin": {w.own.Origin()}}
	if w.token != "" {
		header.Set("Authorization", "Bearer "+w.token)
	}
	dialing, cancel := context.WithTimeout(ctx, publicWait)
	defer cancel()
	conn, err := wsconn.Dial(dialing, w.own.WebSocket()+w.path, header, wsconn.Limits{})
	if status, refused := errors.AsType[wsconn.StatusError](err); refused {
		_, text, _ := strings.Cut(err.Error(), status.Error())
		return w.refused("a WebSocket", int(status), strings.TrimPrefix(text, ": "))
	}
	if err != nil {
		return finding{publicCheck, failing, "a WebSocket does not open: " + err.Error(), cureUpgrade}
	}
	const late = time.Second
	began, ended := time.Now(), make(chan wsconn.Reason, 1)
	go func() { ended <- conn.Serve(ctx, func([]byte) {}) }()
	select {
	case why := <-ended:
		if why == wsconn.ReasonNoLogin { // the hub has ended it, and not the proxy
			return finding{
				publicCheck, warning, fmt.Sprintf("a WebSocket opens, but the hub that runs wants a token: whether it stays open for %v without data is not known", w.idle),
				"run this with the token of a Client (--client-token), or while the hub does not run",
			}
		}
		return finding{
			publicCheck, failing, fmt.Sprintf("a WebSocket on which nothing is sent ends after %v, before the hub's first ping: %v", time.Since(began).Round(time.Millisecond), why),
			fmt.Sprintf("raise the time-out of the proxy for connections without data (nginx: proxy_read_timeout) above --ping-every, which is %v, or lower that", w.idle),
		}
	case <-time.After(min(w.idle, time.Minute) + late):
	}
	conn.Close(wsconn.ReasonNormal)
	return finding{Check: publicCheck, State: fine, Found: fmt.Sprintf("a WebSocket opens, and stays open for %v without data", w.idle)}
}

const cureUpgrade = "have the proxy pass on WebSockets: the headers Upgrade and Connection, with HTTP/1.1 (nginx: proxy_http_version 1.1)"

// refused is the finding for an answer in place of what was asked for.
func (w publicWay) refused(what string, status int, text string) finding {
	text, _, _ = strings.Cut(strings.TrimSpace(text), "\n")
	found := fmt.Sprintf("%s at %s is answered with %d: %s", what, w.own.HTTP(), status, strings.TrimSpace(text))
	cure := "see the log of the proxy"
	switch status {
	case http.StatusBadRequest, http.StatusUpgradeRequired, http.StatusMethodNotAllowed:
		cure = cureUpgrade
	case http.StatusUnauthorized:
		cure = "have the proxy pass on the header Authorization, or run this with the token of the hub that runs (--client-token)"
	case http.StatusForbidden:
		cure = "have the proxy pass on the header Host as clients send it, with the port (nginx: proxy_set_header Host $http_host); allow other names with --allowed-host"
	case http.StatusNotFound:
		cure = "have the proxy take the path of --public-url off before it passes a request on, or correct the path"
		if w.own.Prefix == "" {
			cure = "have the proxy pass on every path, or add the path to --public-url below which it does"
		}
	case http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		cure = "the proxy does not reach the hub: compare the address that it passes requests on to with --client-addr, and whether that speaks TLS"
	case http.StatusMovedPermanently, http.StatusFound, http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
		cure = "set --public-url to the address that the proxy redirects to"
	}
	return finding{publicCheck, failing, found, cure}
}
