package cli

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

//go:generate sh -c "go run ../../cmd/cdphub config-reference > ../../docs/config.md"

// referenceCmd is `cdphub config-reference`: docs/config.md.
type referenceCmd struct{}

// Run prints the reference.
func (referenceCmd) Run(s streams) error {
	p, err := newParser(new(cli), "cdphub", io.Discard, io.Discard, func(int) {})
	if err != nil {
		return err
	}
	_, err = io.WriteString(s.out, optionReference(p.Model))
	return err
}

const referenceHead = `# Configuration

<!-- Made from the options of the program by go generate ./internal/cli. -->

The value of an option comes from the command line, else from its environment variable, else from the config file
(` + "`--config`" + `, YAML or JSON), else it is the default:

* The variable of ` + "`--client-addr`" + ` is ` + "`CDPHUB_CLIENT_ADDR`" + `. The table names the few options that have none.
* The key in the config file is the name of the option.
* The elements of a list are separated by commas. In the config file a list may be a YAML sequence.

<!-- test: config -->
` + "```yaml" + `
client-addr: 127.0.0.1:9222
browser: true
max-browsers: 4
block-url:
  - 10.0.0.0/8
  - "*.example.com"
` + "```" + `
`

// optionReference lists the options in Markdown: those that all commands which run
// a hub have, then those of each command.
func optionReference(app *kong.Application) string {
	commands := hubCommands(app)
	has := map[string]int{} // how many of those have an option
	for _, node := range commands {
		for _, flag := range node.Flags {
			has[flag.Name]++
		}
	}
	var b strings.Builder
	b.WriteString(referenceHead)
	table := func(title string, flags []*kong.Flag, wanted func(*kong.Flag) bool) {
		fmt.Fprintf(&b, "\n## %s\n\n| option | default | meaning |\n| --- | --- | --- |\n", title)
		for _, flag := range flags {
			if !flag.Hidden && flag.Name != "help" && wanted(flag) {
				b.WriteString(optionRow(flag))
			}
		}
	}
	common := func(f *kong.Flag) bool { return has[f.Name] == len(commands) }
	table("Every command that runs a hub", append(app.Flags, commands[0].Flags...), func(f *kong.Flag) bool {
		return f.Name == "config" || common(f)
	})
	for _, node := range commands {
		table("`cdphub "+node.Name+"`", node.Flags, func(f *kong.Flag) bool { return !common(f) })
	}
	b.WriteString("\n`cdphub doctor` has the options of `cdphub serve`.\n")
	if node := commandNamed(app, "connect"); node != nil {
		table("`cdphub connect`", node.Flags, func(f *kong.Flag) bool {
			return f.Name != "config" && f.Name != "version" && !strings.HasPrefix(f.Name, "log-")
		})
		b.WriteString("\nThis command also has the options for the log.\n")
	}
	if node := commandNamed(app, "mcp"); node != nil {
		table("`cdphub mcp`", node.Flags, func(f *kong.Flag) bool { return has[f.Name] == 0 })
		b.WriteString("\nThis command also has the options for browsers, for the addresses that actions may open, and for the log. They are in the tables above.\n")
	}
	return b.String()
}

// hubCommands are the commands that run a hub; the options of others are not
// for configuration.
func hubCommands(app *kong.Application) []*kong.Node {
	return slices.DeleteFunc(app.Leaves(true), func(node *kong.Node) bool {
		return node.Name == "doctor" || !slices.ContainsFunc(node.Flags, func(f *kong.Flag) bool { return f.Name == "host-addr" })
	})
}

// commandNamed is the command with that name; nil for none.
func commandNamed(app *kong.Application, name string) *kong.Node {
	for _, node := range app.Leaves(true) {
		if node.Name == name {
			return node
		}
	}
	return nil
}

// optionRow is the line of one option in the table.
func optionRow(f *kong.Flag) string {
	option := "--" + f.Name
	if f.PlaceHolder != "" {
		option += "=" + f.PlaceHolder
	}
	help := strings.ReplaceAll(f.Help, "|", `\|`)
	if len(f.Envs) == 0 {
		help += " No variable."
	}
	return fmt.Sprintf("| %s | %s | %s |\n", codeText(option), codeText(f.Default), help)
}

func codeText(text string) string {
	if text == "" {
		return ""
	}
	return "`" + text + "`"
}
