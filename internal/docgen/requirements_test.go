package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// TestRequirementsHaveTests wants a test with the number of each requirement in its name, TestR24ScopesRefuseWrites, or in
// that of a subtest, "R-24 writes", and a requirement for each number.
func TestRequirementsHaveTests(t *testing.T) {
	numbers := numbersOfTests(t)
	for _, s := range sections {
		for _, r := range s.List {
			if numbers[r.ID] == "" {
				t.Errorf("no test has the number %s in its name: %s", r.ID, r.What)
			}
			delete(numbers, r.ID)
		}
	}
	for id, test := range numbers {
		t.Errorf("requirements.go lacks %s, which %s has in its name", id, test)
	}
}

var (
	ofFunction = regexp.MustCompile(`^(?:Test|Fuzz)((?:[RF]\d{2,3})+)(?:[^0-9]|$)`)
	oneNumber  = regexp.MustCompile(`([RF])(\d{2,3})`)
	ofSubtest  = regexp.MustCompile(`(?:^|[/_ ])([RF]-\d{2,3})(?:[^0-9]|$)`)
)

// testNumbers has for each number a test that has it in its name.
type testNumbers map[string]string

// numbersOfTests reads the names of all tests.
func numbersOfTests(t *testing.T) testNumbers {
	t.Helper()
	numbers := testNumbers{}
	err := filepath.WalkDir(filepath.Join("..", ".."), func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "node_modules" || len(d.Name()) > 2 && d.Name()[0] == '.'):
			return fs.SkipDir
		case strings.HasSuffix(filepath.ToSlash(filepath.Dir(path)), "web/test/pages"): // each is a subtest of TestPages
			numbers.addSubtest(d.Name(), path)
		case strings.HasSuffix(path, "_test.go"):
			return numbers.addFile(path)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return numbers
}

// addFile reads the tests of a file. Each text in a test may be the name of a subtest; numbers in comments do not count.
func (numbers testNumbers) addFile(path string) error {
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
	if err != nil {
		return err
	}
	for _, d := range file.Decls {
		f, is := d.(*ast.FuncDecl)
		if !is || f.Recv != nil || !strings.HasPrefix(f.Name.Name, "Test") && !strings.HasPrefix(f.Name.Name, "Fuzz") {
			continue
		}
		if m := ofFunction.FindStringSubmatch(f.Name.Name); m != nil {
			for _, n := range oneNumber.FindAllStringSubmatch(m[1], -1) {
				numbers[n[1]+"-"+n[2]] = f.Name.Name
			}
		}
		ast.Inspect(f.Body, func(n ast.Node) bool {
			if l, is := n.(*ast.BasicLit); is && l.Kind == token.STRING {
				if text, err := strconv.Unquote(l.Value); err == nil {
					numbers.addSubtest(text, f.Name.Name)
				}
			}
			return true
		})
	}
	return nil
}

func (numbers testNumbers) addSubtest(name, test string) {
	for _, m := range ofSubtest.FindAllStringSubmatch(name, -1) {
		numbers[m[1]] = test
	}
}
