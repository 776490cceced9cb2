// Answersdoc writes docs/answers.md from answers.txt, the table of the methods
// that a frame and its hub answer with success.
package main

import (
	"bytes"
	_ "embed"
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"text/template"
)

//go:generate go run . -write ../../docs/answers.md

//go:embed page.tmpl
var page string

func main() {
	path := flag.String("write", "docs/answers.md", "write the page to this `file`")
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

// domain is the methods of one domain that are done.
type domain struct {
	Name    string
	Methods []string
}

func render() ([]byte, error) {
	rows, err := parse(file)
	if err != nil {
		return nil, err
	}
	var data struct {
		Nothing []row
		Done    []domain
	}
	done := map[string][]string{}
	for _, r := range rows {
		if r.Why != "" {
			data.Nothing = append(data.Nothing, r)
			continue
		}
		for _, m := range r.Methods {
			_, m = levelOf(m)
			name, verb, _ := strings.Cut(m, ".")
			if !slices.Contains(done[name], verb) {
				done[name] = append(done[name], verb)
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(done)) {
		slices.Sort(done[name])
		data.Done = append(data.Done, domain{name, done[name]})
	}
	t, err := template.New("page").Funcs(template.FuncMap{"join": strings.Join, "names": names}).Parse(page)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	err = t.Execute(&out, data)
	return out.Bytes(), err
}

// names are methods as the page has them.
func names(methods []string) string {
	list := make([]string, len(methods))
	for i, m := range methods {
		l, name := levelOf(m)
		list[i] = strings.TrimSpace("`" + name + "` " + l.words)
	}
	return strings.Join(list, ", ")
}
