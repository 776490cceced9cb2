// Docgen writes the files that have tables from the source, most of them pages of the documentation: each is a template,
// filled with what a function reads.
//
//	go run ./internal/docgen
package main

import (
	"bytes"
	"embed"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"text/template"

	"github.com/cdphub/cdphub/internal/scope"
)

//go:generate go run -C ../.. ./internal/docgen

//go:embed *.tmpl
var templates embed.FS

// page is one file, its template, and the function that reads what the template shows.
type page struct {
	file, template string
	read           func() (any, error)
}

// pages are all files.
var pages = []page{
	{"docs/actions.md", "actions.tmpl", readActions},
	{"docs/answers.md", "answers.tmpl", readAnswers},
	{"docs/scopes.md", "scopes.tmpl", func() (any, error) { return scope.Domains(), nil }},
	{"docs/trust.md", "trust.tmpl", func() (any, error) { return sections, nil }},
	{"web/src/methods.ts", "methods.tmpl", readAgent},
}

// funcs are what the templates call.
var funcs = template.FuncMap{
	"join":       strings.Join,
	"codes":      func(names string) string { return "`" + strings.ReplaceAll(names, ", ", "`, `") + "`" },
	"capability": capabilityOf,
	"withRemark": withRemark,
	"bounds":     scope.Bounds,
	"scopeName":  func(i int) string { return scope.Scope(i).String() },
	"ruleText":   ruleText,
	"limitText":  limitText,
	"paramName":  paramName,
	"lists":      writeLists,
	"group":      groupMethods,
	"union":      writeUnion,
}

func main() {
	for _, p := range pages {
		text, err := p.render()
		if err == nil {
			err = os.WriteFile(filepath.FromSlash(p.file), text, 0o644) //nolint:gosec // a file for every user
		}
		if err != nil {
			fmt.Fprintf(os.Stderr, "docgen: %s: %v\n", p.file, err)
			os.Exit(1)
		}
	}
}

// render returns the text of the page.
func (p page) render() ([]byte, error) {
	contents, err := p.read()
	if err != nil {
		return nil, err
	}
	t, err := template.New("").Funcs(funcs).ParseFS(templates, p.template)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	err = t.ExecuteTemplate(&out, p.template, contents)
	return out.Bytes(), err
}
