package wiretest

import (
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/constant"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
)

// A Typed is a package of this module with its types.
type Typed struct {
	fset  *token.FileSet
	files []*ast.File
	info  *types.Info
}

// Load checks the types of a package. It reads the types of its imports from the
// build cache (go list -export), so that their source is not checked again.
func Load(root, folder string) (*Typed, error) {
	cmd := exec.Command("go", "list", "-export", "-deps", "-json=ImportPath,Export,GoFiles,Dir,DepOnly", "./"+folder)
	cmd.Dir = root
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	t := &Typed{fset: token.NewFileSet(), info: &types.Info{
		Types: map[ast.Expr]types.TypeAndValue{}, Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{},
	}}
	exports := map[string]string{}
	path := ""
	for dec := json.NewDecoder(out); ; {
		var p struct {
			ImportPath, Export, Dir string
			GoFiles                 []string
			DepOnly                 bool
		}
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, err
		}
		exports[p.ImportPath] = p.Export
		if p.DepOnly {
			continue
		}
		path = p.ImportPath
		for _, name := range p.GoFiles {
			f, err := parser.ParseFile(t.fset, filepath.Join(p.Dir, name), nil, parser.SkipObjectResolution)
			if err != nil {
				return nil, err
			}
			t.files = append(t.files, f)
		}
	}
	if err := cmd.Wait(); err != nil {
		return nil, fmt.Errorf("go list: %w", err)
	}
	open := func(path string) (io.ReadCloser, error) { return os.Open(exports[path]) }
	conf := types.Config{Importer: importer.ForCompiler(t.fset, "gc", open)}
	_, err = conf.Check(path, t.fset, t.files, t.info)
	return t, err
}

// A Call is a call of the page script. In the source it is a literal scriptCall, or a
// call of a function that passes a verb on.
type Call struct {
	Verb   string
	Args   map[string]types.Type
	Result types.Type // of what the answer is read into; nil where it is dropped
	At     token.Position
}

// A site is where a call stands: its parts, and the function around it.
type site struct {
	verb, args, result ast.Expr
	lit                *ast.CompositeLit // nil where the call goes by a function
	at                 ast.Node
	fn                 *ast.FuncDecl
}

// Calls finds all calls of the page script in package actions.
func (t *Typed) Calls() ([]Call, error) {
	var calls []Call
	for _, s := range t.sites() {
		verb := t.info.Types[s.verb].Value
		if verb == nil {
			continue // one that passes a verb on, whose callers are sites
		}
		c := Call{Verb: constant.StringVal(verb), Args: map[string]types.Type{}, At: t.fset.Position(s.at.Pos())}
		if s.args != nil {
			if err := t.keys(c.Args, s.args, s.fn); err != nil {
				return nil, fmt.Errorf("%v: %w", c.At, err)
			}
		}
		t.added(c.Args, s)
		if c.Result = t.result(s); c.Result != nil {
			if p, is := c.Result.(*types.Pointer); is {
				c.Result = p.Elem()
			}
		}
		calls = append(calls, c)
	}
	return calls, nil
}

// each visits every node, with the function that it stands in.
func (t *Typed) each(visit func(n ast.Node, fn *ast.FuncDecl)) {
	for _, f := range t.files {
		for _, d := range f.Decls {
			fn, is := d.(*ast.FuncDecl)
			if !is {
				continue
			}
			ast.Inspect(fn, func(n ast.Node) bool {
				if n != nil {
					visit(n, fn)
				}
				return true
			})
		}
	}
}

// sites are the literals scriptCall, and the calls of Page.view, which makes
// one of its params.
func (t *Typed) sites() (list []site) {
	t.each(func(n ast.Node, fn *ast.FuncDecl) {
		switch n := n.(type) {
		case *ast.CompositeLit:
			if named(t.info.Types[n].Type) != "scriptCall" {
				return
			}
			s := site{lit: n, at: n, fn: fn}
			for _, e := range n.Elts {
				kv := e.(*ast.KeyValueExpr)
				switch kv.Key.(*ast.Ident).Name {
				case "verb":
					s.verb = kv.Value
				case "args":
					s.args = kv.Value
				case "result":
					s.result = kv.Value
				}
			}
			list = append(list, s)
		case *ast.CallExpr:
			if sel, is := n.Fun.(*ast.SelectorExpr); is && sel.Sel.Name == "view" && len(n.Args) == 4 {
				list = append(list, site{verb: n.Args[1], args: n.Args[2], result: n.Args[3], at: n, fn: fn})
			}
		}
	})
	return list
}

func named(t types.Type) string {
	if n, is := t.(*types.Named); is {
		return n.Obj().Name()
	}
	return ""
}
