package cli

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"go.uber.org/zap"

	"github.com/cdphub/cdphub/actions"
	"github.com/cdphub/cdphub/actions/mcp"
	"github.com/cdphub/cdphub/actions/remote"
	"github.com/cdphub/cdphub/internal/browsers"
	"github.com/cdphub/cdphub/internal/downloads"
	"github.com/cdphub/cdphub/internal/urlpolicy"
	"github.com/cdphub/cdphub/internal/version"
	"github.com/cdphub/cdphub/relay"
)

// mcpCmd is `cdphub mcp`: the tools on standard input and output, for a hub
// that runs already, or with a browser of its own.
type mcpCmd struct {
	browserFlags
	urlFlags
	rateFlags
	URL       string        `help:"Address of the hub, or of a Chromium with --remote-debugging-port: by http, or that of its WebSocket." default:"http://127.0.0.1:9222" env:"CDPHUB_URL" useless-with:"browser,browser-path,browser-url,chrome"`
	Token     string        `help:"Token for the hub." placeholder:"TOKEN" env:"CDPHUB_TOKEN" useless-with:"browser,browser-path,browser-url,chrome"`
	Files     string        `help:"Folder from which files may be uploaded by path." env:"CDPHUB_FILES" type:"existingdir" default:"."`
	OutputDir string        `help:"Folder for the files that tools write when they get a filename, such as screenshots." env:"CDPHUB_OUTPUT_DIR" default:".cdphub-mcp"`
	Snapshot  positiveInt   `name:"snapshot-limit" help:"Characters of the page's snapshot in an answer. browser_snapshot has an argument limit to show more, and writes all of it to a file. browser_find searches all of it." default:"20000" env:"CDPHUB_SNAPSHOT_LIMIT"`
	Mode      string        `name:"snapshot-mode" help:"What the answer to an action shows of the page: delta (what has changed since the client was shown it), full, none, or all within a number of tokens, such as 1000." default:"delta" env:"CDPHUB_SNAPSHOT_MODE"`
	Images    string        `name:"image-responses" help:"Whether answers have pictures: allow, or omit for models that read none." enum:"allow,omit" default:"allow" env:"CDPHUB_IMAGE_RESPONSES"`
	Action    time.Duration `name:"action-timeout" help:"How long a tool waits for its element to be there, visible, enabled and not covered. Raise it for pages that take longer." default:"5s" env:"CDPHUB_ACTION_TIMEOUT"`
	Caps      []string      `help:"Groups of tools in addition to the usual ones: config, devtools, network, pdf, storage, testing, tracing, video, vision." placeholder:"GROUP" env:"CDPHUB_CAPS"`

	logFlags
}

// Run serves one client until its end of input.
func (c *mcpCmd) Run(ctx context.Context, s streams) error {
	groups, err := mcp.Groups(c.Caps)
	if err != nil {
		return fmt.Errorf("--caps: %w", err)
	}
	mode, err := actions.ParseSnapshotMode(c.Mode)
	if err != nil {
		return fmt.Errorf("--snapshot-mode %s: use none, delta, full or a number of tokens", c.Mode)
	}
	if c.Action < 0 {
		return fmt.Errorf("--action-timeout %s: it must be 0 or more", c.Action)
	}
	log, err := c.open(s.err)
	if err != nil {
		return err
	}
	files, err := os.OpenRoot(c.Files)
	if err != nil {
		return err
	}
	defer files.Close()
	urls, err := urlpolicy.New(urlpolicy.Options{Allow: c.AllowURL, Block: c.BlockURL, Public: c.PublicURLs})
	if err != nil {
		return fmt.Errorf("--allow-url or --block-url %w", err)
	}
	join, kept, end, err := c.join(ctx, urls, log.Logger)
	if err != nil {
		return err
	}
	defer end()
	caller := actions.Caller{Join: join, Downloads: kept, Options: actions.Options{
		Log: log.Logger, URLs: urls, Names: new(urlpolicy.Resolver),
		Limits: actions.Limits{Requests: int(c.ActionRate), Screenshots: int(c.ScreenshotRate)},
	}, Version: version.Current().Version}
	return mcp.Serve(ctx, caller, os.Stdin, s.out, mcp.Options{Files: mcp.Files{Read: files, Write: c.OutputDir}, Groups: groups, Snapshot: int(c.Snapshot), Mode: mode, NoImages: c.Images == "omit", Action: c.Action})
}

// join returns the function that connects to the hub, or starts a browser, and what it downloads. end
// ends what was started.
func (c *mcpCmd) join(ctx context.Context, urls *urlpolicy.Policy, log *zap.Logger) (join actions.Join, kept actions.Downloads, end func(), err error) {
	o, err := c.browserFlags.options()
	if err != nil {
		return nil, nil, nil, err
	}
	if o == nil {
		endpoint, err := webSocketOf(c.URL)
		if err != nil {
			return nil, nil, nil, err
		}
		header := http.Header{}
		if c.Token != "" {
			header.Set("Authorization", "Bearer "+c.Token)
		}
		kept, err := remote.Downloads(endpoint, header)
		return remote.Join(endpoint, header), kept, func() {}, err
	}
	store := downloads.NewStore(downloads.StoreOptions{Log: log})
	o.Chrome.Network, o.Chrome.MaxDownload = urls, store.Size()
	hubs := relay.NewHubs(relay.Options{Log: log, Product: version.Current().Product("/"), Keep: store.Keep})
	pool, err := browsers.New(hubs, browsers.Options{Chrome: o.Chrome, Hubs: o.Hubs, Max: o.Max, Idle: o.Idle, Queue: o.Queue, Log: log})
	if err != nil {
		return nil, nil, nil, err
	}
	end = func() {
		pool.Close()
		store.Close()
	}
	acquire := func(ctx context.Context) (*relay.Hub, func(), error) { return pool.Acquire(ctx, relay.DefaultHub) }
	return func(event actions.EventFunc) (actions.Client, error) {
		client, err := browsers.Join(ctx, acquire, relay.LocalOptions{Event: event})
		if err != nil {
			return nil, err // a nil *browsers.Client would be no nil actions.Client
		}
		return client, nil
	}, store.Box(downloads.Owner{Hub: relay.DefaultHub}, ""), end, nil
}

// webSocketOf is the address of a hub's WebSocket, by the address of the hub.
func webSocketOf(address string) (string, error) {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return "", fmt.Errorf("--url %q is not the address of a hub: use an address such as http://127.0.0.1:9222 or http://127.0.0.1:9222/hub/NAME", address)
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
