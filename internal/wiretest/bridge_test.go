package wiretest

import (
	"go/ast"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
)

func bridgeFiles(t *testing.T) *File { return files(t, "cdp.ts", "bridge.ts") }

// TestHostMessages compares what a Host sends with what package page reads:
// the members that it looks for, and the kinds that it switches by.
func TestHostMessages(t *testing.T) {
	f, s := bridgeFiles(t), source(t, "bridge/page")
	list := members(t, f, "HostMessage")
	kinds, err := f.Union(list)
	if err != nil {
		t.Fatal(err)
	}
	read := map[string]Member{}
	for _, fn := range s.functions()["set"] {
		ast.Inspect(fn, func(n ast.Node) bool {
			if c, is := n.(*ast.CaseClause); is {
				for _, e := range c.List {
					name, _ := literalText(e)
					read[name] = Member{Kind: "any"}
				}
			}
			return true
		})
	}
	compare(t, "HostMessage and fields.set", kinds, read)
	if got, want := s.Compared("kind"), texts(list, "kind"); !slices.Equal(got, want) {
		t.Errorf("Go knows the kinds %q, TypeScript %q", got, want)
	}
	for name, goName := range map[string]string{"TargetInfo": "targetMessage", "NestedSession": "nestedMessage", "BrowserInfo": "browserMessage"} {
		compare(t, name+" and "+goName, one(t, f, name), structOf(t, s, goName))
	}
}

var (
	kindInText = regexp.MustCompile(`\{"kind":"(\w+)`)
	openKind   = regexp.MustCompile(`\{"kind":"$`)
	keys       = regexp.MustCompile(`[{,]"(\w+)":`)
)

// written is what a function of package bridge/page writes: kinds of messages, and
// the members of any of them.
type written struct{ kinds, fields map[string]bool }

// writers finds the functions that write messages, with what the helpers write
// that they call, and with the kinds that their callers name.
func writers(s *Source) []written {
	var all []written
	functions := s.functions()
	for name, list := range functions {
		for _, fn := range list {
			w := written{map[string]bool{}, map[string]bool{}}
			open := fragments(fn, w, functions, 0)
			if open {
				maps.Copy(w.kinds, namedByCallers(s, name))
			}
			if len(w.kinds) > 0 {
				all = append(all, w)
			}
		}
	}
	return all
}

// fragments collects the JSON texts of a function. It reports whether one of
// them ends where the kind is to stand.
func fragments(fn *ast.FuncDecl, w written, functions map[string][]*ast.FuncDecl, depth int) (open bool) {
	ast.Inspect(fn.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BasicLit:
			text, ok := literalText(n)
			if !ok {
				break
			}
			open = open || openKind.MatchString(text)
			for _, m := range kindInText.FindAllStringSubmatch(text, -1) {
				w.kinds[m[1]] = true
			}
			// A text may begin with the quote that ends the value before.
			for _, m := range keys.FindAllStringSubmatch(strings.TrimPrefix(text, `"`), -1) {
				w.fields[m[1]] = true
			}
		case *ast.CallExpr:
			if id, is := n.Fun.(*ast.Ident); is && depth == 0 {
				for _, helper := range functions[id.Name] {
					fragments(helper, w, functions, depth+1)
				}
			}
		}
		return true
	})
	return open
}

func namedByCallers(s *Source, name string) map[string]bool {
	kinds := map[string]bool{}
	s.each(func(n ast.Node) {
		call, is := n.(*ast.CallExpr)
		if !is || len(call.Args) == 0 {
			return
		}
		if sel, is := call.Fun.(*ast.SelectorExpr); is && sel.Sel.Name == name {
			if text, ok := literalText(call.Args[0]); ok {
				kinds[text] = true
			}
		}
	})
	return kinds
}

// TestHubMessages compares what a hub sends with the texts that package page
// writes: a function may write nothing but the members of its messages, and
// each member of a message is written by a function that writes this message.
func TestHubMessages(t *testing.T) {
	f := bridgeFiles(t)
	byKind := map[string]*Interface{}
	for _, i := range members(t, f, "HubMessage") {
		kind, _ := i.Field("kind")
		byKind[Literal(kind.Type)] = i
	}
	sent := map[string]map[string]bool{}
	for _, w := range writers(source(t, "bridge/page")) {
		may := map[string]bool{}
		for kind := range w.kinds {
			i := byKind[kind]
			if i == nil {
				t.Errorf("Go sends %q; TypeScript has no such message", kind)
				continue
			}
			for _, name := range i.Names() {
				may[name] = true
			}
			if sent[kind] == nil {
				sent[kind] = map[string]bool{}
			}
			maps.Copy(sent[kind], w.fields)
		}
		for name := range w.fields {
			if !may[name] {
				t.Errorf("Go sends %q in one of %q; TypeScript has it in none", name, slices.Sorted(maps.Keys(w.kinds)))
			}
		}
	}
	for kind, i := range byKind {
		for _, name := range i.Names() {
			if !sent[kind][name] {
				t.Errorf("TypeScript has %q in %s; Go does not send it", name, i.Name)
			}
		}
	}
}

// TestCommentsOfBridge compares the examples in the comments of package bridge/page.
func TestCommentsOfBridge(t *testing.T) {
	examples(t, "the comments of package bridge/page", source(t, "bridge/page").Comments())
}
