// Command cdphub relays the Chrome DevTools Protocol between programs that
// drive browsers and apps in iframes of ordinary browser tabs.
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/alecthomas/kong"

	"github.com/cdphub/cdphub/internal/version"
)

func main() {
	ctx, stop := context.WithCancel(context.Background())
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		<-signals
		stop() // the first one drains
		<-signals
		os.Exit(1) // the second one does not wait
	}()
	// With somebody to notify, a write to a closed pipe fails: by default the
	// process would end with whoever reads its log.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	if err := run(ctx, os.Args[1:], os.Stdout, os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, "cdphub:", err)
		os.Exit(1)
	}
}

// run carries out one command line until it ends or ctx does. What a person
// or a script reads goes to stdout, logs go to stderr.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	var c cli
	exited := false
	parser, err := newParser(&c, stdout, stderr, func(int) { exited = true })
	if err != nil {
		return err
	}
	parsed, err := parser.Parse(args)
	if exited { // --help or --version has been printed
		return nil
	}
	if err != nil {
		err = fmt.Errorf("%w (see cdphub --help)", err)
	} else {
		err = checkNeeds(parsed)
	}
	if err != nil && isDoctor(args) {
		return unreadable(stdout, args, err)
	}
	if err != nil {
		return err
	}
	parsed.BindTo(ctx, (*context.Context)(nil))
	return parsed.Run(streams{stdout, stderr})
}

// streams is where a command writes.
type streams struct{ out, err io.Writer }

// cli is the command line.
type cli struct {
	Config kong.ConfigFlag `help:"Read options from this YAML or JSON file; keys are the long option names." placeholder:"FILE" env:"CDPHUB_CONFIG"`

	ShowVersion kong.VersionFlag `name:"version" help:"Print the version and exit."`

	Serve   serveCmd   `cmd:"" help:"Run the hub."`
	Demo    demoCmd    `cmd:"" help:"Run the hub with a Host page and three example apps in cross-origin iframes."`
	Open    openCmd    `cmd:"" help:"Start the hub and a proxy that makes any web app drivable, and open the app in a browser."`
	Proxy   proxyCmd   `cmd:"" help:"Start the hub and a proxy that makes any web app drivable, and print the address to open."`
	Mcp     mcpCmd     `cmd:"" help:"Run an MCP server on standard input and output."`
	Doctor  doctorCmd  `cmd:"" help:"Check whether this machine has what cdphub serve needs with the same options, and say what is missing."`
	Token   tokenCmd   `cmd:"" help:"Create and check tokens."`
	Health  healthCmd  `cmd:"" help:"Ask a running hub whether it is healthy."`
	Version versionCmd `cmd:"" help:"Print the version."`

	ConfigReference referenceCmd `cmd:"" hidden:"" help:"Print the reference of all options."`
}

type versionCmd struct{}

func (versionCmd) Run(s streams) error {
	_, err := fmt.Fprintln(s.out, version.Current())
	return err
}
