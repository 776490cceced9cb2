package wiretest

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// A Source is the Go files of one folder, without tests and what is generated.
type Source struct {
	dir   string
	files []*ast.File
}

// ReadSource parses the first of the folders that is there.
func ReadSource(root string, folders ...string) (*Source, error) {
	for _, folder := range folders {
		dir := filepath.Join(root, folder)
		if _, err := os.Stat(dir); err != nil {
			continue
		}
		s := &Source{dir: folder}
		names, err := filepath.Glob(filepath.Join(dir, "*.go"))
		if err != nil {
			return nil, err
		}
		fset := token.NewFileSet()
		for _, name := range names {
			if strings.HasSuffix(name, "_test.go") || strings.HasSuffix(name, "_easyjson.go") {
				continue
			}
			f, err := parser.ParseFile(fset, name, nil, parser.ParseComments)
			if err != nil {
				return nil, err
			}
			s.files = append(s.files, f)
		}
		return s, nil
	}
	return nil, fmt.Errorf("none of the folders %q is there", folders)
}

// each calls visit for every node of the folder.
func (s *Source) each(visit func(ast.Node)) {
	for _, f := range s.files {
		ast.Inspect(f, func(n ast.Node) bool {
			if n != nil {
				visit(n)
			}
			return true
		})
	}
}

// Comments is the text of all comments.
func (s *Source) Comments() string {
	var all strings.Builder
	for _, f := range s.files {
		for _, g := range f.Comments {
			all.WriteString(g.Text() + "\n")
		}
	}
	return all.String()
}

// functions are the functions and methods by name; those of one name are one list.
func (s *Source) functions() map[string][]*ast.FuncDecl {
	all := map[string][]*ast.FuncDecl{}
	s.each(func(n ast.Node) {
		if f, is := n.(*ast.FuncDecl); is && f.Body != nil {
			all[f.Name.Name] = append(all[f.Name.Name], f)
		}
	})
	return all
}

// A Member is a field of a struct as JSON has it.
type Member struct {
	Kind     string
	Optional bool   // omitempty
	Go       string // its name in Go
}

// Struct has the members of a struct type by their names in JSON, with those
// of structs that it embeds.
func (s *Source) Struct(name string) (map[string]Member, error) {
	var found *ast.StructType
	s.each(func(n ast.Node) {
		if t, is := n.(*ast.TypeSpec); is && t.Name.Name == name {
			found, _ = t.Type.(*ast.StructType)
		}
	})
	if found == nil {
		return nil, fmt.Errorf("%s has no struct %s: if it has another name now, this test must know it", s.dir, name)
	}
	members := map[string]Member{}
	for _, f := range found.Fields.List {
		if len(f.Names) == 0 {
			inner, err := s.Struct(f.Type.(*ast.Ident).Name)
			if err != nil {
				return nil, err
			}
			maps.Copy(members, inner)
			continue
		}
		if f.Tag == nil {
			continue
		}
		tag, err := strconv.Unquote(f.Tag.Value)
		if err != nil {
			return nil, err
		}
		json, more, _ := strings.Cut(reflect.StructTag(tag).Get("json"), ",")
		members[json] = Member{Kind: kindOfExpr(f.Type), Optional: strings.Contains(more, "omitempty"), Go: f.Names[0].Name}
	}
	return members, nil
}

// kindOfExpr is what encoding/json makes of a type. Bytes are base64.
func kindOfExpr(e ast.Expr) string {
	switch t := e.(type) {
	case *ast.StarExpr:
		return kindOfExpr(t.X)
	case *ast.ArrayType:
		if id, is := t.Elt.(*ast.Ident); is && id.Name == "byte" {
			return "string"
		}
		return "array"
	case *ast.MapType, *ast.StructType:
		return "object"
	case *ast.SelectorExpr:
		if t.Sel.Name == "Time" { // of package time: RFC 3339
			return "string"
		}
	case *ast.Ident:
		switch t.Name {
		case "string", "bool", "any":
			return map[string]string{"string": "string", "bool": "boolean", "any": "any"}[t.Name]
		case "int", "int32", "int64", "uint16", "uint32", "uint64", "float64":
			return "number"
		}
	}
	return "object"
}

// Compared are the texts that a field, such as "Do", is compared with or
// switched by.
func (s *Source) Compared(field string) []string {
	set := map[string]bool{}
	is := func(e ast.Expr) bool {
		sel, ok := e.(*ast.SelectorExpr)
		return ok && sel.Sel.Name == field
	}
	s.each(func(n ast.Node) {
		switch n := n.(type) {
		case *ast.BinaryExpr:
			if is(n.X) {
				add(set, n.Y)
			}
		case *ast.SwitchStmt:
			if n.Tag == nil || !is(n.Tag) {
				return
			}
			for _, c := range n.Body.List {
				for _, e := range c.(*ast.CaseClause).List {
					add(set, e)
				}
			}
		}
	})
	return slices.Sorted(maps.Keys(set))
}

func add(set map[string]bool, e ast.Expr) {
	if text, ok := literalText(e); ok {
		set[text] = true
	}
}

// literalText is the text of a string literal.
func literalText(e ast.Expr) (string, bool) {
	lit, is := e.(*ast.BasicLit)
	if !is || lit.Kind != token.STRING {
		return "", false
	}
	text, err := strconv.Unquote(lit.Value)
	return text, err == nil
}

// Literals are the composite literals of a struct type: the names of the
// fields that each sets, by the text of the field `by`.
func (s *Source) Literals(typ, by string) map[string][]string {
	all := map[string][]string{}
	s.each(func(n ast.Node) {
		lit, is := n.(*ast.CompositeLit)
		if !is {
			return
		}
		if id, named := lit.Type.(*ast.Ident); !named || id.Name != typ {
			return
		}
		var which string
		var names []string
		for _, e := range lit.Elts {
			kv, is := e.(*ast.KeyValueExpr)
			if !is {
				continue
			}
			name := kv.Key.(*ast.Ident).Name
			if name == by {
				which, _ = literalText(kv.Value)
			}
			names = append(names, name)
		}
		all[which] = append(all[which], names...)
	})
	return all
}
