// Actionsdoc writes docs/actions.md, the page on the action APIs, from methods.txt.
package main

import (
	"cmp"
	_ "embed"
	"fmt"
	"os"
	"slices"
	"strings"
	"text/template"

	"github.com/cdphub/cdphub/actions/mcp"
	"github.com/cdphub/cdphub/internal/docpage"
)

//go:generate go run . -write ../../docs/actions.md

//go:embed page.tmpl
var page string

//go:embed methods.txt
var file string

func main() {
	methods, err := parse(file)
	if err != nil {
		fmt.Fprintln(os.Stderr, "methods.txt:", err)
		os.Exit(1)
	}
	docpage.Main("docs/actions.md", page, template.FuncMap{"capability": capability, "remarked": remarked}, contents{methods, mcp.Missing()})
}

// contents is what the page shows.
type contents struct {
	Methods map[string][]method // by API
	Missing map[string]string   // tools of Playwright MCP that are not here: why
}

// method is a line of methods.txt.
type method struct{ Name, Takes, Gives, Remark string }

// parse reads the methods of each API.
func parse(text string) (map[string][]method, error) {
	methods, known := map[string][]method{}, map[string]bool{}
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line == "" || line[0] == '#' {
			continue
		}
		cells := append(strings.Split(line, "|"), "")
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		api, name, named := strings.Cut(cells[0], " ")
		if !named || len(cells) < 4 || len(cells) > 5 || known[cells[0]] {
			return nil, fmt.Errorf("not API METHOD | takes | gives | remark, or there twice: %s", line)
		}
		known[cells[0]] = true
		methods[api] = append(methods[api], method{name, cells[1], cells[2], cells[3]})
	}
	return methods, nil
}

// capability is what a client asks for to have a tool of MCP.
func capability(tool string) string { return cmp.Or(mcp.Group(tool), "core") }

// remarked are the methods with a remark.
func remarked(methods []method) []method {
	return slices.DeleteFunc(slices.Clone(methods), func(m method) bool { return m.Remark == "" })
}
