package main

import (
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/alecthomas/kong"
	"go.yaml.in/yaml/v3"
)

const about = `Relays the Chrome DevTools Protocol between programs that drive browsers and apps in iframes of
ordinary browser tabs, or real browsers.

The value of an option comes from the command line, else from its environment variable (CDPHUB_CLIENT_ADDR
for --client-addr), else from the config file, else it is the default.

Examples:
  cdphub demo --drive                        drive example apps with agent-browser
  cdphub open http://localhost:3000          make this app drivable and open it in a browser
  cdphub serve                               listen on 127.0.0.1:9222 for Clients, 127.0.0.1:9223 for Hosts
  cdphub serve --client-addr :9222 --host-addr :9222 --insecure-bind
                                             listen on one port for both, open to the network
  agent-browser --cdp 9222 snapshot          show what is on the page of a connected Host`

// newParser makes the parser of the command line, the environment and the
// config file, in this order of precedence.
func newParser(c *cli, stdout, stderr io.Writer, exit func(int)) (*kong.Kong, error) {
	return kong.New(c,
		kong.Name("cdphub"),
		kong.Description(about),
		kong.Writers(stdout, stderr),
		kong.Exit(exit),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true}),
		kong.UsageOnError(),
		kong.Configuration(readConfig),
	)
}

// readConfig reads a config file: one mapping from option names to values.
func readConfig(r io.Reader) (kong.Resolver, error) {
	f := configFile{}
	if err := yaml.NewDecoder(r).Decode(&f); err != nil && err != io.EOF { //nolint:errorlint // an empty file
		return nil, fmt.Errorf("config file: %w", err)
	}
	return f, nil
}

// configFile is a kong.Resolver.
type configFile map[string]any

// Validate refuses keys that are no option, which are most often misspelt.
func (f configFile) Validate(app *kong.Application) error {
	known := map[string]bool{}
	for _, node := range append([]*kong.Node{app.Node}, app.Leaves(false)...) {
		for _, flag := range node.Flags {
			known[flag.Name] = true
		}
	}
	for key := range f {
		if !known[key] {
			return fmt.Errorf("config file: %q is no option (see cdphub serve --help)", key)
		}
	}
	return nil
}

// Resolve returns the file's value for a flag, unless the environment has
// one.
func (f configFile) Resolve(_ *kong.Context, _ *kong.Path, flag *kong.Flag) (any, error) {
	for _, env := range flag.Envs {
		if _, set := os.LookupEnv(env); set {
			return nil, nil
		}
	}
	switch v := f[flag.Name].(type) {
	case nil:
		return nil, nil
	case []any:
		words := make([]string, len(v))
		for i, w := range v {
			words[i] = fmt.Sprint(w)
		}
		return strings.Join(words, ","), nil
	default:
		return fmt.Sprint(v), nil
	}
}
