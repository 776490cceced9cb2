package archtest

import (
	"go/ast"
	"go/token"
	"testing"
)

// readers says which files may decode JSON by other means than wire.Decode, and why what
// they read needs no bounds of its own. All other files of these folders read what a page,
// a Host or a browser has sent.
var readers = map[string]string{
	"actions/decode.go":             "params of a request, which each adapter bounds",
	"actions/params.go":             "params of a request, which each adapter bounds",
	"actions/hooks/hook.go":         "a request of a client",
	"actions/hooks/serve.go":        "a request of a client",
	"actions/jsonrpc/message.go":    "a request of a client",
	"actions/mcp/schema.go":         "arguments of a client",
	"actions/mcp/storage.go":        "a file of the client",
	"actions/ndjson/frame.go":       "a request of a client",
	"actions/bap/act.go":            "params of a client",
	"actions/bap/agentact.go":       "params of a client",
	"actions/bap/agentobserve.go":   "params of a client",
	"actions/bap/envelope.go":       "a request of a client",
	"actions/bap/errors.go":         "params of a client",
	"actions/bap/observe.go":        "params of a client",
	"actions/bap/params.go":         "params of a client",
	"actions/bap/selector.go":       "params of a client",
	"actions/bap/session.go":        "params of a client",
	"internal/journal/recording.go": "a recording that the operator opens, with bounds by line and by file",
	"targets/filter.go":             "params of a client, at most MaxRules",
	"internal/live/messages.go":     "messages of a viewer, of at most MaxMessage",
	"bridge/chrome/preloads.go":     "a file of the profile",
	"actions/redact.go":             "one string",
}

// compilers says which files may compile an expression that is not a constant. All
// patterns of Clients go through actions.Pattern.
var compilers = map[string]string{
	"actions/pattern.go": "the patterns of callers",
	"actions/redact.go":  "secrets of a page, quoted, at most maxSecretBytes",
}

// TestR250R252InputHasOneReader wants all JSON of pages, Hosts and browsers to be read by
// wire.Decode, and all patterns of Clients to be compiled by actions.Pattern.
func TestR250R252InputHasOneReader(t *testing.T) {
	used := map[string]bool{}
	for _, folder := range []string{"actions", "internal/journal", "internal/live", "internal/named", "relay", "bridge", "targets", "server", "httpdiscovery"} {
		eachCall(t, folder, func(file, name string, call *ast.CallExpr, at token.Position) {
			pages := folder != "server" && folder != "httpdiscovery"
			switch name {
			case "json.Unmarshal", "json.NewDecoder", "easyjson.Unmarshal", "easyjson.UnmarshalFromReader":
				if used[file] = true; pages && readers[file] == "" {
					t.Errorf("%s: JSON of others is read by wire.Decode, which has bounds", at)
				}
			case "regexp.Compile", "regexp.MustCompile", "regexp.CompilePOSIX", "regexp.MustCompilePOSIX", "regexp.MatchString", "regexp.Match", "regexp.MatchReader", "path.Match", "filepath.Match", "syntax.Parse":
				_, constant := call.Args[0].(*ast.BasicLit)
				if used[file] = used[file] || !constant; !constant && compilers[file] == "" {
					t.Errorf("%s: a pattern of a Client is compiled by actions.CompilePattern, which has bounds", at)
				}
			}
		})
	}
	for _, table := range []map[string]string{readers, compilers} {
		for file := range table {
			if !used[file] {
				t.Errorf("%s does not read JSON, or compile a pattern, any more: take out its row", file)
			}
		}
	}
}

// eachCall calls f for each call of a function of another package in the files below a
// folder, but for tests and generated files.
func eachCall(t *testing.T, folder string, f func(file, name string, call *ast.CallExpr, at token.Position)) {
	t.Helper()
	files := 0
	for _, file := range goFiles(t) {
		if file.isTest() || !file.isBelow(folder) {
			continue
		}
		files++
		ast.Inspect(file.ast, func(n ast.Node) bool {
			call, isCall := n.(*ast.CallExpr)
			if !isCall {
				return true
			}
			if s, ok := call.Fun.(*ast.SelectorExpr); ok {
				if x, ok := s.X.(*ast.Ident); ok {
					f(file.name, x.Name+"."+s.Sel.Name, call, file.position(call.Pos()))
				}
			}
			return true
		})
	}
	if files == 0 {
		t.Errorf("%s has no files", folder)
	}
}
