package archtest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// goFile is a Go file of this repository that is not generated.
type goFile struct {
	name   string // its path below the root, with slashes
	source []byte
	set    *token.FileSet
	ast    *ast.File
}

func (f *goFile) folder() string { return path.Dir(f.name) }
func (f *goFile) isTest() bool   { return strings.HasSuffix(f.name, "_test.go") }

// isBelow reports whether the file is in a folder, or below it.
func (f *goFile) isBelow(folder string) bool { return strings.HasPrefix(f.name, folder+"/") }

// position is where a node begins: "relay/hub.go:12:3".
func (f *goFile) position(at token.Pos) token.Position { return f.set.Position(at) }

// readFiles reads all files once.
var readFiles = sync.OnceValues(func() (files []*goFile, err error) {
	root := filepath.Join("..", "..")
	err = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "node_modules" || d.Name() != ".." && d.Name()[0] == '.'):
			return fs.SkipDir
		case d.IsDir() || !strings.HasSuffix(path, ".go"):
			return nil
		}
		name, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		f := &goFile{name: filepath.ToSlash(name), set: token.NewFileSet()}
		if f.source, err = os.ReadFile(path); err != nil {
			return err
		}
		f.ast, err = parser.ParseFile(f.set, f.name, f.source, parser.ParseComments|parser.SkipObjectResolution)
		if err == nil && !ast.IsGenerated(f.ast) {
			files = append(files, f)
		}
		return err
	})
	return files, err
})

// goFiles are the Go files of this repository, tests among them, but for generated ones.
func goFiles(t *testing.T) []*goFile {
	t.Helper()
	files, err := readFiles()
	if err != nil {
		t.Fatal(err)
	}
	return files
}
