package wiretest

import (
	"go/ast"
	"regexp"
	"testing"
)

// where are the folders that the handlers of the agents' HTTP requests may
// stand in.
var where = []string{"server", "internal/cli"}

// TestDialogRequest compares the body of POST /dialog.
func TestDialogRequest(t *testing.T) {
	f := files(t, "http.ts")
	compare(t, "DialogRequest and dialogBody", one(t, f, "DialogRequest"), structOf(t, handlers(t), "dialogBody"))
}

// handlers is the folder that has dialogBody.
func handlers(t *testing.T) *Source {
	t.Helper()
	for _, folder := range where {
		if s, err := ReadSource(root, folder); err == nil {
			if _, err := s.Struct("dialogBody"); err == nil {
				return s
			}
		}
	}
	t.Fatalf("none of %q has a struct dialogBody", where)
	return nil
}

var keyInText = regexp.MustCompile(`[{,]"(\w+)":`)

// TestDialogAnswer compares the answer, which the handler writes as a map or a
// text.
func TestDialogAnswer(t *testing.T) {
	f := files(t, "http.ts")
	made := map[string]Member{}
	for _, fn := range handlers(t).functions()["serveDialog"] {
		ast.Inspect(fn.Body, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.BasicLit:
				text, _ := literalText(n)
				for _, m := range keyInText.FindAllStringSubmatch(text, -1) {
					made[m[1]] = Member{Kind: "any"}
				}
			case *ast.CompositeLit:
				if _, is := n.Type.(*ast.MapType); !is {
					break
				}
				for _, e := range n.Elts {
					name, _ := literalText(e.(*ast.KeyValueExpr).Key)
					made[name] = Member{Kind: "any"}
				}
			}
			return true
		})
	}
	compare(t, "DialogAnswer and serveDialog", one(t, f, "DialogAnswer"), made)
}
