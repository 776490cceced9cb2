package wiretest

import (
	"go/ast"
	"go/types"
	"regexp"
	"testing"
)

// TestDashboardState compares what the dashboard reads with what a hub and cdphub replay
// say of themselves.
func TestDashboardState(t *testing.T) {
	c := newComparison(t, true)
	c.compareMessage(t, "State", loadPackage(t, "uiwire").named(t, "State"))
}

// TestProxyCommands compares what an agent sends over /__hub/control: each command with
// the struct that Go reads it into.
func TestProxyCommands(t *testing.T) {
	proxy := loadPackage(t, "proxy")
	commands := declared(t).union(t, "ControlCommand", "do")
	compareSets(t, "commands of an agent", proxy.compared("head.Do"), commands)
	for do, typ := range decodedAs(proxy) {
		if command, has := commands[do]; has {
			newComparison(t, false).compareMessage(t, command.Name, typ, "do", "id")
			delete(commands, do)
		}
	}
	for _, command := range commands { // of which Go reads nothing but do and id
		newComparison(t, false).compareMessage(t, command.Name, types.NewStruct(nil, nil), "do", "id")
	}
}

// decodedAs are the types that the cases of a switch read a message into.
func decodedAs(g *goPackage) map[string]types.Type {
	all := map[string]types.Type{}
	g.each(func(n ast.Node, _ *ast.FuncDecl) {
		clause, is := n.(*ast.CaseClause)
		if !is || len(clause.List) != 1 {
			return
		}
		name, _ := g.text(clause.List[0])
		ast.Inspect(clause, func(n ast.Node) bool {
			if index, is := n.(*ast.IndexExpr); is && types.ExprString(index.X) == "decodeAs" {
				all[name] = g.info.Types[index.Index].Type
			}
			return true
		})
	})
	return all
}

// TestProxyEvents compares what a proxy sends over /__hub/control.
func TestProxyEvents(t *testing.T) {
	proxy := loadPackage(t, "proxy")
	events := declared(t).union(t, "ControlEvent", "what")
	made := literals(proxy, "agentEvent", "What")
	compareSets(t, "events of a proxy", made, events)
	set := map[string]bool{}
	for what, fields := range made {
		c := newComparison(t, false) // Go leaves out what is zero, whatever the event
		event := events[what]
		for _, f := range jsonFields(proxy.named(t, "agentEvent").Underlying().(*types.Struct)) {
			field, has := event.field(f.name)
			if fields[f.goName] && !has {
				t.Errorf("Go sends %q in the event %q; TypeScript has it not", f.name, what)
			}
			if has {
				set[event.Name+"."+f.name] = true
				c.compare(t, event.Name+"."+f.name, field.Type, f.typ)
				c.reportUnseen(t, event.Name+"."+f.name, field.Type, event.Name+"."+f.name)
			}
		}
	}
	for _, event := range events {
		for _, field := range event.Fields {
			if !set[event.Name+"."+field.Name] {
				t.Errorf("%s: TypeScript has a field %q, Go has not", event.Name, field.Name)
			}
		}
	}
}

// literals are the composite literals of a struct type: the names of the fields that
// each sets, by the text of one field.
func literals(g *goPackage, typ, by string) map[string]map[string]bool {
	all := map[string]map[string]bool{}
	g.each(func(n ast.Node, _ *ast.FuncDecl) {
		lit, is := n.(*ast.CompositeLit)
		if !is || lit.Type == nil || types.ExprString(lit.Type) != typ {
			return
		}
		which, names := "", map[string]bool{}
		for _, e := range lit.Elts {
			kv := e.(*ast.KeyValueExpr)
			if name := kv.Key.(*ast.Ident).Name; name == by {
				which, _ = g.text(kv.Value)
			}
			names[kv.Key.(*ast.Ident).Name] = true
		}
		if all[which] == nil {
			all[which] = map[string]bool{}
		}
		for name := range names {
			all[which][name] = true
		}
	})
	return all
}

// TestDocumentResponse compares the attribute data-response.
func TestDocumentResponse(t *testing.T) {
	newComparison(t, true).compareMessage(t, "DocumentResponse", loadPackage(t, "proxy").named(t, "navigationResponse"))
}

var keyInText = regexp.MustCompile(`[{,]"(\w+)":`)

// TestDialog compares the body of POST /dialog, and the answer, which the handler writes
// as a map or a text.
func TestDialog(t *testing.T) {
	server := loadPackage(t, "server")
	newComparison(t, false).compareMessage(t, "DialogRequest", server.named(t, "dialogBody"))
	made, answer := map[string]bool{}, map[string]bool{}
	server.each(func(n ast.Node, fn *ast.FuncDecl) {
		if fn.Name.Name != "serveDialog" {
			return
		}
		switch n := n.(type) {
		case *ast.BasicLit:
			text, _ := server.text(n)
			for _, m := range keyInText.FindAllStringSubmatch(text, -1) {
				made[m[1]] = true
			}
		case *ast.CompositeLit:
			if _, is := n.Type.(*ast.MapType); !is {
				return
			}
			for _, e := range n.Elts {
				name, _ := server.text(e.(*ast.KeyValueExpr).Key)
				made[name] = true
			}
		}
	})
	for _, f := range declared(t).find(t, "DialogAnswer").Fields {
		answer[f.Name] = true
	}
	compareSets(t, "the answer to POST /dialog", made, answer)
}
