package archtest

import (
	"go/ast"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"
)

// TestR298ListsOfNames compares the lists of names in the code with lists.txt: the cases of
// a switch, the elements of a list or set, and what texts are compared with, by function, and
// those of a regular expression. No test of behaviour has each entry of each list; here one
// that is added or left out shows in two files. -update writes the file.
func TestR298ListsOfNames(t *testing.T) {
	lists := map[string][]string{}
	eachFile(t, func(file *goFile) {
		folder := file.folder()
		if file.isTest() || strings.HasPrefix(folder, "internal/docgen") || strings.HasSuffix(folder, "test") || strings.HasSuffix(folder, "doc") {
			return
		}
		for _, d := range file.ast.Decls {
			if names := namesIn(d); len(names) > 1 {
				where := folder + " " + declarationName(d, names)
				lists[where] = append(lists[where], names...) // two files may have one for two systems
			}
		}
	})
	listsOfScripts(t, lists)
	text := "# where: names; see TestR298ListsOfNames\n"
	for _, where := range slices.Sorted(maps.Keys(lists)) {
		text += where + ": " + strings.Join(lists[where], " ") + "\n"
	}
	if *update {
		if err := os.WriteFile("lists.txt", []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	known := strings.Split(strings.TrimSpace(text), "\n")
	listed := append(readLines(t, "lists.txt"), known[0])
	for _, line := range known {
		if !slices.Contains(listed, line) {
			t.Errorf("lists.txt lacks, or has otherwise: %s", line)
		}
	}
	for _, line := range listed {
		if !slices.Contains(known, line) {
			t.Errorf("the code lacks, or has otherwise: %s", line)
		}
	}
	if len(known) < 300 {
		t.Errorf("%d lists were found only", len(known))
	}
}

// declarationName is the name of a declaration; its first entry where it has none.
func declarationName(d ast.Decl, names []string) string {
	name, _ := documented(d)
	if f, is := d.(*ast.FuncDecl); is {
		name = functionName(f)
	}
	if name == "" {
		name = "of " + names[0]
	}
	return name
}

// comparing are the functions that compare their arguments, or look them up.
var comparing = regexp.MustCompile(`^(Has|Cut|Trim)(Prefix|Suffix)$|^(Contains|ContainsAny|EqualFold)$|^(Get|Set|Del|Values)$`)

// splitting are the functions whose text has several names.
var splitting = regexp.MustCompile(`^(MustCompile|Fields|SplitSeq|NewReplacer)$`)

// words are the names in a text.
var words = regexp.MustCompile(`[\w./*@$+~-]{2,}`)

// namesIn yields the names that a declaration decides by, in their order.
func namesIn(d ast.Decl) (names []string) {
	add := func(list ...ast.Expr) {
		for _, e := range list {
			if pair, is := e.(*ast.KeyValueExpr); is {
				e = pair.Key
			}
			if literal, is := e.(*ast.BasicLit); is && literal.Kind == token.STRING {
				if name, err := strconv.Unquote(literal.Value); err == nil && name != "" && len(name) < 60 && !strings.ContainsAny(name, "%{") && !strings.ContainsFunc(name, unicode.IsSpace) {
					names = append(names, name)
				}
			}
		}
	}
	ast.Inspect(d, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CompositeLit:
			add(n.Elts...)
		case *ast.CaseClause:
			add(n.List...)
		case *ast.BinaryExpr:
			if n.Op == token.EQL || n.Op == token.NEQ {
				add(n.X, n.Y)
			}
		case *ast.CallExpr:
			if f, is := n.Fun.(*ast.SelectorExpr); is && splitting.MatchString(f.Sel.Name) && len(n.Args) > 0 {
				if literal, is := n.Args[0].(*ast.BasicLit); is {
					names = append(names, words.FindAllString(literal.Value, -1)...)
				}
			} else if is && comparing.MatchString(f.Sel.Name) {
				add(n.Args...)
			}
		}
		return true
	})
	return names
}

// scriptLists finds the names of TypeScript: in brackets and sets, in a regular expression,
// of cases and quoted members, and what is compared.
var scriptLists = regexp.MustCompile(`\[\s*(?:"[^"\s]+",?\s*){2,}\]|\bset\(\s*"[^)]*\)|/[^/*\s][^\n]*?\|[^\n]*?/[gimsuy]*[\s.,;)]|case "[^"\s]+"|\n\s*"[^"\s]+":|[=!]== "[^"\s]+"|(?:startsWith|endsWith|includes)\("[^"\s]+"`)

// listsOfScripts adds the names of each file, in their order.
func listsOfScripts(t *testing.T, lists map[string][]string) {
	t.Helper()
	root := filepath.Join("..", "..")
	err := filepath.WalkDir(filepath.Join(root, "web", "src"), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.Contains(d.Name(), ".ts") || strings.Contains(d.Name(), ".test.") || strings.HasSuffix(d.Name(), ".d.ts") || d.Name() == "cdp.ts" {
			return err
		}
		text, err := os.ReadFile(path)
		var names []string
		for _, list := range scriptLists.FindAllString(string(text), -1) {
			names = append(names, words.FindAllString(strings.TrimPrefix(list, "case "), -1)...)
		}
		if len(names) > 1 {
			lists[filepath.ToSlash(strings.TrimPrefix(path, root+string(filepath.Separator)))] = names
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
