package archtest

import (
	"go/ast"
	"strings"
	"testing"
)

// TestDocComments wants each doc comment to begin with the name of what it stands above
// (Go Doc Comments, go.dev/doc/comment), after an article or without one. One that does
// not may have slipped to another declaration.
func TestDocComments(t *testing.T) {
	files := 0
	for _, f := range goFiles(t) {
		if f.isTest() {
			continue
		}
		files++
		for _, d := range f.ast.Decls {
			name, doc := documented(d)
			words := strings.Fields(doc.Text()) // none for directives
			if len(words) > 1 && (words[0] == "A" || words[0] == "An" || words[0] == "The") {
				words = words[1:]
			}
			if len(words) > 0 && strings.TrimSuffix(strings.Trim(words[0], ",:"), "'s") != name {
				t.Errorf("%s: the comment of %s begins with %q", f.position(doc.Pos()), name, words[0])
			}
		}
	}
	if files < 300 {
		t.Errorf("%d files", files)
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

// oneWord are names of functions that may have one word.
var oneWord = map[string]bool{"main": true, "init": true}

// TestFunctionsHaveTwoWords wants a function without a receiver to say in its name what it does with
// what: a word alone is found in a hundred places. A method has its noun in front.
func TestFunctionsHaveTwoWords(t *testing.T) {
	for _, f := range goFiles(t) {
		if f.isTest() || f.isBelow("internal/e2e") {
			continue
		}
		for _, d := range f.ast.Decls {
			fn, is := d.(*ast.FuncDecl)
			if !is || fn.Recv != nil || fn.Name.IsExported() || oneWord[fn.Name.Name] {
				continue
			}
			if strings.ToLower(fn.Name.Name) == fn.Name.Name {
				t.Errorf("%s: %s has one word: name it by a verb and a noun", f.position(fn.Pos()), fn.Name.Name)
			}
		}
	}
}
