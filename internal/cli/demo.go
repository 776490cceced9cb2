package cli

import (
	"context"
	"fmt"
	"html/template"
	"io"
	"net"
	"net/http"
	"path"

	"go.uber.org/zap"

	"github.com/cdphub/cdphub/internal/auth"
	"github.com/cdphub/cdphub/internal/httpserver"
	"github.com/cdphub/cdphub/server"
	"github.com/cdphub/cdphub/web"
)

// demoCmd is `cdphub demo`.
type demoCmd struct {
	hubFlags
	logFlags
	Drive        bool   `help:"Drive the apps with agent-browser, print each step, then stop."`
	Headless     bool   `help:"Use a headless browser even where there is a display." env:"CDPHUB_HEADLESS"`
	BrowserPath  string `help:"Executable of the Chromium to use. Without it, one is searched for." placeholder:"FILE" env:"CDPHUB_BROWSER_PATH" basic:""`
	AgentBrowser string `help:"Path of the agent-browser that drives the apps." default:"agent-browser" env:"CDPHUB_AGENT_BROWSER"`
}

// demoApps are the apps of the demo, in the order of the page.
var demoApps = []string{"form", "todo", "list"}

func (c *demoCmd) Run(ctx context.Context, s streams) error {
	log, err := c.open(s.err)
	if err != nil {
		return err
	}
	if c.Drive && c.LogLevel == "info" {
		log = quietLog(log) // the steps are the story
	}
	if err := c.desktop(log.Logger).check(); err != nil {
		return err
	}
	o := c.options(log)
	o.Actions.BAPAllPages = true // as behind the proxy: the apps are what is to be driven
	srv, err := newServer(o)
	if err != nil {
		return err
	}
	return runWhile(ctx, srv, func(ctx context.Context) error { return c.show(ctx, srv, log.Logger, s) })
}

// show opens the page, waits until its apps are paired, and drives them or
// waits for the end.
func (c *demoCmd) show(ctx context.Context, srv *server.Server, log *zap.Logger, s streams) error {
	page, closePages, err := servePages(srv, auth.Rules{AllowedHosts: c.AllowedHost}, log)
	if err != nil {
		return err
	}
	defer closePages()
	b := c.desktop(log)
	closeAll, err := b.show(ctx, srv, page, len(demoApps), s.out)
	if err != nil {
		if c.Drive {
			return err
		}
		return unlessEnded(ctx, err) // the user has seen enough
	}
	defer closeAll()
	g := c.guide(srv, s)
	g.agentBrowser = c.AgentBrowser
	addr, port := g.endpoint()
	if c.Drive {
		endpoint := port
		if token := srv.ClientToken(); token != "" {
			endpoint = "ws://" + srv.ClientAddr() + "/devtools/browser?token=" + token
		}
		return driveDemo(ctx, c.AgentBrowser, endpoint, s.out)
	}
	connect := `"http://` + addr + `"`
	if srv.NeedsTokens() {
		bearer := `"Bearer ` + g.clientToken() + `"`
		if !g.terminal { // within the quotes of the shell
			bearer = `"Bearer " + process.env.CDPHUB_CLIENT_TOKEN`
		}
		connect += `, { headers: { Authorization: ` + bearer + ` } }`
	}
	if err := g.openDashboard(ctx, b); err != nil {
		return err
	}
	fmt.Fprintf(s.out, "The demo is at %s\n%sDrive it with any of these:\n\n%s"+
		"  node -e 'require(\"playwright-core\").chromium.connectOverCDP(%s).then(async b => { for (const p of b.contexts()[0].pages()) console.log(await p.title()); await b.close() })'\n"+
		"\nCtrl+C ends it.\n", b.printed(page), g.watch(), g.examples("snapshot -i"), connect)
	<-ctx.Done()
	return nil
}

// openDashboard shows the dashboard to a user with a display.
func (g *guide) openDashboard(ctx context.Context, b desktop) error {
	page := g.dashboard()
	if page == "" || b.opener() == "" {
		return nil
	}
	_, err := b.open(ctx, page)
	return err
}

// desktop is what opens the page.
func (c *demoCmd) desktop(log *zap.Logger) desktop {
	return desktop{path: c.BrowserPath, headless: c.Headless || c.Drive, log: log}
}

// servePages serves the Host page and each app on an origin of its own, so that the
// apps are cross-origin iframes. It returns the page's URL.
func servePages(srv *server.Server, rules auth.Rules, log *zap.Logger) (page string, closeAll func(), err error) {
	var servers []*http.Server
	closeAll = func() {
		for _, hs := range servers {
			hs.Close()
		}
	}
	defer func() {
		if err != nil {
			closeAll()
		}
	}()
	serve := func(index string, data any) (string, error) {
		ln, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return "", err
		}
		ln = httpserver.Listen(ln, httpserver.ListenerOptions{Connections: httpserver.Connections(0), Log: log})
		hs := httpserver.NewApp(rules.Guard(demoPages(index, data)), httpserver.AppRate, log.Named("demo"))
		servers = append(servers, hs)
		go hs.Serve(ln) //nolint:errcheck // ends with Close
		return "http://" + ln.Addr().String(), nil
	}
	hub := "http://" + srv.HostAddr()
	data := &web.DemoPage{Client: srv.ClientAddr(), Hub: hub, Bridge: "ws://" + srv.HostAddr() + "/icdp/host"}
	if page, err = serve("index", data); err != nil {
		return "", nil, err
	}
	for _, name := range demoApps {
		app := &web.DemoApp{Name: name, Agent: hub + "/agent.js", Parent: page}
		if app.URL, err = serve(name, app); err != nil {
			return "", nil, err
		}
		data.Apps = append(data.Apps, *app)
	}
	if token := srv.HostToken(); token != "" {
		page += "#token=" + token
	}
	return page, closeAll, nil
}

// demoPages serves one page of the demo at / and the files beside it.
func demoPages(index string, data any) http.Handler {
	pages := template.Must(template.ParseFS(web.Demo, "demo/*.html"))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/":
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			w.Header().Del("Content-Security-Policy") // an app is there to be framed
			if err := pages.ExecuteTemplate(w, index+".html", data); err != nil {
				http.Error(w, err.Error(), http.StatusInternalServerError)
			}
		case "/style.css":
			w.Header().Set("Content-Type", "text/css; charset=utf-8")
			io.WriteString(w, web.Style) //nolint:errcheck // a browser that is gone
		case "/favicon.ico":
			w.Header().Set("Content-Type", "image/svg+xml")
			io.WriteString(w, web.Favicon) //nolint:errcheck // a browser that is gone
		case "/app.css":
			http.ServeFileFS(w, r, web.Demo, path.Join("demo", r.URL.Path))
		default:
			http.NotFound(w, r)
		}
	})
}
