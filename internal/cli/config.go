package cli

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"reflect"
	"slices"
	"strings"
	"time"

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

// newParser makes the parser of the command line. A value comes from the command
// line, else from the environment, else from the config file.
func newParser(c *cli, program string, stdout, stderr io.Writer, exit func(int)) (*kong.Kong, error) {
	return kong.New(c,
		kong.Name(program),
		kong.Description(about),
		kong.Vars{"version": versionOf(program)},
		kong.Writers(stdout, stderr),
		kong.Exit(exit),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true}),
		kong.Help(printHelp),
		kong.UsageOnError(),
		kong.Configuration(readConfig),
		kong.TypeMapper(reflect.TypeFor[time.Duration](), kong.MapperFunc(readDuration)),
	)
}

// readDuration reads a time of 0 or more. Most that cannot be read lack their unit.
func readDuration(ctx *kong.DecodeContext, target reflect.Value) error {
	var text string
	if err := ctx.Scan.PopValueInto("time", &text); err != nil {
		return err
	}
	d, err := time.ParseDuration(text)
	if err != nil || d < 0 {
		return fmt.Errorf("%q is not a duration of 0 or more: set a number and a unit, such as 30s, 5m or 24h", text)
	}
	target.SetInt(int64(d))
	return nil
}

// readConfig reads a config file: one mapping from option names to values.
func readConfig(r io.Reader) (kong.Resolver, error) {
	f := configFile{path: "the config file"}
	if named, is := r.(interface{ Name() string }); is {
		f.path = named.Name()
	}
	var document yaml.Node
	err := yaml.NewDecoder(r).Decode(&document)
	if err == io.EOF { //nolint:errorlint // an empty file
		return f, nil
	}
	if err == nil && document.Content[0].Kind != yaml.MappingNode && document.Content[0].Tag != "!!null" {
		err = errors.New("it has no options: write a line such as client-addr: 127.0.0.1:9222 for each")
	}
	if err == nil {
		err = document.Decode(&f.values)
	}
	if err != nil {
		return nil, fmt.Errorf("config file %s: %w", f.path, err)
	}
	return f, nil
}

// configFile is a kong.Resolver.
type configFile struct {
	path   string
	values map[string]any // by option
}

// Validate implements kong.Resolver. It refuses keys that are no option: most of them
// are misspelt, and would have no effect.
func (f configFile) Validate(app *kong.Application) error {
	known := map[string]*kong.Flag{}
	for _, node := range append([]*kong.Node{app.Node}, app.Leaves(false)...) {
		for _, flag := range node.Flags {
			known[flag.Name] = flag
		}
	}
	for _, key := range slices.Sorted(maps.Keys(f.values)) {
		flag := known[key]
		if flag == nil {
			return fmt.Errorf("config file %s: %q is not an option", f.path, key)
		}
		if _, err := f.value(flag); err != nil {
			return fmt.Errorf("--%s: %w", key, err)
		}
	}
	return nil
}

// Resolve implements kong.Resolver. It returns the file's value for a flag, unless
// the environment has one, which comes first.
func (f configFile) Resolve(_ *kong.Context, _ *kong.Path, flag *kong.Flag) (any, error) {
	for _, env := range flag.Envs {
		if _, set := os.LookupEnv(env); set {
			return nil, nil
		}
	}
	if _, there := f.values[flag.Name]; !there {
		return nil, nil
	}
	return f.value(flag)
}

// value is the value of an option in the form of the command line. It is parsed here
// only so that an error names the file; kong puts the option before it.
func (f configFile) value(flag *kong.Flag) (string, error) {
	text, err := f.text(flag.Name)
	if err == nil {
		value := kong.ScanFromTokens(kong.Token{Type: kong.FlagValueToken, Value: text})
		err = flag.Parse(value, reflect.New(flag.Target.Type()).Elem())
	}
	if err != nil {
		return "", fmt.Errorf("config file %s: %s", f.path, strings.TrimPrefix(err.Error(), "--"+flag.Name+": "))
	}
	return text, nil
}

// text is the text of a value: a list has commas between its elements, as on the
// command line.
func (f configFile) text(key string) (string, error) {
	switch v := f.values[key].(type) {
	case nil:
		return "", errors.New("it has no value: set one, or remove the line")
	case map[string]any:
		return "", errors.New("its value is a mapping: set a text, a number or a list")
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
