package main

import (
	"cmp"
	_ "embed"
	"fmt"
	"slices"
	"strings"

	"github.com/cdphub/cdphub/actions/mcp"
)

// actionsList has the methods of the action APIs.
//
//go:embed actions.txt
var actionsList string

// actionsPage is what docs/actions.md shows.
type actionsPage struct {
	Methods map[string][]method // by API
	Missing map[string]string   // tools of Playwright MCP that are not here: why
}

// method is a line of actions.txt.
type method struct{ Name, Takes, Gives, Remark string }

// readActions reads the methods of each API.
func readActions() (any, error) {
	methods, known := map[string][]method{}, map[string]bool{}
	for line := range strings.Lines(actionsList) {
		if line = strings.TrimSpace(line); line == "" || line[0] == '#' {
			continue
		}
		cells := append(strings.Split(line, "|"), "")
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		api, name, named := strings.Cut(cells[0], " ")
		if !named || len(cells) < 4 || len(cells) > 5 || known[cells[0]] {
			return nil, fmt.Errorf("actions.txt: not API METHOD | takes | gives | remark, or there twice: %s", line)
		}
		known[cells[0]] = true
		methods[api] = append(methods[api], method{name, cells[1], cells[2], cells[3]})
	}
	return actionsPage{methods, mcp.Missing()}, nil
}

// capabilityOf is what a client asks for to have a tool of MCP.
func capabilityOf(tool string) string { return cmp.Or(mcp.Group(tool), "core") }

// withRemark are the methods with a remark.
func withRemark(methods []method) []method {
	return slices.DeleteFunc(slices.Clone(methods), func(m method) bool { return m.Remark == "" })
}
