package archtest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// exactErrors are the messages of errors that say no more than what has happened: all of
// them are Chromium's own, which Clients compare. Those of icdp are not here: they go on
// after a colon.
var exactErrors = map[string]bool{
	"No target with given id found":                true,
	"Could not find node with given id":            true,
	"DOM agent needs to be enabled first.":         true,
	"DOM should be enabled first":                  true,
	"Detached while handling command.":             true,
	"Invalid remote object id":                     true,
	"Not allowed":                                  true,
	"Script not found":                             true,
	"No target with given id":                      true,
	"No session with given id":                     true,
	"Session id must be specified":                 true,
	"Session with given id not found.":             true,
	"Failed to find browser context with id ":      true,
	"Failed to find context with id ":              true,
	"Failed to find browser context for id ":       true,
	"Browser window not found":                     true,
	"No dialog is showing":                         true,
	"Fetch domain is not enabled":                  true,
	"Invalid InterceptionId.":                      true,
	"Invalid stream handle":                        true,
	"downloadPath not provided":                    true,
	"Message must be an object":                    true,
	"Message must have integer 'id' property":      true,
	"Message must have string 'method' property":   true,
	"Message may have string 'sessionId' property": true,
	"Message may have object 'params' property":    true,
	"JSON: duplicate map key":                      true,
	"JSON: invalid number":                         true,
	"'' wasn't found":                              true, // wire.Error.Advise adds the rest where the hub knows it
	"Host is not connected":                        true, // the same, as for the next ones
	"Host is not responding":                       true,
	"Target.createTarget is not supported":         true,
}

// TestR338ErrorsSayWhatToDo walks every error that the hub makes for Clients: its message
// alone says what has happened and, after a colon or in another sentence, why or what to
// do. Playwright prints nothing but the message.
func TestR338ErrorsSayWhatToDo(t *testing.T) {
	used := map[string]bool{}
	count := 0
	for _, dir := range []string{"relay", "bridge", "targets", "session", "internal/scope", "internal/downloads", "internal/wire"} {
		forEachError(t, filepath.Join("..", "..", dir), func(at, text string, data bool) {
			count++
			switch {
			case strings.Contains(text, "icdp"):
				t.Errorf("%s: %q speaks of icdp, which no user knows", at, text)
			case data:
				t.Errorf("%s: %q has words in its data: put them into the message (wire.Error.Advise)", at, text)
			case exactErrors[text]:
				used[text] = true
			case text != "" && !saysMore(text):
				t.Errorf("%s: %q says only what has happened: say why or what to do, after a colon, or add it to exactErrors if it is Chromium's", at, text)
			}
		})
	}
	for text := range exactErrors {
		if !used[text] {
			t.Errorf("no error has the message %q of exactErrors any more", text)
		}
	}
	if count < 60 {
		t.Errorf("only %d errors were found", count)
	}
}

// saysMore reports whether a message has more than one clause.
func saysMore(text string) bool {
	for _, mark := range []string{": ", ". ", " - ", "; ", ", and "} {
		if strings.Contains(text, mark) {
			return true
		}
	}
	return false
}

// browserSays is the variable of an error that a real browser has answered with. Its message
// stays as it is, so that advice goes into its data.
const browserSays = "failure"

// forEachError calls found with the message of each wire.Error that the code of a folder
// makes, as far as it is written there, and whether it has Data of its own.
func forEachError(t *testing.T, dir string, found func(at, text string, data bool)) {
	t.Helper()
	err := fs.WalkDir(os.DirFS(dir), ".", func(path string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") || strings.HasSuffix(path, "_easyjson.go") {
			return err
		}
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, filepath.Join(dir, path), nil, 0)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.CallExpr:
				name := lastName(n.Fun)
				if (name == "ServerError" || name == "InvalidParams") && len(n.Args) == 1 {
					text := joinLiterals(n.Args[0])
					if name == "InvalidParams" && text != "" {
						text = "Invalid parameters: " + text
					}
					found(set.Position(n.Pos()).String(), text, false)
				}
			case *ast.CompositeLit:
				if lastName(n.Type) == "Error" && len(n.Elts) > 0 {
					text, data := fieldsOf(n)
					if text != "" || data {
						found(set.Position(n.Pos()).String(), text, data)
					}
				}
			case *ast.AssignStmt:
				if s, is := n.Lhs[0].(*ast.SelectorExpr); is && s.Sel.Name == "Data" && lastName(s.X) != browserSays && !strings.HasSuffix(dir, "wire") {
					found(set.Position(n.Pos()).String(), joinLiterals(n.Rhs[0]), true)
				}
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// fieldsOf are the message of a composite literal of an error, and whether its data is
// written there. Errors that pass on another one's data are none of the hub's own.
func fieldsOf(n *ast.CompositeLit) (text string, data bool) {
	for _, e := range n.Elts {
		kv, is := e.(*ast.KeyValueExpr)
		if !is {
			continue
		}
		switch lastName(kv.Key) {
		case "Message":
			text = joinLiterals(kv.Value)
		case "Data":
			data = joinLiterals(kv.Value) != ""
		}
	}
	return text, data
}

// joinLiterals joins the strings that are written in an expression.
func joinLiterals(n ast.Expr) (text string) {
	ast.Inspect(n, func(n ast.Node) bool { text += literal(n); return true })
	return text
}
