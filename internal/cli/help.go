package cli

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/alecthomas/kong"
)

// The help of a command that runs a hub shows the options of this command first, and of those that all
// such commands have the ones with the tag basic. --help-all shows all of them.

// helpAll is the option --help-all.
type helpAll bool

// BeforeReset prints the help, as kong's own --help does.
func (helpAll) BeforeReset(ctx *kong.Context) error {
	sortFlags(ctx)
	if err := kong.DefaultHelpPrinter(kong.HelpOptions{Compact: true, ValueFormatter: kong.DefaultHelpValueFormatter}, ctx); err != nil {
		return err
	}
	ctx.Exit(0)
	return nil
}

// printHelp is --help.
func printHelp(o kong.HelpOptions, ctx *kong.Context) error {
	left := 0
	for _, f := range sortFlags(ctx) {
		if !f.Hidden && !f.Tag.Has("basic") {
			f.Hidden = true
			left++
		}
	}
	if err := kong.DefaultHelpPrinter(o, ctx); err != nil || left == 0 {
		return err
	}
	_, err := fmt.Fprintf(ctx.Stdout, "\nThis command has %d more options: %s --help-all\n", left, ctx.Selected().FullPath())
	return err
}

// sortFlags puts the options of a command that runs a hub in order: its own, the general ones, those
// of every hub. It returns the last ones. Of serve, which has nothing else, these are all.
func sortFlags(ctx *kong.Context) (ofHub []*kong.Flag) {
	node, serve := ctx.Selected(), commandNamed(ctx.Model, "serve")
	if node == nil || serve == nil || !slices.ContainsFunc(node.Flags, func(f *kong.Flag) bool { return f.Name == "client-addr" || f.Name == "browser" }) {
		return nil
	}
	isOwn := func(f *kong.Flag) bool {
		return node != serve && !slices.ContainsFunc(serve.Flags, func(other *kong.Flag) bool { return other.Name == f.Name })
	}
	for _, f := range ctx.Model.Flags {
		f.Group = &kong.Group{Key: "general", Title: "General:"}
	}
	for _, f := range node.Flags {
		switch {
		case isOwn(f):
			f.Group = nil
		case f.Group == nil && node != serve:
			f.Group = &kong.Group{Key: "hub", Title: "Hub:"}
			ofHub = append(ofHub, f)
		default:
			ofHub = append(ofHub, f)
		}
	}
	slices.SortStableFunc(node.Flags, func(a, b *kong.Flag) int { // those without a tag of their own last
		order := map[bool]int{true: 1}
		return cmp.Or(cmp.Compare(order[a.Group != nil], order[b.Group != nil]), cmp.Compare(order[!a.Tag.Has("basic")], order[!b.Tag.Has("basic")]))
	})
	return ofHub
}
