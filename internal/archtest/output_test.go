package archtest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"testing"
)

// TestR271CommandsWriteToTheirStreams wants the streams of the process to be named in one
// file of the command line, which makes a plain.Writer of each.
func TestR271CommandsWriteToTheirStreams(t *testing.T) {
	named := 0
	for _, folder := range []string{"cmd/cdphub", "internal/cli"} {
		files, err := filepath.Glob(filepath.Join("../..", folder, "*.go"))
		if err != nil || len(files) == 0 {
			t.Fatal(folder, err)
		}
		for _, file := range files {
			if strings.HasSuffix(file, "_test.go") {
				continue
			}
			set := token.NewFileSet()
			parsed, err := parser.ParseFile(set, file, nil, 0)
			if err != nil {
				t.Fatal(err)
			}
			ast.Inspect(parsed, func(n ast.Node) bool {
				use, is := n.(*ast.SelectorExpr)
				if !is || use.Sel.Name != "Stdout" && use.Sel.Name != "Stderr" {
					return true
				}
				if of, is := use.X.(*ast.Ident); !is || of.Name != "os" {
					return true
				}
				if named++; filepath.Base(file) != "main.go" {
					t.Errorf("%s: commands write to their streams, whose text is plain", set.Position(use.Pos()))
				}
				return true
			})
		}
	}
	if named == 0 {
		t.Error("no stream was found")
	}
}
