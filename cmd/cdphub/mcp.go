package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"

	"go.uber.org/zap"

	"github.com/cdphub/cdphub/actions"
	"github.com/cdphub/cdphub/actions/mcp"
	"github.com/cdphub/cdphub/actions/remote"
	"github.com/cdphub/cdphub/internal/urlpolicy"
	"github.com/cdphub/cdphub/relay"
)

// mcpCmd is `cdphub mcp`: the tools on standard input and output, for a hub
// that runs already, or with a browser of its own.
type mcpCmd struct {
	poolFlags
	urlFlags
	rateFlags
	URL   string `help:"The hub, or anything else that speaks CDP over a WebSocket." default:"http://127.0.0.1:9222" placeholder:"URL" env:"CDPHUB_URL"`
	Token string `help:"The token that the hub wants." placeholder:"TOKEN" env:"CDPHUB_TOKEN"`
	Files string `help:"The folder from which files may be uploaded by path: the working directory when not given." placeholder:"DIR" env:"CDPHUB_FILES" type:"existingdir" default:"."`

	logFlags
}

// Run serves one client until its end of input.
func (c *mcpCmd) Run(ctx context.Context, s streams) error {
	log, err := c.logger(s.err)
	if err != nil {
		return err
	}
	files, err := os.OpenRoot(c.Files)
	if err != nil {
		return err
	}
	defer files.Close()
	urls, err := c.policy()
	if err != nil {
		return err
	}
	join, end, err := c.join(ctx, urls, log)
	if err != nil {
		return err
	}
	defer end()
	caller := actions.Caller{Join: join, Options: actions.Options{Log: log, URLs: urls, Names: new(urlpolicy.Resolver), Limits: c.limits()}, Version: version()}
	return mcp.Serve(ctx, caller, os.Stdin, unclosed{s.out}, files)
}

// unclosed keeps what is written to from being closed.
type unclosed struct{ io.Writer }

// Close implements io.Closer.
func (unclosed) Close() error { return nil }

// join is how to connect; end ends what was started for it.
func (c *mcpCmd) join(ctx context.Context, urls *urlpolicy.Policy, log *zap.Logger) (join actions.Join, end func(), err error) {
	hubs := relay.NewHubs(relay.Options{Log: log, Product: "cdphub/" + version()})
	pool, err := c.pool(hubs, urls, log)
	if err != nil {
		return nil, nil, err
	}
	if pool == nil {
		endpoint, err := webSocketOf(c.URL)
		if err != nil {
			return nil, nil, err
		}
		header := http.Header{}
		if c.Token != "" {
			header.Set("Authorization", "Bearer "+c.Token)
		}
		return remote.Join(endpoint, header), func() {}, nil
	}
	ready := func(ctx context.Context) (*relay.Hub, func(), error) {
		done, err := pool.use(ctx, relay.DefaultHub)
		if err != nil {
			return nil, nil, err
		}
		return acquireUsed(hubs, relay.DefaultHub, done)
	}
	return func(event actions.EventFunc) (actions.Client, error) {
		k, err := joinHub(ctx, ready, relay.LocalOptions{Event: event})
		if err != nil {
			return nil, err // a nil *keeper would be no nil Client
		}
		return k, nil
	}, pool.close, nil
}

// webSocketOf makes of the address of a hub that of its WebSocket.
func webSocketOf(address string) (string, error) {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return "", fmt.Errorf("--url %q: say the address of a hub, such as http://127.0.0.1:9222 or http://127.0.0.1:9222/hub/NAME", address)
	}
	switch u.Scheme {
	case "http":
		u.Scheme = "ws"
	case "https":
		u.Scheme = "wss"
	case "ws", "wss":
	default:
		return "", errors.New("--url: its scheme must be http, https, ws or wss")
	}
	if !strings.Contains(u.Path, "/devtools/browser") {
		u.Path = strings.TrimSuffix(u.Path, "/") + "/devtools/browser"
	}
	return u.String(), nil
}
