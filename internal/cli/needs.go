package cli

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

// checkNeeds refuses an option that is given and would do nothing, wherever its value
// comes from. An option that has no effect without another one says so in its tag, and
// one that has no effect beside another one too:
//
//	needs:"browser,browser-url"     at least one of these is given
//	needs:"role=client"             --role has this value
//	useless-with:"browser-url"      none of these is given
//
// Words of a tag that are not options of this command are ignored.
func checkNeeds(c *kong.Context) error {
	flags := map[string]*kong.Flag{}
	for _, f := range c.Flags() {
		flags[f.Name] = f
	}
	for _, f := range c.Flags() {
		if !isGiven(f) {
			continue
		}
		if needed := presentOptions(flags, f.Tag.Get("needs")); len(needed) > 0 && !isSatisfied(flags, needed) {
			return fmt.Errorf("--%s has no effect without %s: add %s, or leave --%s out",
				f.Name, orList(needed), orList(needed[:1]), f.Name)
		}
		for _, name := range presentOptions(flags, f.Tag.Get("useless-with")) {
			if isOn(flags[name]) {
				return fmt.Errorf("--%s has no effect with --%s: leave one of them out", f.Name, name)
			}
		}
	}
	return nil
}

// presentOptions are the words of a tag that name an option of the command.
func presentOptions(flags map[string]*kong.Flag, tag string) (words []string) {
	for word := range strings.SplitSeq(tag, ",") {
		name, _, _ := strings.Cut(word, "=")
		if flags[name] != nil {
			words = append(words, word)
		}
	}
	return words
}

// isSatisfied reports whether one of the needed options is on, or has the value that is
// needed.
func isSatisfied(flags map[string]*kong.Flag, needed []string) bool {
	for _, word := range needed {
		name, value, is := strings.Cut(word, "=")
		if is && hasValue(flags[name], value) || !is && isOn(flags[name]) {
			return true
		}
	}
	return false
}

// hasValue reports whether an option has a value, perhaps beside others.
func hasValue(f *kong.Flag, value string) bool {
	if list, is := f.Target.Interface().([]string); is {
		return slices.Contains(list, value)
	}
	return fmt.Sprint(f.Target.Interface()) == value
}

// isOn reports whether an option does something: a switch that is on, also by
// default, or another option with a value.
func isOn(f *kong.Flag) bool { return !f.Target.IsZero() }

// isGiven reports whether an option has another value than its default: from the
// command line, the environment or the config file.
func isGiven(f *kong.Flag) bool {
	byDefault := reflect.New(f.Target.Type()).Elem()
	if f.HasDefault {
		value := kong.ScanFromTokens(kong.Token{Type: kong.FlagValueToken, Value: f.Default})
		if err := f.Parse(value, byDefault); err != nil {
			return true
		}
	}
	return !reflect.DeepEqual(byDefault.Interface(), f.Target.Interface())
}

// orList joins options for a message: "--a, --b or --c".
func orList(words []string) string {
	options := make([]string, len(words))
	for i, w := range words {
		options[i] = "--" + w
	}
	if n := len(options); n > 1 {
		return strings.Join(options[:n-1], ", ") + " or " + options[n-1]
	}
	return options[0]
}
