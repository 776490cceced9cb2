package auth

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"
)

// named are words that a variable with a token in it would be called by.
var named = regexp.MustCompile(`(?i)(token|secret|digest|bearer|password)$`)

// TestR25TokensAreComparedInConstantTime wants the types of tokens to have no
// other comparison than digest.is, and the sources to have none on what is
// called a token.
func TestR25TokensAreComparedInConstantTime(t *testing.T) {
	for _, v := range []any{Secret{}, digest{}, entry{}, lease{}, credential{}} {
		if reflect.TypeOf(v).Comparable() {
			t.Errorf("%T can be compared with ==", v)
		}
	}
	compared, files := 0, 0
	err := filepath.WalkDir("../..", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "node_modules" || strings.HasPrefix(d.Name(), ".") && d.Name() != ".." && d.Name() != "."):
			return filepath.SkipDir
		case d.IsDir() && (d.Name() == "wsconn" || d.Name() == "rewrite"): // their tokens are words of headers, documents and scripts
			return filepath.SkipDir
		case d.IsDir() || filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		files++
		set := token.NewFileSet()
		f, err := parser.ParseFile(set, path, nil, 0)
		if err != nil {
			return err
		}
		ast.Inspect(f, func(n ast.Node) bool {
			if at, what := comparison(n); what != "" {
				t.Errorf("%s compares %s", set.Position(at), what)
			}
			if call, ok := n.(*ast.CallExpr); ok && called(call) == "ConstantTimeCompare" {
				compared++
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if compared == 0 || files < 50 {
		t.Errorf("in %d files %d constant-time comparisons were found", files, compared)
	}
}

// comparison finds a comparison of what is called a token with anything but
// an empty string or nil.
func comparison(n ast.Node) (at token.Pos, what string) {
	var sides []ast.Expr
	switch n := n.(type) {
	case *ast.BinaryExpr:
		if n.Op == token.EQL || n.Op == token.NEQ {
			sides = []ast.Expr{n.X, n.Y}
		}
	case *ast.CallExpr:
		if name := called(n); name == "Equal" || name == "EqualFold" || name == "Compare" {
			sides = n.Args
		}
	}
	for _, s := range sides {
		if lit, ok := s.(*ast.BasicLit); ok && lit.Value == `""` {
			return 0, ""
		}
		if id, ok := s.(*ast.Ident); ok && id.Name == "nil" {
			return 0, ""
		}
	}
	for _, s := range sides {
		if name := nameOf(s); named.MatchString(name) {
			return n.Pos(), name
		}
	}
	return 0, ""
}

func called(c *ast.CallExpr) string { return nameOf(c.Fun) }

func nameOf(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.SelectorExpr:
		if of, is := e.X.(*ast.Ident); is && of.Name == "html" { // the kinds of tokens of package html
			return ""
		}
		return e.Sel.Name
	}
	return ""
}

func TestR25FindsComparisons(t *testing.T) {
	for source, want := range map[string]string{
		`a.Token == b`: "Token", `x != hostToken`: "hostToken", `bytes.Equal(x, secret)`: "secret", `strings.EqualFold(t.bearer, x)`: "bearer",
		`token == ""`: "", `secret != nil`: "", `a == b`: "", `digest.is(x)`: "", `t.kind == html.TextToken`: "",
	} {
		e, err := parser.ParseExpr(source)
		if err != nil {
			t.Fatal(err)
		}
		if _, got := comparison(e); got != want {
			t.Errorf("%s: found %q, want %q", source, got, want)
		}
	}
}

func TestR31SecretsDoNotPrint(t *testing.T) {
	s := NewSecret("swordfish-swordfish")
	core, logs := observer.New(zap.DebugLevel)
	zap.New(core).Info("x", zap.Any("any", s), zap.Stringer("stringer", s), zap.Reflect("pass", Pass{secret: s}))
	for _, got := range []string{
		fmt.Sprint(s), fmt.Sprintf("%v %+v %#v %s %q", s, s, s, s, s), fmt.Sprintf("%v %+v", []Secret{s}, Pass{secret: s}),
		fmt.Sprint(logs.All()[0].ContextMap()),
	} {
		if strings.Contains(got, "swordfish") {
			t.Errorf("it printed %s", got)
		}
	}
	if got := s.String(); got != "bearer.***" {
		t.Errorf("it is shown as %q, want bearer.***", got)
	}
}
