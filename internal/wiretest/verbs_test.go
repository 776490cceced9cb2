package wiretest

import (
	"go/ast"
	"go/types"
	"maps"
	"slices"
	"testing"
)

// TestVerbs compares the calls of the page script in package actions with what the page
// script takes and answers: names and kinds of all args, and of all that the answers are
// read into.
func TestVerbs(t *testing.T) {
	actions := loadPackage(t, "actions")
	verbs := map[string]tsType{}
	for _, list := range []string{"ReadingVerbs", "PrivateVerbs"} {
		for _, verb := range declared(t).find(t, list).Fields {
			verbs[verb.Name] = verb.Type
		}
	}
	called := map[string]bool{}
	given, read := newComparison(t, true), newComparison(t, false)
	for _, call := range findCalls(t, actions) {
		called[call.verb] = true
		verb, is := verbs[call.verb]
		if !is {
			continue // compareSets says it
		}
		at := actions.fset.Position(call.at.Pos()).String() + ": the verb " + call.verb
		args, _ := verb.field("args")
		given.compareArgs(t, at, call.verb, args.Type, call.args)
		if result, _ := verb.field("result"); call.result != nil {
			read.compare(t, at+": the answer", result.Type, call.result)
		}
	}
	compareSets(t, "verbs of the page script", called, verbs)
	for name, verb := range verbs {
		args, _ := verb.field("args")
		for _, field := range given.find(t, args.Type.Name).Fields {
			if !given.seen[name+"."+field.Name] {
				t.Errorf("package actions never gives %q to the verb %q", field.Name, name)
			}
		}
		result, _ := verb.field("result")
		read.reportUnseen(t, "the answer to "+name, result.Type, name)
	}
}

// compareArgs compares the args of one call. It notes what is given as VERB.ARG.
func (c *comparison) compareArgs(t *testing.T, at, verb string, ts tsType, args map[string]types.Type) {
	t.Helper()
	message := c.find(t, ts.Name)
	for name, typ := range args {
		field, has := message.field(name)
		if !has {
			t.Errorf("%s takes no %q", at, name)
			continue
		}
		c.seen[verb+"."+name] = true
		c.compare(t, at+": "+name, field.Type, typ)
	}
	for _, field := range message.Fields {
		if args[field.Name] == nil && !field.Optional {
			t.Errorf("%s wants %q", at, field.Name)
		}
	}
}

// call is a call of the page script.
type call struct {
	verb   string
	args   map[string]types.Type
	result types.Type // of what the answer is read into; nil where it is dropped
	at     ast.Node
}

// findCalls finds the calls of the page script: literals scriptCall, and calls of
// Page.readByScript, which makes one of its params. A literal whose verb is no constant passes
// on what its callers give.
func findCalls(t *testing.T, g *goPackage) (calls []call) {
	t.Helper()
	always := map[string]types.Type{}
	add := func(verb, args, result ast.Expr, at ast.Node, fn *ast.FuncDecl) {
		name, is := g.text(verb)
		if !is {
			return
		}
		c := call{name, maps.Clone(always), nil, at}
		g.addArgs(t, c.args, args, fn)
		if literal, is := at.(*ast.CompositeLit); is {
			g.addByMethod(c.args, literal, fn)
		}
		if result != nil && !g.info.Types[result].IsNil() {
			c.result = g.info.Types[result].Type
		}
		calls = append(calls, c)
	}
	g.each(func(n ast.Node, fn *ast.FuncDecl) {
		if literal, is := n.(*ast.CompositeLit); is && fn.Name.Name == "scriptArguments" && types.ExprString(literal.Type) == "obj" {
			g.addArgs(t, always, literal, fn)
		}
	})
	if len(always) == 0 {
		t.Error("Page.scriptArguments adds no args")
	}
	g.each(func(n ast.Node, fn *ast.FuncDecl) {
		switch n := n.(type) {
		case *ast.CompositeLit:
			if n.Type != nil && types.ExprString(n.Type) == "scriptCall" {
				fields := map[string]ast.Expr{}
				for _, e := range n.Elts {
					fields[e.(*ast.KeyValueExpr).Key.(*ast.Ident).Name] = e.(*ast.KeyValueExpr).Value
				}
				add(fields["verb"], fields["args"], fields["result"], n, fn)
			}
		case *ast.CallExpr:
			if sel, is := n.Fun.(*ast.SelectorExpr); is && sel.Sel.Name == "readByScript" && len(n.Args) == 4 {
				add(n.Args[1], n.Args[2], n.Args[3], n, fn)
			}
		}
	})
	return calls
}

