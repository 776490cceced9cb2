package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// named is a test function that belongs to a requirement by its name, or by
// that of a subtest.
type named struct{ pkg, test string }

// namesIn reads the tests below a folder: for each requirement, the functions whose
// name, or whose subtests' names, have its number. Subtests are found as string
// literals of the function; those of web/test are files. Numbers in comments do not
// count.
func namesIn(root string) (map[string][]named, error) {
	found := make(map[string][]named)
	add := func(ids []string, n named) {
		for _, id := range ids {
			if !slices.Contains(found[id], n) {
				found[id] = append(found[id], n)
			}
		}
	}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		below, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		folder := filepath.ToSlash(filepath.Dir(below))
		switch {
		case d.IsDir() && skipped(d.Name()):
			return fs.SkipDir
		case below == filepath.Join("internal", "trust", "main_test.go"): // it is about numbers
		case folder == "web/test/pages":
			add(subtestIDs(d.Name()), named{"web/test", "TestPages"})
		case strings.HasSuffix(path, "_test.go"):
			return testsIn(path, func(test string, ids []string) { add(ids, named{folder, test}) })
		}
		return nil
	})
	for _, list := range found {
		slices.SortFunc(list, func(a, b named) int { return strings.Compare(a.pkg+" "+a.test, b.pkg+" "+b.test) })
	}
	return found, err
}

// skipped reports whether a folder is not of this project.
func skipped(name string) bool {
	return name == "node_modules" || len(name) > 1 && strings.HasPrefix(name, ".")
}

// testsIn reads one file.
func testsIn(path string, add func(test string, ids []string)) error {
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
	if err != nil {
		return err
	}
	for _, d := range file.Decls {
		f, is := d.(*ast.FuncDecl)
		if !is || f.Recv != nil || !strings.HasPrefix(f.Name.Name, "Test") && !strings.HasPrefix(f.Name.Name, "Fuzz") {
			continue
		}
		add(f.Name.Name, requirementsOf(f.Name.Name))
		ast.Inspect(f.Body, func(n ast.Node) bool {
			if l, is := n.(*ast.BasicLit); is && l.Kind == token.STRING {
				if text, err := strconv.Unquote(l.Value); err == nil {
					add(f.Name.Name, subtestIDs(text))
				}
			}
			return true
		})
	}
	return nil
}

// subtestIDs reads the numbers in the name of a subtest.
func subtestIDs(name string) (ids []string) {
	for _, m := range inside.FindAllStringSubmatch(name, -1) {
		ids = append(ids, m[1])
	}
	return ids
}
