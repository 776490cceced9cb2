// Answersdoc writes docs/answers.md from answers.txt, the table of the methods
// that a frame and its hub answer with success.
package main

import (
	_ "embed"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"text/template"

	"github.com/cdphub/cdphub/internal/docpage"
)

//go:generate go run . -write ../../docs/answers.md

//go:embed page.tmpl
var page string

func main() {
	rows, err := parse(file)
	if err != nil {
		fmt.Fprintln(os.Stderr, "answers.txt:", err)
		os.Exit(1)
	}
	docpage.Main("docs/answers.md", page, template.FuncMap{"names": names}, sortRows(rows))
}

// contents are the rows as the page shows them.
type contents struct {
	Nothing []row
	Done    []domain
}

// domain is the methods of one domain that are done.
type domain struct {
	Name    string
	Methods []string
}

func sortRows(rows []row) (c contents) {
	done := map[string][]string{}
	for _, r := range rows {
		if r.Why != "" {
			c.Nothing = append(c.Nothing, r)
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
		c.Done = append(c.Done, domain{name, done[name]})
	}
	return c
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
