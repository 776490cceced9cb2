// Package cli is the command line of cdphub. A program that adds to it is a main
// package with one call:
//
//	cli.Main(cli.Extras{})
package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"regexp"
	"slices"
	"syscall"

	"github.com/alecthomas/kong"
	"github.com/dustin/go-humanize/english"

	"github.com/cdphub/cdphub/internal/plain"
	"github.com/cdphub/cdphub/internal/version"
	"github.com/cdphub/cdphub/server"
)

// Extras are what a program adds to the command line.
type Extras struct {
	Program  string     // its name; "cdphub" when empty
	Serve    ServeExtra // more options of `cdphub serve`; nil: none
	Commands any        // more commands: a pointer to a struct, as kong reads it, whose Run may take a context.Context and the io.Writer to print to; nil: none
}

// ServeExtra is a pointer to a struct of options, as kong reads it.
type ServeExtra interface {
	// Apply changes the options of a server that is about to be made. What it starts
	// ends with end, which is called when the server has ended.
	Apply(ctx context.Context, o *server.Options) (end func(), err error)
}

// Main carries out the command line of the process. It does not return when that
// fails.
func Main(x Extras) {
	ctx, stop := context.WithCancel(context.Background())
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		<-signals
		stop() // the first one drains
		<-signals
		os.Exit(1) // the second one does not wait
	}()
	// With a channel to notify, a write to a closed pipe fails: by default the
	// process would end with the reader of its log.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	stderr := plain.NewWriter(os.Stderr)
	if err := x.run(ctx, os.Args[1:], os.Stdout, stderr); err != nil {
		fmt.Fprintln(stderr, x.program()+":", err)
		os.Exit(1)
	}
}

func (x Extras) program() string { return cmp.Or(x.Program, "cdphub") }

// run carries out one command line until it ends or ctx does. What a person
// or a script reads goes to stdout, logs go to stderr. Both get plain text alone, since
// much of it comes from servers, pages and recordings.
func (x Extras) run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	s := streams{plain.NewWriter(stdout), plain.NewWriter(stderr)}
	return errors.Join(x.runOn(ctx, args, s), s.out.Flush(), s.err.Flush())
}

func (x Extras) runOn(ctx context.Context, args []string, s streams) error {
	var c cli
	if x.Serve != nil {
		c.Serve.Plugins = kong.Plugins{x.Serve}
	}
	if x.Commands != nil {
		c.Plugins = kong.Plugins{x.Commands}
	}
	exited := false
	parser, err := newParser(&c, x.program(), s.out, s.err, func(int) { exited = true })
	if err != nil {
		return err
	}
	if len(args) == 0 {
		args = []string{"--help"}
	}
	parsed, err := parser.Parse(args)
	if exited { // --help or --version has been printed
		return nil
	}
	if err != nil {
		err = fmt.Errorf("%w%s (see %s --help)", err, otherCommands(parser.Model, err), commandOf(err, x.program()))
	} else {
		err = checkNeeds(parsed)
	}
	if err != nil && isDoctor(args) {
		return reportUnreadable(s.out, args, err)
	}
	if err != nil {
		return err
	}
	parsed.BindTo(ctx, (*context.Context)(nil))
	parsed.BindTo(s.out, (*io.Writer)(nil)) // for Extras.Commands
	return parsed.Run(s)
}

// commandOf is the command whose options an error is about: "cdphub serve", or the
// program where no command was named.
func commandOf(err error, program string) string {
	if wrong, is := errors.AsType[*kong.ParseError](err); is && wrong.Context != nil {
		if node := wrong.Context.Selected(); node != nil {
			return node.FullPath()
		}
	}
	return program
}

// unknownFlag is how kong says that a command has no such option.
var unknownFlag = regexp.MustCompile(`^unknown flag --([^\s,=]+)`)

// otherCommands says which other commands have the option that an error is about; "" for none.
func otherCommands(model *kong.Application, err error) string {
	wrong := unknownFlag.FindStringSubmatch(err.Error())
	if wrong == nil {
		return ""
	}
	var names []string
	for _, leaf := range model.Leaves(true) {
		if slices.ContainsFunc(leaf.Flags, func(f *kong.Flag) bool { return f.Name == wrong[1] && !f.Hidden }) {
			names = append(names, leaf.FullPath())
		}
	}
	switch len(names) {
	case 0:
		return ""
	case 1:
		return ": only " + names[0] + " has it"
	}
	return ": " + english.WordSeries(names, "and") + " have it"
}

// streams is where a command writes.
type streams struct{ out, err *plain.Writer }

// cli is the command line.
type cli struct {
	Config kong.ConfigFlag `help:"Read options from this YAML or JSON file; keys are the long option names." placeholder:"FILE" env:"CDPHUB_CONFIG"`

	HelpAll     helpAll          `name:"help-all" help:"Show all options of a command."`
	ShowVersion kong.VersionFlag `name:"version" help:"Print the version and exit."`

	Serve   serveCmd   `cmd:"" help:"Run the hub."`
	Demo    demoCmd    `cmd:"" help:"Run the hub with a Host page and three example apps in cross-origin iframes."`
	Open    openCmd    `cmd:"" help:"Start the hub and a proxy that makes any web app drivable, and open the app in a browser."`
	Proxy   proxyCmd   `cmd:"" help:"Start the hub and a proxy that makes any web app drivable, and print the address to open."`
	Connect connectCmd `cmd:"" help:"Make a hub on another machine reachable at a local address, over links that survive network failures."`
	Mcp     mcpCmd     `cmd:"" help:"Run an MCP server on standard input and output."`
	Replay  replayCmd  `cmd:"" help:"Show a recording of --record in a browser, or export it."`
	Inspect inspectCmd `cmd:"" name:"devtools" help:"Print the addresses at which DevTools open on the targets of a running hub."`
	Doctor  doctorCmd  `cmd:"" help:"Check whether this machine has what cdphub serve needs with the same options, and say what is missing."`
	Token   tokenCmd   `cmd:"" help:"Create and check tokens."`
	Health  healthCmd  `cmd:"" help:"Ask a running hub whether it is healthy."`
	Version versionCmd `cmd:"" help:"Print the version."`

	kong.Plugins

	ConfigReference referenceCmd `cmd:"" hidden:"" help:"Print the reference of all options."`
}

type versionCmd struct{}

func (versionCmd) Run(k *kong.Kong, s streams) error {
	_, err := fmt.Fprintln(s.out, versionOf(k.Model.Name))
	return err
}

// versionOf is the version of a program with this command line.
func versionOf(program string) string {
	v := version.Current()
	v.Name = program
	return v.String()
}
