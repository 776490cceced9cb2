package wiretest

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
)

// keys collects the members of an argument of type obj. It may be a literal, or a
// variable or param, with all that is put into it anywhere.
func (t *Typed) keys(all map[string]types.Type, e ast.Expr, fn *ast.FuncDecl) error {
	switch e := e.(type) {
	case *ast.CompositeLit:
		for _, elt := range e.Elts {
			kv := elt.(*ast.KeyValueExpr)
			name := t.info.Types[kv.Key].Value
			if name == nil {
				return fmt.Errorf("a key of the args is no constant")
			}
			all[constant.StringVal(name)] = t.info.Types[kv.Value].Type
		}
		return nil
	case *ast.Ident:
		if e.Name == "nil" {
			return nil
		}
		return t.keysOf(all, t.info.Uses[e], fn)
	}
	return fmt.Errorf("the args are neither a literal nor a variable")
}

// keysOf collects what a variable holds: its first value, and what its function puts
// into it.
func (t *Typed) keysOf(all map[string]types.Type, v types.Object, fn *ast.FuncDecl) error {
	if i := t.param(fn, v); i >= 0 {
		if err := t.passed(all, t.info.Defs[fn.Name], i); err != nil {
			return err
		}
	}
	var failed error
	ast.Inspect(fn, func(n ast.Node) bool {
		a, is := n.(*ast.AssignStmt)
		if !is {
			return true
		}
		for i, left := range a.Lhs {
			if id, is := left.(*ast.Ident); is && a.Tok == token.DEFINE && t.info.Defs[id] == v {
				if err := t.keys(all, a.Rhs[i], fn); err != nil {
					failed = err
				}
			}
			if index, is := left.(*ast.IndexExpr); is {
				if id, is := index.X.(*ast.Ident); is && t.info.Uses[id] == v {
					all[constant.StringVal(t.info.Types[index.Index].Value)] = t.info.Types[a.Rhs[i]].Type
				}
			}
		}
		return true
	})
	return failed
}

// param is the place of a variable among the params of a function, or -1.
func (t *Typed) param(fn *ast.FuncDecl, v types.Object) int {
	params := t.info.Defs[fn.Name].(*types.Func).Signature().Params()
	for i := range params.Len() {
		if params.At(i) == v {
			return i
		}
	}
	return -1
}

// passed collects what the callers of a function pass as its param i.
func (t *Typed) passed(all map[string]types.Type, f types.Object, i int) (failed error) {
	t.each(func(n ast.Node, fn *ast.FuncDecl) {
		call, is := n.(*ast.CallExpr)
		if !is {
			return
		}
		sel, is := call.Fun.(*ast.SelectorExpr)
		if !is || t.info.Uses[sel.Sel] != f {
			return
		}
		// Without this a function that calls itself would be followed for ever.
		if id, is := call.Args[i].(*ast.Ident); is && t.info.Defs[fn.Name] == f && t.param(fn, t.info.Uses[id]) == i {
			return // it calls itself
		}
		if err := t.keys(all, call.Args[i], fn); err != nil {
			failed = err
		}
	})
	return failed
}

// added collects what another function puts into the args of a call, where the
// literal is passed to it, as to Page.edit.
func (t *Typed) added(all map[string]types.Type, s site) {
	ast.Inspect(s.fn, func(n ast.Node) bool {
		call, is := n.(*ast.CallExpr)
		if !is {
			return true
		}
		for i, arg := range call.Args {
			sel, is := call.Fun.(*ast.SelectorExpr)
			if !is || s.lit == nil || arg != ast.Expr(s.lit) {
				continue
			}
			t.each(func(n ast.Node, fn *ast.FuncDecl) {
				a, is := n.(*ast.AssignStmt)
				if !is || t.info.Defs[fn.Name] != t.info.Uses[sel.Sel] {
					return
				}
				index, is := a.Lhs[0].(*ast.IndexExpr)
				if !is {
					return
				}
				if args, is := index.X.(*ast.SelectorExpr); is && args.Sel.Name == "args" {
					if id, is := args.X.(*ast.Ident); is && t.param(fn, t.info.Uses[id]) == i {
						all[constant.StringVal(t.info.Types[index.Index].Value)] = t.info.Types[a.Rhs[0]].Type
					}
				}
			})
		}
		return true
	})
}

// result is the type of what the answer is read into. The literal names it, or it is
// set later in the variable that holds the literal.
func (t *Typed) result(s site) types.Type {
	if s.result != nil && t.info.Types[s.result].Type != types.Typ[types.UntypedNil] {
		return t.info.Types[s.result].Type
	}
	var held types.Object
	var found types.Type
	ast.Inspect(s.fn, func(n ast.Node) bool {
		a, is := n.(*ast.AssignStmt)
		if !is || s.lit == nil {
			return true
		}
		if id, is := a.Lhs[0].(*ast.Ident); is && a.Rhs[0] == ast.Expr(s.lit) {
			held = t.info.Defs[id]
		}
		if sel, is := a.Lhs[0].(*ast.SelectorExpr); is && held != nil && sel.Sel.Name == "result" {
			if id, is := sel.X.(*ast.Ident); is && t.info.Uses[id] == held {
				found = t.info.Types[a.Rhs[0]].Type
			}
		}
		return true
	})
	return found
}
