package archtest

import (
	"go/ast"
	"path"
	"testing"
)

// TestR271CommandsWriteToTheirStreams wants the streams of the process to be named in one
// file of the command line, which makes a plain.Writer of each.
func TestR271CommandsWriteToTheirStreams(t *testing.T) {
	named := 0
	for _, f := range goFiles(t) {
		if f.isTest() || f.folder() != "cmd/cdphub" && f.folder() != "internal/cli" {
			continue
		}
		ast.Inspect(f.ast, func(n ast.Node) bool {
			use, is := n.(*ast.SelectorExpr)
			if !is || use.Sel.Name != "Stdout" && use.Sel.Name != "Stderr" {
				return true
			}
			if of, is := use.X.(*ast.Ident); !is || of.Name != "os" {
				return true
			}
			if named++; path.Base(f.name) != "main.go" {
				t.Errorf("%s: commands write to their streams, whose text is plain", f.position(use.Pos()))
			}
			return true
		})
	}
	if named == 0 {
		t.Error("no stream was found")
	}
}