// addArgs collects the members of an argument of type obj. It may be a literal, or a
// variable or param, with all that is put into it anywhere.
func (g *goPackage) addArgs(t *testing.T, all map[string]types.Type, e ast.Expr, fn *ast.FuncDecl) {
	t.Helper()
	switch e := e.(type) {
	case nil:
	case *ast.CompositeLit:
		for _, elt := range e.Elts {
			name, is := g.text(elt.(*ast.KeyValueExpr).Key)
			if !is {
				t.Errorf("%v: a key of the args is no constant", g.fset.Position(elt.Pos()))
			}
			all[name] = g.info.Types[elt.(*ast.KeyValueExpr).Value].Type
		}
	case *ast.Ident:
		variable := g.info.Uses[e]
		if i := g.paramIndex(fn, variable); i >= 0 {
			g.addPassed(t, all, fn, i)
		}
		g.eachAssignment(fn, func(left, right ast.Expr) {
			switch left := left.(type) {
			case *ast.Ident:
				if g.info.Defs[left] == variable && !g.info.Types[e].IsNil() {
					g.addArgs(t, all, right, fn)
				}
			case *ast.IndexExpr:
				if id, is := left.X.(*ast.Ident); is && g.info.Uses[id] == variable {
					name, _ := g.text(left.Index)
					all[name] = g.info.Types[right].Type
				}
			}
		})
	default:
		t.Errorf("%v: the args are neither a literal nor a variable", g.fset.Position(e.Pos()))
	}
}

// addPassed collects what the callers of a function pass as its param i.
func (g *goPackage) addPassed(t *testing.T, all map[string]types.Type, f *ast.FuncDecl, i int) {
	t.Helper()
	g.each(func(n ast.Node, caller *ast.FuncDecl) {
		call, is := n.(*ast.CallExpr)
		if !is {
			return
		}
		sel, is := call.Fun.(*ast.SelectorExpr)
		if !is || g.info.Uses[sel.Sel] != g.info.Defs[f.Name] {
			return
		}
		if id, is := call.Args[i].(*ast.Ident); is && caller == f && g.paramIndex(f, g.info.Uses[id]) == i {
			return // it calls itself with the same
		}
		g.addArgs(t, all, call.Args[i], caller)
	})
}

// addByMethod collects the args that a method puts into a call whose literal it gets as
// its param c, as Page.editElement does.
func (g *goPackage) addByMethod(all map[string]types.Type, literal *ast.CompositeLit, fn *ast.FuncDecl) {
	ast.Inspect(fn, func(n ast.Node) bool {
		call, is := n.(*ast.CallExpr)
		if !is || !slices.Contains(call.Args, ast.Expr(literal)) {
			return true
		}
		sel, _ := call.Fun.(*ast.SelectorExpr)
		g.each(func(n ast.Node, method *ast.FuncDecl) {
			if sel == nil || n != ast.Node(method) || g.info.Defs[method.Name] != g.info.Uses[sel.Sel] {
				return
			}
			g.eachAssignment(method, func(left, right ast.Expr) {
				if index, is := left.(*ast.IndexExpr); is && types.ExprString(index.X) == "c.args" {
					name, _ := g.text(index.Index)
					all[name] = g.info.Types[right].Type
				}
			})
		})
		return true
	})
}

func (g *goPackage) eachAssignment(fn *ast.FuncDecl, visit func(left, right ast.Expr)) {
	ast.Inspect(fn, func(n ast.Node) bool {
		if a, is := n.(*ast.AssignStmt); is && len(a.Lhs) == len(a.Rhs) {
			for i := range a.Lhs {
				visit(a.Lhs[i], a.Rhs[i])
			}
		}
		return true
	})
}

// paramIndex is the place of a variable among the params of a function, or -1.
func (g *goPackage) paramIndex(fn *ast.FuncDecl, v types.Object) int {
	params := g.info.Defs[fn.Name].(*types.Func).Signature().Params()
	for i := range params.Len() {
		if params.At(i) == v {
			return i
		}
	}
	return -1
}
