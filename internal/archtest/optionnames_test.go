package archtest

import (
	"go/ast"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// namesFlags are the files and folders whose errors may name flags.
var namesFlags = map[string]string{
	"cmd": "command line", "internal/cli": "command line", "internal/cluster/nats/cmd": "command line", "internal/docgen": "command line",
	"internal/e2e": "command line", "internal/mutate": "command line", "packaging": "command line", "web/build": "command line",
	"internal/auth/append.go": "cdphub token", "internal/auth/mint.go": "cdphub token", "actions/remote/probe.go": "cdphub mcp",
	"bridge/chrome/connect.go": "flags of Chromium", "bridge/chrome/isolate.go": "flags of Chromium", "bridge/chrome/process_other.go": "flags of Chromium",
	"server/internal/forward/receive.go": "for Clients", "internal/named/request.go": "for Clients", "internal/link/table.go": "for Clients",
}

func mayNameFlags(f *goFile) bool {
	for name := range namesFlags {
		if f.name == name || f.isBelow(name) {
			return true
		}
	}
	return false
}

var (
	flagInText  = regexp.MustCompile(`(^|[\s"'(])--[a-z]`)
	fieldInText = regexp.MustCompile(`\b([a-z]+)\.([A-Z][A-Za-z]*)\.([A-Z][A-Za-z]*)\b`)
)

// TestErrorsNameOptions wants the errors of a library to name the field of its Options that
// is wrong, by package optionname: a program that embeds the hub has no flags. The fields
// exist, and the command line calls each of them by its flag.
func TestErrorsNameOptions(t *testing.T) {
	flags, err := os.ReadFile(filepath.Join("..", "cli", "flagnames.go"))
	if err != nil {
		t.Fatal(err)
	}
	fields := structFields(t)
	used := make(map[string]bool)
	for _, f := range goFiles(t) {
		if f.isTest() || f.name == "internal/cli/flagnames.go" || f.isBelow("internal/optionname") {
			continue
		}
		ast.Inspect(f.ast, func(n ast.Node) bool {
			for _, text := range errorTexts(n) {
				if flagInText.MatchString(text) && !mayNameFlags(f) {
					t.Errorf("%s: this error names a flag; name the field of Options, as {server.Options.X}, by optionname.Errorf", f.position(n.Pos()))
				}
			}
			for _, name := range fieldInText.FindAllString(literal(n), -1) {
				used[name] = true
				if !fields[name] {
					t.Errorf("%s: there is no field %s", f.position(n.Pos()), name)
				}
			}
			return true
		})
	}
	for name := range used {
		if !strings.Contains(string(flags), `"`+name+`": `) {
			t.Errorf("internal/cli/flagnames.go has no flag for %s", name)
		}
	}
	for _, name := range fieldInText.FindAllString(string(flags), -1) {
		if !used[name] {
			t.Errorf("internal/cli/flagnames.go: no text names %s", name)
		}
	}
}

// errorTexts are the literals in a call that makes an error.
func errorTexts(n ast.Node) (texts []string) {
	call, is := n.(*ast.CallExpr)
	if !is {
		return nil
	}
	made, is := call.Fun.(*ast.SelectorExpr)
	if !is || made.Sel.Name != "Errorf" && made.Sel.Name != "New" {
		return nil
	}
	if of, is := made.X.(*ast.Ident); !is || of.Name != "errors" && of.Name != "fmt" && of.Name != "optionname" {
		return nil
	}
	for _, arg := range call.Args {
		ast.Inspect(arg, func(n ast.Node) bool { texts = append(texts, literal(n)); return true })
	}
	return texts
}

// literal is the text of a string literal; "" for any other node.
func literal(n ast.Node) string {
	lit, is := n.(*ast.BasicLit)
	if !is || lit.Kind != token.STRING {
		return ""
	}
	text, _ := strconv.Unquote(lit.Value)
	return text
}

// structFields are the exported fields of the structs of all packages: server.Options.TLS.
func structFields(t *testing.T) map[string]bool {
	fields := make(map[string]bool)
	for _, f := range goFiles(t) {
		ast.Inspect(f.ast, func(n ast.Node) bool {
			if of, is := n.(*ast.TypeSpec); is {
				if body, is := of.Type.(*ast.StructType); is {
					for _, field := range body.Fields.List {
						for _, name := range field.Names {
							fields[f.ast.Name.Name+"."+of.Name.Name+"."+name.Name] = true
						}
					}
				}
			}
			return true
		})
	}
	return fields
}
