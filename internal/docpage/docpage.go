// Package docpage writes a page of the documentation from a table of the source:
//
//	docpage.Main("docs/scopes.md", page, funcs, data)
package docpage

import (
	"bytes"
	"flag"
	"fmt"
	"maps"
	"os"
	"strings"
	"text/template"
)

// Main is the whole of a command that writes a page: the template, filled with
// data, into path or into the file that -write names. Beside its own functions
// the template has join, which is strings.Join.
func Main(path, page string, funcs template.FuncMap, data any) {
	flag.StringVar(&path, "write", path, "write the page to this `file`")
	flag.Parse()
	if err := write(path, page, funcs, data); err != nil {
		fmt.Fprintf(os.Stderr, "%s: %v\n", flag.CommandLine.Name(), err)
		os.Exit(1)
	}
}

func write(path, page string, funcs template.FuncMap, data any) error {
	all := template.FuncMap{"join": strings.Join}
	maps.Copy(all, funcs)
	t, err := template.New("page").Funcs(all).Parse(page)
	if err != nil {
		return err
	}
	var out bytes.Buffer
	if err := t.Execute(&out, data); err != nil {
		return err
	}
	return os.WriteFile(path, out.Bytes(), 0o644) //nolint:gosec // a page for everybody
}
