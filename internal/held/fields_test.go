package held

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/cdphub/cdphub/"

// outside are folders whose code does not run in a hub, and packages that keep nothing.
var outside = []string{
	"cmd", "docs", "examples", "npm", "packaging", "testdata", "web", "internal/cluster/nats", "actions/actionstest", "actions/conformance", "actions/remote", "internal/journal/replay", "internal/journal/export",
	"internal/browsertest", "internal/chaos", "internal/cli", "internal/e2e", "internal/hubtest", "internal/logging", "internal/plain", ".tools",
}

// typeKey names a type by its package and its name.
type typeKey struct{ pkg, name string }

// source is a type as it was declared.
type source struct {
	expr    ast.Expr
	imports map[string]string // packages of this module by the names that the file has for them
}

// TestR290EveryFieldIsCounted finds what can hold something, in every struct that has a lock, and in those inside
// it: maps, slices, channels and counters. Each is counted by its tag, or says why it may stay. A new
// field fails here until it does.
func TestR290EveryFieldIsCounted(t *testing.T) {
	types := parseTypes(t)
	walked := make(map[typeKey]bool)
	fields := 0
	var visit func(k typeKey, whole bool)
	visit = func(k typeKey, whole bool) {
		s, is := types[k].expr.(*ast.StructType)
		if !is || walked[k] {
			return
		}
		walked[k] = true
		guarded := whole && !hasField(s, "mu")
		for _, f := range s.Fields.List {
			named, kind := types.kindOf(k, f.Type)
			tag := tagOf(f)
			what, counted := tag.Lookup("held")
			why, stays := tag.Lookup("stays")
			if nameOf(f) == "mu" {
				if guarded = true; stays {
					return // all that it guards may stay
				}
			}
			switch {
			case !guarded && kind != "atomic":
			case stays && len(why) < 8, counted && what == "":
				t.Errorf("%s.%s: the field %s has an empty tag", k.pkg, k.name, nameOf(f))
			case counted && what == "*":
				visit(named, true)
			case stays || counted:
			case kind == "struct":
				visit(named, true)
			case kind != "":
				t.Errorf("%s.%s: the field %s is a %s: tag it `held:\"what it holds\"`, or `stays:\"why it may\"`", k.pkg, k.name, nameOf(f), kind)
			}
			fields++
		}
	}
	for k, s := range types {
		if holders[k] || hasLock(s.expr) {
			visit(k, holders[k])
		}
	}
	if len(walked) < 60 || fields < 400 {
		t.Errorf("only %d structs with %d fields were found", len(walked), fields)
	}
}

type sources map[typeKey]source

// holders are the types that have a method Held.
var holders = make(map[typeKey]bool)

// parseTypes reads the types of all packages.
func parseTypes(t *testing.T) sources {
	t.Helper()
	all := make(sources)
	err := filepath.WalkDir("../..", func(file string, d fs.DirEntry, err error) error {
		rel, _ := filepath.Rel("../..", file)
		if err == nil && d.IsDir() {
			for _, skipped := range outside {
				if rel == skipped {
					return fs.SkipDir
				}
			}
		}
		if err != nil || !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go") || strings.HasSuffix(file, "_other.go") {
			return err
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		if err == nil {
			all.addFile(path.Dir(filepath.ToSlash(rel)), parsed)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func (all sources) addFile(pkg string, file *ast.File) {
	imports := make(map[string]string)
	for _, i := range file.Imports {
		full, _ := strconv.Unquote(i.Path.Value)
		if of, own := strings.CutPrefix(full, module); own {
			imports[path.Base(of)] = of
		}
	}
	for _, d := range file.Decls {
		if f, is := d.(*ast.FuncDecl); is && f.Name.Name == "Held" && f.Recv != nil {
			holders[typeKey{pkg, f.Recv.List[0].Type.(*ast.StarExpr).X.(*ast.Ident).Name}] = true
		}
	}
	ast.Inspect(file, func(n ast.Node) bool {
		if spec, is := n.(*ast.TypeSpec); is {
			all[typeKey{pkg, spec.Name.Name}] = source{spec.Type, imports}
		}
		return true
	})
}

// kindOf is what a field of a struct is, if it can hold something, and its type if that is a
// struct or leads to one.
func (all sources) kindOf(in typeKey, e ast.Expr) (named typeKey, kind string) {
	switch x := e.(type) {
	case *ast.MapType:
		named, _ = all.kindOf(in, x.Value)
		return named, "map"
	case *ast.ArrayType:
		if named, kind = all.kindOf(in, x.Elt); x.Len == nil {
			kind = "slice"
		}
		return named, kind
	case *ast.ChanType:
		return named, "channel"
	case *ast.StarExpr:
		named, _ = all.kindOf(in, x.X)
		return named, ""
	case *ast.IndexExpr:
		return all.kindOf(in, x.X)
	case *ast.IndexListExpr:
		return all.kindOf(in, x.X)
	case *ast.StructType:
		return in, "struct without a name"
	case *ast.SelectorExpr:
		pkg := x.X.(*ast.Ident).Name
		if of := all[in].imports[pkg]; of != "" {
			return all.kindOfNamed(typeKey{of, x.Sel.Name})
		}
		switch full := pkg + "." + x.Sel.Name; {
		case full == "sync.Map" || full == "list.List" || full == "bytes.Buffer":
			return named, "container"
		case strings.HasPrefix(full, "atomic.Int") || strings.HasPrefix(full, "atomic.Uint"):
			return named, "atomic"
		}
	case *ast.Ident:
		if strings.HasPrefix(x.Name, "int") || strings.HasPrefix(x.Name, "uint") {
			return named, "counter"
		}
		return all.kindOfNamed(typeKey{in.pkg, x.Name})
	}
	return named, ""
}

// kindOfNamed is kindOf for a type with a name.
func (all sources) kindOfNamed(k typeKey) (typeKey, string) {
	switch e := all[k].expr.(type) {
	case nil:
		return k, ""
	case *ast.StructType:
		return k, "struct"
	default:
		return all.kindOf(k, e)
	}
}

// hasLock reports whether a type is a struct with a lock or an atomic counter: something that
// several goroutines use, for longer than one call.
func hasLock(e ast.Expr) bool {
	s, is := e.(*ast.StructType)
	if !is {
		return false
	}
	for _, f := range s.Fields.List {
		if x, is := f.Type.(*ast.SelectorExpr); is {
			switch pkg, _ := x.X.(*ast.Ident); pkg.Name + "." + x.Sel.Name {
			case "sync.Mutex", "sync.RWMutex", "sync.Locker", "sync.Map", "atomic.Int32", "atomic.Int64", "atomic.Uint32", "atomic.Uint64":
				return true
			}
		}
	}
	return false
}

func hasField(s *ast.StructType, name string) bool {
	return slices.ContainsFunc(s.Fields.List, func(f *ast.Field) bool { return nameOf(f) == name })
}

func tagOf(f *ast.Field) reflect.StructTag {
	if f.Tag == nil {
		return ""
	}
	text, _ := strconv.Unquote(f.Tag.Value)
	return reflect.StructTag(text)
}

func nameOf(f *ast.Field) string {
	if len(f.Names) == 0 {
		return "that is embedded"
	}
	return f.Names[0].Name
}
