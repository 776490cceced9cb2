package cli

import (
	"context"
	"fmt"

	"github.com/cdphub/cdphub/internal/plain"
	"github.com/cdphub/cdphub/server"
)

// proxyCmd is `cdphub proxy URL`.
type proxyCmd struct {
	hubFlags
	logFlags
	proxyFlags
}

// proxyFlags are the options of an app behind the proxy.
type proxyFlags struct {
	URL          string   `arg:"" help:"Address of the app, such as http://localhost:3000/. A number is a port of this machine."`
	AppAddr      string   `help:"Address to serve the app at, with the agent in it. The app's cookies and storage belong to this address." default:"127.0.0.1:9224" env:"CDPHUB_APP_ADDR"`
	AlsoProxy    []string `help:"Origin of another site that the app sends its users to, such as an identity provider: https://login.example.com. It is served with the agent in it, too, at the first free port after that of --app-addr, so that a log-in there comes back to the app. Can be set several times." placeholder:"ORIGIN" env:"CDPHUB_ALSO_PROXY"`
	CSP          string   `help:"What to do with the Content Security Policies of the app: relax lets the agent evaluate scripts; keep changes frame-ancestors only." name:"csp" enum:"relax,keep" default:"relax" env:"CDPHUB_CSP"`
	NoSW         bool     `help:"Let no service worker of the app run: pages cannot register one, and those of earlier visits end." name:"no-sw" env:"CDPHUB_NO_SW"`
	InsecureCert bool     `help:"Accept any certificate of the app's server." env:"CDPHUB_INSECURE_CERT"`
}

// Run serves the app until ctx ends.
func (c *proxyCmd) Run(ctx context.Context, s streams) error {
	log, err := c.open(s.err)
	if err != nil {
		return err
	}
	srv, err := c.serve(c.options(log))
	if err != nil {
		return err
	}
	page, upstream := srv.AppPage()
	return runWhile(ctx, srv, func(ctx context.Context) error {
		fmt.Fprintf(s.out, "Open this in a browser, and leave it open:\n\n  %s\n\n%s", page, howTo(c.guide(srv, s)))
		if err := awaitApp(ctx, upstream, s.out); err != nil {
			return unlessEnded(ctx, err)
		}
		<-ctx.Done()
		return nil
	})
}

// serve makes a server with the proxy in front of the app.
func (f proxyFlags) serve(o server.Options) (*server.Server, error) {
	o.App = &server.App{URL: f.URL, Also: f.AlsoProxy, Addr: f.AppAddr, KeepCSP: f.CSP == "keep", NoServiceWorkers: f.NoSW, AnyCertificate: f.InsecureCert}
	return newServer(o)
}

// howTo says how to drive the app.
func howTo(g *guide) string {
	_, upstream := g.srv.AppPage()
	endpoint, _ := g.endpoint()
	return fmt.Sprintf("Clients find %s at http://%s, for example:\n\n%s\n%sCtrl+C ends it.\n", upstream, endpoint, g.examples("snapshot -i"), g.watch())
}

// guide says where a server without TLS is.
func (f hubFlags) guide(srv *server.Server, s streams) *guide {
	return &guide{srv: srv, urlTokens: f.URLToken, terminal: plain.IsTerminal(s.out)}
}
