package conformance

import (
	_ "embed"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/cdphub/cdphub/actions/mcp"
)

// theirTools is what Playwright MCP has, as the head of the file says.
//
//go:embed testdata/playwright-mcp.txt
var theirTools string

// argument is what a schema says of an argument.
type argument struct {
	required bool
	kind     string // string, number, string[], object[], string|null
	values   string // "left,right"; "" for any
}

// TestMCPPlaywright compares the tools with those of Playwright MCP: each of
// theirs is here, with each argument by its name, type and values, or is refused
// by name. What may be left out there may be left out here.
func TestMCPPlaywright(t *testing.T) {
	t.Parallel()
	s := newStage(t, nil)
	a := connectMCP(t, s, "")
	list, err := a.ListTools(within60(t), nil)
	if err != nil {
		t.Fatal(err)
	}
	ours := map[string]map[string]argument{}
	for _, tool := range list.Tools {
		ours[tool.Name] = argumentsOf(tool.InputSchema.(object), "")
	}
	theirs, groups := readTheirs(t)
	missing, methods := mcp.Missing(), documentedMethods(t)
	for name := range ours {
		if theirs[name] == nil && !strings.HasPrefix(name, "browser_handoff") {
			t.Errorf("%s is no tool of theirs", name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(theirs)) {
		t.Run(name, func(t *testing.T) {
			if why := missing[name]; why != "" {
				a.refuses(t, name, object{}, name+" is not supported: "+why)
				return
			}
			group := groups[name]
			if group == "core" {
				group = ""
			}
			if got := mcp.Group(name); got != group {
				t.Errorf("it belongs to %q, theirs to %q", got, groups[name])
			}
			compare(t, ours[name], theirs[name])
			takes := describe(theirs[name], nil)
			if more := describe(ours[name], theirs[name]); takes != "" && more != "" {
				takes += ", " + more
			}
			if got := methods["MCP "+name].takes; got != takes {
				t.Errorf("the documentation lists %q, want %q", got, takes)
			}
		})
	}
}

func compare(t *testing.T, ours, theirs map[string]argument) {
	t.Helper()
	for name, want := range theirs {
		got, is := ours[name]
		switch {
		case !is:
			t.Errorf("it has no argument %s", name)
		case got.kind != want.kind || got.values != want.values:
			t.Errorf("%s is %s %s, theirs %s %s", name, got.kind, got.values, want.kind, want.values)
		case got.required && !want.required:
			t.Errorf("%s cannot be left out, as theirs can", name)
		}
	}
	for name, more := range ours {
		if _, is := theirs[name]; !is && more.required && !strings.Contains(name, ".") {
			t.Errorf("%s must be given, and is no argument of theirs", name)
		}
	}
}

// argumentsOf reads a schema. Names of what is inside of others have those before
// them: fields.type.
func argumentsOf(schema object, within string) map[string]argument {
	out := map[string]argument{}
	required, _ := schema["required"].([]any)
	properties, _ := schema["properties"].(object)
	for name, p := range properties {
		p := p.(object)
		a := argument{required: slices.Contains(required, any(name)), kind: fmt.Sprint(p["type"])}
		inner := p
		if either, ok := p["anyOf"].([]any); ok {
			inner = either[0].(object)
			a.kind = fmt.Sprintf("%v|%v", inner["type"], either[1].(object)["type"])
		}
		if items, ok := p["items"].(object); ok {
			inner = items
			a.kind = fmt.Sprintf("%v[]", items["type"])
		}
		if values, ok := inner["enum"].([]any); ok {
			words := make([]string, len(values))
			for i, v := range values {
				words[i] = fmt.Sprint(v)
			}
			a.values = strings.Join(words, ",")
		}
		out[within+name] = a
		maps.Copy(out, argumentsOf(inner, within+name+"."))
	}
	return out
}

// readTheirs reads their tools, and which capability each belongs to.
func readTheirs(t *testing.T) (tools map[string]map[string]argument, groups map[string]string) {
	t.Helper()
	tools, groups = map[string]map[string]argument{}, map[string]string{}
	var tool, outer string
	for line := range strings.Lines(theirTools) {
		words := strings.Fields(line)
		switch depth := len(line) - len(strings.TrimLeft(line, "\t")); {
		case len(words) == 0 || strings.HasPrefix(line, "#"):
		case depth == 0:
			tool = words[1]
			tools[tool], groups[tool] = map[string]argument{}, words[0]
		default:
			name, optional := strings.CutSuffix(words[0], "?")
			if depth == 1 {
				outer = name
			} else {
				name = outer + "." + name
			}
			a := argument{required: !optional, kind: words[1]}
			if len(words) > 2 {
				a.values = words[2]
			}
			tools[tool][name] = a
		}
	}
	if len(tools) != 72 {
		t.Fatalf("%d tools in testdata/playwright-mcp.txt, want 72", len(tools))
	}
	return tools, groups
}

// describe lists arguments for docs/actions.md, but for some.
func describe(arguments, without map[string]argument) string {
	var list []string
	for _, name := range slices.Sorted(maps.Keys(arguments)) {
		if _, known := without[name]; known || name == "pageId" || without != nil && strings.Contains(name, ".") {
			continue
		}
		a := arguments[name]
		text := name
		if !a.required {
			text += "?"
		}
		if a.values != "" {
			text += " " + strings.ReplaceAll(a.values, ",", "/")
		}
		list = append(list, text)
	}
	return strings.Join(list, ", ")
}
