package mcp

import (
	"fmt"
	"slices"
	"strings"
)

// Capabilities lists the groups of tools that a client can ask for, beside those that
// are always there. The names are those of Playwright MCP's option --caps.
func Capabilities() []string {
	return []string{"config", "devtools", "network", "pdf", "storage", "testing", "tracing", "video", "vision"}
}

// core are the groups that are always there. aliases are groups of Playwright MCP
// whose tools are in another group here.
var (
	core    = []string{"", "core", "core-input", "core-navigation", "core-tabs", "core-install"}
	aliases = map[string]string{"tracing": "devtools", "video": "devtools"}
)

// OmitsImages reads whether pictures are left out of answers, by the names of Playwright MCP's option
// --image-responses. "" is "allow".
func OmitsImages(text string) (bool, error) {
	switch text {
	case "", "allow":
		return false, nil
	case "omit":
		return true, nil
	}
	return false, fmt.Errorf("%q is neither allow nor omit", text)
}

// Groups reads a list of capabilities. Each may be several with commas in between. An
// unknown one is an error.
func Groups(caps []string) (groups []string, err error) {
	for _, list := range caps {
		for name := range strings.SplitSeq(list, ",") {
			name = strings.TrimSpace(name)
			switch {
			case slices.Contains(core, name):
				continue
			case !slices.Contains(Capabilities(), name):
				return nil, fmt.Errorf("%q is not a capability: use some of %s", name, strings.Join(Capabilities(), ", "))
			case aliases[name] != "":
				name = aliases[name]
			}
			if !slices.Contains(groups, name) {
				groups = append(groups, name)
			}
		}
	}
	return groups, nil
}
