package wiretest

import (
	"go/ast"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// bridgePackage is the package that reads and writes the messages of the bridge.
const bridgePackage = "page"

// TestHostMessages compares what a Host sends with what the hub reads: the members that
// it looks for, and the kinds that it switches by.
func TestHostMessages(t *testing.T) {
	bridge := loadPackage(t, bridgePackage)
	messages := declared(t).union(t, "HostMessage", "kind")
	members := map[string]bool{}
	for _, message := range messages {
		for _, f := range message.Fields {
			members[f.Name] = true
		}
	}
	read := map[string]bool{}
	bridge.each(func(n ast.Node, fn *ast.FuncDecl) {
		if clause, is := n.(*ast.CaseClause); is && fn.Name.Name == "set" {
			for _, e := range clause.List {
				name, _ := bridge.text(e)
				read[name] = true
			}
		}
	})
	compareSets(t, "fields.set", read, members)
	compareSets(t, "kinds of a Host's messages", bridge.compared("f.kind"), messages)
	for name, goName := range map[string]string{"TargetInfo": "targetMessage", "NestedSession": "nestedMessage", "BrowserInfo": "browserMessage"} {
		newComparison(t, false).compareMessage(t, name, bridge.named(t, goName))
	}
}

var (
	kindInText = regexp.MustCompile(`\{"kind":"(\w+)`)
	openKind   = regexp.MustCompile(`\{"kind":"$`)
)

// written is what a function writes: kinds of messages, and the members of any of them.
type written struct{ kinds, fields map[string]bool }

// writers finds the functions that write messages, with what the functions write that
// they call, and with the kinds that their callers name.
func writers(g *goPackage) (all []written) {
	functions := map[string]*ast.FuncDecl{}
	g.each(func(_ ast.Node, fn *ast.FuncDecl) {
		if fn.Recv == nil {
			functions[fn.Name.Name] = fn
		}
	})
	for _, f := range g.files {
		for _, d := range f.Decls {
			fn, is := d.(*ast.FuncDecl)
			if !is {
				continue
			}
			w := written{map[string]bool{}, map[string]bool{}}
			if w.addTexts(g, fn) {
				maps.Copy(w.kinds, namedByCallers(g, fn.Name.Name))
			}
			ast.Inspect(fn, func(n ast.Node) bool {
				if call, is := n.(*ast.CallExpr); is {
					if id, is := call.Fun.(*ast.Ident); is && functions[id.Name] != nil {
						w.addTexts(g, functions[id.Name])
					}
				}
				return true
			})
			if len(w.kinds) > 0 {
				all = append(all, w)
			}
		}
	}
	return all
}

// addTexts collects the JSON texts of a function. It reports whether one of them ends
// where the kind is to stand.
func (w written) addTexts(g *goPackage, fn *ast.FuncDecl) (open bool) {
	ast.Inspect(fn, func(n ast.Node) bool {
		lit, is := n.(*ast.BasicLit)
		if !is {
			return true
		}
		text, _ := g.text(lit)
		open = open || openKind.MatchString(text)
		for _, m := range kindInText.FindAllStringSubmatch(text, -1) {
			w.kinds[m[1]] = true
		}
		// A text may begin with the quote that ends the value before.
		for _, m := range keyInText.FindAllStringSubmatch(strings.TrimPrefix(text, `"`), -1) {
			w.fields[m[1]] = true
		}
		return true
	})
	return open
}

// namedByCallers are the texts that are the first argument of calls of a method.
func namedByCallers(g *goPackage, name string) map[string]bool {
	kinds := map[string]bool{}
	g.each(func(n ast.Node, _ *ast.FuncDecl) {
		call, is := n.(*ast.CallExpr)
		if !is || len(call.Args) == 0 {
			return
		}
		if sel, is := call.Fun.(*ast.SelectorExpr); is && sel.Sel.Name == name {
			if text, is := g.text(call.Args[0]); is {
				kinds[text] = true
			}
		}
	})
	return kinds
}

// TestHubMessages compares what a hub sends with the texts that package bridge writes: a
// function may write nothing but the members of its messages, and each member of a
// message is written by a function that writes this message.
func TestHubMessages(t *testing.T) {
	messages := declared(t).union(t, "HubMessage", "kind")
	sent := map[string]map[string]bool{}
	for kind := range messages {
		sent[kind] = map[string]bool{}
	}
	for _, w := range writers(loadPackage(t, bridgePackage)) {
		may := map[string]bool{}
		for kind := range w.kinds {
			for _, f := range messages[kind].Fields {
				may[f.Name] = true
			}
			if sent[kind] == nil {
				t.Errorf("Go sends %q; TypeScript has no such message", kind)
				continue
			}
			maps.Copy(sent[kind], w.fields)
		}
		for name := range w.fields {
			if !may[name] {
				t.Errorf("Go sends %q in one of %q; TypeScript has it in none", name, slices.Sorted(maps.Keys(w.kinds)))
			}
		}
	}
	for kind, message := range messages {
		for _, f := range message.Fields {
			if !sent[kind][f.Name] {
				t.Errorf("TypeScript has %q in %s; Go does not send it", f.Name, message.Name)
			}
		}
	}
}
