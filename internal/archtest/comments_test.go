package archtest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
)

// TestDocComments wants each doc comment to begin with the name of what it stands above
// (Go Doc Comments, go.dev/doc/comment), after an article or without one. One that does
// not may have slipped to another declaration.
func TestDocComments(t *testing.T) {
	root := filepath.Join("..", "..")
	files := 0
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch name := d.Name(); {
		case err != nil:
			return err
		case d.IsDir() && (name == "node_modules" || name == ".tools" || name == ".git"):
			return fs.SkipDir
		case !strings.HasSuffix(name, ".go"), strings.HasSuffix(name, "_test.go"):
			return nil
		}
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, path, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil || ast.IsGenerated(file) {
			return err
		}
		files++
		for _, d := range file.Decls {
			name, doc := documented(d)
			words := strings.Fields(doc.Text()) // none for directives
			if len(words) > 1 && (words[0] == "A" || words[0] == "An" || words[0] == "The") {
				words = words[1:]
			}
			if len(words) > 0 && strings.TrimSuffix(strings.Trim(words[0], ",:"), "'s") != name {
				t.Errorf("%s: the comment of %s begins with %q", set.Position(doc.Pos()), name, words[0])
			}
		}
		return nil
	})
	if err != nil || files < 300 {
		t.Errorf("%d files: %v", files, err)
	}
}

// documented is the first name that a declaration declares, and its comment. Groups in
// parentheses have none: theirs is for all in them.
func documented(d ast.Decl) (name string, doc *ast.CommentGroup) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		return d.Name.Name, d.Doc
	case *ast.GenDecl:
		if d.Lparen.IsValid() {
			return "", nil
		}
		switch s := d.Specs[0].(type) {
		case *ast.TypeSpec:
			return s.Name.Name, d.Doc
		case *ast.ValueSpec:
			return s.Names[0].Name, d.Doc
		}
	}
	return "", nil
}
