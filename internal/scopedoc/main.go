// Scopedoc writes docs/scopes.md from the table of package scope.
package main

import (
	"bytes"
	_ "embed"
	"flag"
	"fmt"
	"os"
	"strings"
	"text/template"

	"github.com/cdphub/cdphub/internal/scope"
)

//go:embed page.tmpl
var page string

func main() {
	path := flag.String("write", "docs/scopes.md", "write the page to this `file`")
	flag.Parse()
	text, err := render()
	if err == nil {
		err = os.WriteFile(*path, text, 0o644) //nolint:gosec // a page for everybody
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func render() ([]byte, error) {
	funcs := template.FuncMap{"join": strings.Join, "name": func(i int) string { return scope.Scope(i).String() }, "rule": rule}
	t, err := template.New("page").Funcs(funcs).Parse(page)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	err = t.Execute(&out, scope.Domains())
	return out.Bytes(), err
}

// rules are what the words of the table mean.
var rules = map[string]string{
	"any":     "any value",
	"web":     "below `privileged`, an address of the web only",
	"flat":    "always sent as `true`",
	"context": "a browser context of the Client, or a shared one",
	"target":  "a target that the Client may see",
	"window":  "a window of a target that the Client may see",
	"session": "a session of the Client",
	"stream":  "a stream that the same session has received",
	"folder":  "below `privileged`, replaced by a folder of the hub",
}

// rule is a rule in words.
func rule(word string) string {
	if text := rules[word]; text != "" {
		return text
	}
	if s, instead, is := strings.Cut(word, "-or-"); is {
		return "below `" + s + "`, sent as `" + instead + "`"
	}
	return "needs `" + word + "`, unless the value is empty"
}
