// Docgen writes the pages of the documentation that have tables from the source: docs/NAME.md is NAME.tmpl, filled with
// what a function reads.
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

// page is one page, and the function that reads what its template shows.
type page struct {
	name string
	read func() (any, error)
}

// pages are all pages.
var pages = []page{
	{"actions", readActions},
	{"answers", readAnswers},
	{"scopes", func() (any, error) { return scope.Domains(), nil }},
	{"trust", func() (any, error) { return sections, nil }},
}

// funcs are what the templates call.
var funcs = template.FuncMap{
	"join":          strings.Join,
	"capability":    capabilityOf,
	"withRemark":    withRemark,
	"answeredNames": answeredNames,
	"bounds":        scope.Bounds,
	"scopeName":     func(i int) string { return scope.Scope(i).String() },
	"ruleText":      ruleText,
	"limitText":     limitText,
	"paramName":     paramName,
}

func main() {
	for _, p := range pages {
		text, err := p.render()
		if err == nil {
			err = os.WriteFile(filepath.Join("docs", p.name+".md"), text, 0o644) //nolint:gosec // a page for every user
		}
		if err != nil {
			fmt.Fprintf(os.Stderr, "docgen: %s: %v\n", p.name, err)
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
	t, err := template.New("").Funcs(funcs).ParseFS(templates, p.name+".tmpl")
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	err = t.ExecuteTemplate(&out, p.name+".tmpl", contents)
	return out.Bytes(), err
}
