package wiretest

import (
	"go/ast"
	"go/constant"
	"go/types"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var verbType = regexp.MustCompile(`^Verb<(\w+), (.+)>$`)

// verbs are the verbs of the page script by name: the interface of their args,
// and the type of their result.
func verbs(t *testing.T, f *File) map[string][2]string {
	t.Helper()
	all := map[string][2]string{}
	for _, name := range []string{"ReadingVerbs", "PrivateVerbs"} {
		for _, field := range f.Interfaces[name].Fields {
			m := verbType.FindStringSubmatch(field.Type)
			if m == nil || f.Interfaces[m[1]] == nil {
				t.Fatalf("%s.%s is no Verb: %s", name, field.Name, field.Type)
			}
			all[field.Name] = [2]string{m[1], m[2]}
		}
	}
	return all
}

// TestVerbs compares the calls of the page script in package actions with what
// the page script takes and answers: names and kinds of all args, and of all
// that the answers are read into.
func TestVerbs(t *testing.T) {
	f := files(t, "verbs.ts")
	pkg, err := Load(root, "actions")
	if err != nil {
		t.Fatal(err)
	}
	calls, err := pkg.Calls()
	if err != nil {
		t.Fatal(err)
	}
	known := verbs(t, f)
	given, read, called := map[string]bool{}, map[string]bool{}, map[string]bool{}
	always := pkg.always()
	for _, c := range calls {
		verb, is := known[c.Verb]
		if !is {
			t.Errorf("%v: the page script has no verb %q", c.At, c.Verb)
			continue
		}
		called[c.Verb] = true
		maps.Copy(c.Args, always)
		checkArgs(t, f, c, f.Interfaces[verb[0]], given)
		if c.Result != nil {
			checkResult(t, f, c.At.String()+": the answer to "+c.Verb, c.Verb, verb[1], c.Result, read)
		}
	}
	for name, verb := range known {
		if !called[name] {
			t.Errorf("package actions never calls the verb %q", name)
		}
		for _, field := range f.Interfaces[verb[0]].Fields {
			if !given[name+"."+field.Name] {
				t.Errorf("package actions never gives %q to the verb %q", field.Name, name)
			}
		}
		unread(t, f, name, verb[1], read)
	}
}

func checkArgs(t *testing.T, f *File, c Call, args *Interface, given map[string]bool) {
	for name, typ := range c.Args {
		field, has := args.Field(name)
		if !has {
			t.Errorf("%v: the verb %q takes no %q", c.At, c.Verb, name)
			continue
		}
		given[c.Verb+"."+name] = true
		if want, got := f.Kind(field.Type), kindOfType(typ); got != want && got != "any" && want != "any" {
			t.Errorf("%v: %q of the verb %q is of kind %s in Go, and of kind %s in TypeScript", c.At, name, c.Verb, got, want)
		}
	}
	for _, field := range args.Fields {
		if _, has := c.Args[field.Name]; !has && !field.Optional {
			t.Errorf("%v: the verb %q wants %q", c.At, c.Verb, field.Name)
		}
	}
}

// always are the args that every call gets: what Page.arguments begins with.
func (t *Typed) always() map[string]types.Type {
	all := map[string]types.Type{}
	t.each(func(n ast.Node, fn *ast.FuncDecl) {
		lit, is := n.(*ast.CompositeLit)
		if !is || fn.Name.Name != "arguments" {
			return
		}
		if id, is := lit.Type.(*ast.Ident); !is || id.Name != "obj" {
			return
		}
		for _, e := range lit.Elts {
			kv := e.(*ast.KeyValueExpr)
			all[constant.StringVal(t.info.Types[kv.Key].Value)] = t.info.Types[kv.Value].Type
		}
	})
	return all
}

// checkResult compares a type of TypeScript with one of Go, and what is in them.
func checkResult(t *testing.T, f *File, what, path, ts string, typ types.Type, read map[string]bool) {
	if len(strings.Split(path, ".")) > 8 {
		return // a type that holds itself
	}
	ts = strings.TrimSpace(strings.Replace(ts, "| null", "", 1))
	if p, is := typ.Underlying().(*types.Pointer); is {
		typ = p.Elem()
	}
	if want, got := f.Kind(ts), kindOfType(typ); want != got && want != "any" && got != "any" {
		t.Errorf("%s: %s is of kind %s in Go, and of kind %s in TypeScript", what, path, got, want)
		return
	}
	if s, is := typ.Underlying().(*types.Slice); is {
		checkResult(t, f, what, path, strings.TrimSuffix(ts, "[]"), s.Elem(), read)
		return
	}
	s, is := typ.Underlying().(*types.Struct)
	i := f.Interfaces[ts]
	if !is || i == nil {
		return
	}
	for name, inner := range jsonFields(s) {
		n := slices.IndexFunc(i.Fields, func(f Field) bool { return strings.EqualFold(f.Name, name) })
		if n < 0 {
			t.Errorf("%s: %s has no %q in TypeScript", what, path, name)
			continue
		}
		read[i.Name+"."+i.Fields[n].Name] = true
		checkResult(t, f, what, path+"."+i.Fields[n].Name, i.Fields[n].Type, inner, read)
	}
}

// jsonFields are the fields of a struct as encoding/json reads them.
func jsonFields(s *types.Struct) map[string]types.Type {
	all := map[string]types.Type{}
	for i := range s.NumFields() {
		v := s.Field(i)
		name, tagged := tagName(s.Tag(i))
		if inner, is := v.Type().Underlying().(*types.Struct); is && v.Embedded() && !tagged {
			for k, t := range jsonFields(inner) {
				if _, shadowed := all[k]; !shadowed {
					all[k] = t
				}
			}
			continue
		}
		if name == "-" || !v.Exported() {
			continue
		}
		if name == "" {
			name = v.Name()
		}
		all[name] = v.Type()
	}
	return all
}

func tagName(tag string) (string, bool) {
	m := regexp.MustCompile(`json:"([^",]*)`).FindStringSubmatch(tag)
	if m == nil {
		return "", false
	}
	return m[1], true
}

// unread says what of an answer no Go type has.
func unread(t *testing.T, f *File, verb, ts string, read map[string]bool) {
	ts = strings.TrimSuffix(strings.TrimSpace(strings.Replace(ts, "| null", "", 1)), "[]")
	i := f.Interfaces[ts]
	if i == nil {
		return
	}
	for _, field := range i.Fields {
		key := i.Name + "." + field.Name
		if !read[key] {
			t.Errorf("package actions reads no %s of the verb %q", key, verb)
			read[key] = true // say it once
		} else if strings.TrimSuffix(field.Type, "[]") != i.Name {
			unread(t, f, verb, field.Type, read)
		}
	}
}

// kindOfType is what encoding/json makes of a type.
func kindOfType(typ types.Type) string {
	switch u := typ.Underlying().(type) {
	case *types.Pointer:
		return kindOfType(u.Elem())
	case *types.Slice:
		return "array"
	case *types.Map, *types.Struct:
		return "object"
	case *types.Basic:
		switch info := u.Info(); {
		case info&types.IsString != 0:
			return "string"
		case info&types.IsBoolean != 0:
			return "boolean"
		case info&types.IsNumeric != 0:
			return "number"
		}
	}
	return "any"
}
