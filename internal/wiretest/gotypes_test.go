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
	"path"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// goPackage is a package of the product, with the types of its expressions.
type goPackage struct {
	fset  *token.FileSet
	files []*ast.File
	info  types.Info
	types *types.Package
}

// listed is a package as go list describes it.
type listed struct {
	ImportPath, Export, Dir string
	GoFiles                 []string
	Module                  struct{ Main bool }
}

// listPackages are the packages of the program. The types of imports are read from the
// build cache, so that no source is checked but that of the packages that are compared.
var listPackages = sync.OnceValues(func() (map[string]listed, error) {
	cmd := exec.Command("go", "list", "-export", "-deps", "-json=ImportPath,Export,GoFiles,Dir,Module", "./cmd/cdphub")
	cmd.Dir = root
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w", err)
	}
	all := map[string]listed{}
	for dec := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p listed
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			return all, nil
		} else if err != nil {
			return nil, err
		}
		all[p.ImportPath] = p
		if p.Module.Main {
			noteInputs(p.Dir, p.GoFiles...)
		}
	}
})

// loadPackage checks the types of a package, which it finds by its name.
func loadPackage(t *testing.T, name string) *goPackage {
	t.Helper()
	all, err := listPackages()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range all {
		if path.Base(p.ImportPath) != name || !p.Module.Main {
			continue
		}
		g := &goPackage{fset: token.NewFileSet(), info: types.Info{
			Types: map[ast.Expr]types.TypeAndValue{}, Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{},
		}}
		for _, file := range p.GoFiles {
			f, err := parser.ParseFile(g.fset, filepath.Join(p.Dir, file), nil, parser.ParseComments|parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			g.files = append(g.files, f)
		}
		open := func(path string) (io.ReadCloser, error) { return os.Open(all[path].Export) }
		conf := types.Config{Importer: importer.ForCompiler(g.fset, "gc", open)}
		if g.types, err = conf.Check(p.ImportPath, g.fset, g.files, &g.info); err != nil {
			t.Fatal(err)
		}
		return g
	}
	t.Fatalf("the program has no package %s: if it has another name now, this test must know it", name)
	return nil
}

// named finds a type by its name.
func (g *goPackage) named(t *testing.T, name string) types.Type {
	t.Helper()
	found := g.types.Scope().Lookup(name)
	if found == nil {
		t.Fatalf("package %s has no type %s: if it has another name now, this test must know it", g.types.Name(), name)
	}
	return found.Type()
}

// each visits every node of a function, with the function.
func (g *goPackage) each(visit func(n ast.Node, fn *ast.FuncDecl)) {
	for _, f := range g.files {
		for _, d := range f.Decls {
			if fn, is := d.(*ast.FuncDecl); is {
				ast.Inspect(fn, func(n ast.Node) bool {
					if n != nil {
						visit(n, fn)
					}
					return true
				})
			}
		}
	}
}

// text is the value of a constant string.
func (g *goPackage) text(e ast.Expr) (string, bool) {
	value := g.info.Types[e].Value
	if value == nil || value.Kind() != constant.String {
		return "", false
	}
	return constant.StringVal(value), true
}

// compared are the texts that an expression, such as head.Do, is compared with or
// switched by.
func (g *goPackage) compared(expression string) map[string]bool {
	set := map[string]bool{}
	add := func(e ast.Expr) {
		if text, is := g.text(e); is {
			set[text] = true
		}
	}
	g.each(func(n ast.Node, _ *ast.FuncDecl) {
		switch n := n.(type) {
		case *ast.BinaryExpr:
			if types.ExprString(n.X) == expression {
				add(n.Y)
			}
		case *ast.SwitchStmt:
			if n.Tag == nil || types.ExprString(n.Tag) != expression {
				return
			}
			for _, clause := range n.Body.List {
				for _, e := range clause.(*ast.CaseClause).List {
					add(e)
				}
			}
		}
	})
	return set
}
