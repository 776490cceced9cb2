package archtest

import (
	"bytes"
	"flag"
	"go/ast"
	"go/format"
	"go/token"
	"maps"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write limits.txt anew")

// limitName is how the name of a constant begins that limits something.
var limitName = regexp.MustCompile(`^([mM](ax|in|ost)|[lL](east|ongest|argest)|[dD]eepest|[fF]ewest|[sS]hortest)([A-Z]|$)`)

// TestR295EveryLimitIsListed wants a row in limits.txt for each constant that limits
// something: its number, and the test of its package that goes to it, over it by one, and
// to it again (internal/limittest). Where nothing can go over it, the row says why.
func TestR295EveryLimitIsListed(t *testing.T) {
	found, tests := map[string]string{}, map[string]*ast.FuncDecl{}
	eachFile(t, func(file *goFile) {
		folder := file.folder()
		if file.isTest() {
			for _, d := range file.ast.Decls {
				if f, is := d.(*ast.FuncDecl); is {
					tests[folder+" "+f.Name.Name] = f
				}
			}
			return
		}
		eachComparison(file.ast, func(length, limit ast.Expr) {
			if number, is := limit.(*ast.BasicLit); is && isLength(length) {
				if n, err := strconv.ParseInt(number.Value, 0, 64); err == nil && n >= 32 {
					t.Errorf("%s: a limit has a name, so that it is in limits.txt", file.position(number.Pos()))
				}
			}
		})
		for name, value := range limitsOf(file.ast) {
			var text bytes.Buffer
			if err := format.Node(&text, file.set, value); err != nil {
				t.Fatal(err)
			}
			found[folder+" "+name] = strings.ReplaceAll(text.String(), " ", "")
		}
	})
	rows := map[string][]string{}
	for _, line := range readLines(t, "limits.txt") {
		columns := strings.SplitN(line, " ", 4)
		rows[columns[0]+" "+columns[1]] = columns[2:]
	}
	if *update {
		writeLimits(t, found, rows)
		return
	}
	for limit, number := range found {
		folder, name, _ := strings.Cut(limit, " ")
		switch row := rows[limit]; {
		case row == nil:
			t.Errorf("%s: this limit has no row in limits.txt: add one, with a test that reaches the limit", limit)
		case row[0] != number:
			t.Errorf("%s is %s, and %s in limits.txt", limit, number, row[0])
		case !strings.HasPrefix(row[1], "(") && !isTested(tests, folder, name, row[1]):
			t.Errorf("%s: %s is no test that uses the constant", limit, row[1])
		}
	}
	for limit := range rows {
		if found[limit] == "" {
			t.Errorf("%s: limits.txt has a row for what is no limit any more", limit)
		}
	}
	if len(found) < 200 {
		t.Errorf("%d limits were found only", len(found))
	}
}

// limitsOf yields the constants of a file that limit something: by their names, or since a
// length is compared with them. Those of a function have its name before theirs.
func limitsOf(file *ast.File) map[string]ast.Expr {
	compared := map[string]bool{}
	eachComparison(file, func(length, limit ast.Expr) {
		if name, is := limit.(*ast.Ident); is && isLength(length) {
			compared[name.Name] = true
		}
	})
	limits := map[string]ast.Expr{}
	for _, d := range file.Decls {
		prefix := ""
		if f, is := d.(*ast.FuncDecl); is {
			prefix = f.Name.Name + "."
		}
		ast.Inspect(d, func(n ast.Node) bool {
			g, is := n.(*ast.GenDecl)
			if !is || g.Tok != token.CONST {
				return true
			}
			for _, s := range g.Specs {
				s, _ := s.(*ast.ValueSpec)
				for i, name := range s.Names {
					if i < len(s.Values) && (limitName.MatchString(name.Name) || compared[name.Name]) && !isText(s.Values[i]) {
						limits[prefix+name.Name] = s.Values[i]
					}
				}
			}
			return false
		})
	}
	return limits
}

func eachComparison(file *ast.File, f func(x, y ast.Expr)) {
	ast.Inspect(file, func(n ast.Node) bool {
		if b, is := n.(*ast.BinaryExpr); is && (b.Op == token.LSS || b.Op == token.LEQ || b.Op == token.GTR || b.Op == token.GEQ) {
			f(b.X, b.Y)
		}
		return true
	})
}

func isLength(e ast.Expr) bool {
	call, is := e.(*ast.CallExpr)
	if !is || len(call.Args) > 1 {
		return false
	}
	switch f := call.Fun.(type) {
	case *ast.Ident:
		return f.Name == "len"
	case *ast.SelectorExpr:
		return f.Sel.Name == "Len"
	}
	return false
}

func isText(e ast.Expr) bool {
	literal, is := e.(*ast.BasicLit)
	return is && literal.Kind == token.STRING
}

// isTested reports whether a test uses a constant: "Test" of the same package, or
// "folder:Test". A constant of a function has no name outside of it.
func isTested(tests map[string]*ast.FuncDecl, folder, name, test string) bool {
	if other, of, elsewhere := strings.Cut(test, ":"); elsewhere {
		folder, test = other, of
	}
	f := tests[folder+" "+test]
	return f != nil && (strings.Contains(name, ".") || mentions(f, name))
}

// mentions reports whether a function uses a name.
func mentions(f *ast.FuncDecl, name string) (found bool) {
	ast.Inspect(f, func(n ast.Node) bool {
		id, is := n.(*ast.Ident)
		found = found || is && id.Name == name
		return !found
	})
	return found
}

func writeLimits(t *testing.T, found map[string]string, rows map[string][]string) {
	t.Helper()
	text := "# folder limit number test: see TestR295EveryLimitIsListed; go test ./internal/archtest -run R295 -update\n"
	for _, limit := range slices.Sorted(maps.Keys(found)) {
		test := "?"
		if row := rows[limit]; row != nil {
			test = row[1]
		}
		text += limit + " " + found[limit] + " " + test + "\n"
	}
	if err := os.WriteFile("limits.txt", []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// readLines returns the lines of a file of this folder that are no comments.
func readLines(t *testing.T, file string) (lines []string) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if line = strings.TrimSpace(line); line != "" && line[0] != '#' {
			lines = append(lines, line)
		}
	}
	return lines
}

// eachFile calls f for each Go file of the product and of its tests.
func eachFile(t *testing.T, f func(file *goFile)) {
	t.Helper()
	for _, file := range goFiles(t) {
		if !slices.ContainsFunc(helpers, file.isBelow) {
			f(file)
		}
	}
}

// helpers are folders of programs that build, measure or test the product.
var helpers = []string{"internal/e2e", "internal/chaos", "web/build", "web/test", "examples", "packaging"}
