package archtest

import (
	"go/ast"
	"go/token"
	"regexp"
	"strings"
	"testing"
)

// sleeps are the files of tests that sleep on the real clock, and what the time is for.
var sleeps = map[string]string{
	"actions/main_test.go":                                     "a server that answers later than a navigation is waited for",
	"actions/session_test.go":                                  "both orders of what follows are right",
	"actions/settle_test.go":                                   "a subscriber that is slow",
	"bridge/chrome/reaper_test.go":                             "a process that is killed meanwhile",
	"internal/cluster/nats/cmd/cdphub-cluster/process_test.go": "a node that is stopped for longer than its lease",
	"internal/bench/bench_test.go":                             "processes that are measured once they have gone to sleep",
	"internal/chaos/random_client_test.go":                     "a pause of random length",
	"internal/chaos/random_host_test.go":                       "a pause of random length",
	"internal/e2e/blip_test.go":                                "an event that must not come a second time",
	"internal/link/link_test.go":                               "a link that is ending",
	"server/links_test.go":                                     "a link that is silent for longer than other connections may be",
	"server/trust_dashboard_test.go":                           "two counts of pictures, which must not differ",
	"server/trust_frames_test.go":                              "a document that may come, or not",
	"web/test/hub_test.go":                                     "a hub that answers late",
	"internal/wsconn/frames_test.go":                           "goroutines that end before memory is measured",
	"internal/wsconn/slow_test.go":                             "a writer that may have stopped, or not",
	"internal/wsconn/through_test.go":                          "a server that answers too late",
}

// defaultPort is an address with a port that cdphub listens at by default, where another
// hub of the same machine may be.
var defaultPort = regexp.MustCompile(`^"(--[a-z]+-addr=)?[^ ]*:922[2-5]"$`)

// TestTestsWaitForEvents wants tests to wait for events, to poll in a loop, or to have
// the clock of package testing/synctest: a time that is long enough on one machine is
// too short on a busy one. No test listens at a default port.
func TestTestsWaitForEvents(t *testing.T) {
	found := map[string]bool{}
	for _, f := range goFiles(t) {
		if !f.isTest() {
			continue
		}
		if at := sleepOf(f.ast); at != token.NoPos {
			found[f.name] = true
			if sleeps[f.name] == "" {
				t.Errorf("%s: wait for an event, or use testing/synctest", f.position(at))
			}
		}
		ast.Inspect(f.ast, func(n ast.Node) bool {
			if listensAtDefault(n) {
				t.Errorf("%s: a test listens at a free port, 127.0.0.1:0", f.position(n.Pos()))
			}
			return true
		})
	}
	if len(found) == 0 {
		t.Fatal("no file sleeps")
	}
	for name := range sleeps {
		if !found[name] {
			t.Errorf("%s does not sleep: take it out of the table", name)
		}
	}
}

// sleepOf is the first time.Sleep of a file that stands outside a loop. Files with
// testing/synctest have a clock of their own.
func sleepOf(file *ast.File) (at token.Pos) {
	for _, i := range file.Imports {
		if i.Path.Value == `"testing/synctest"` {
			return token.NoPos
		}
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ForStmt, *ast.RangeStmt:
			return false
		case *ast.CallExpr:
			f, is := n.Fun.(*ast.SelectorExpr)
			if !is || f.Sel.Name != "Sleep" || at != token.NoPos {
				break
			}
			if pkg, is := f.X.(*ast.Ident); is && pkg.Name == "time" {
				at = n.Pos()
			}
		}
		return at == token.NoPos
	})
	return at
}

// listensAtDefault reports whether a field XAddr, an argument of Listen, or an option
// --x-addr of a command line names a default port.
func listensAtDefault(n ast.Node) bool {
	named := func(e ast.Expr) bool {
		text, is := e.(*ast.BasicLit)
		return is && defaultPort.MatchString(text.Value)
	}
	options := func(list []ast.Expr) bool {
		for i, e := range list {
			text, is := e.(*ast.BasicLit)
			if is && named(e) && (strings.HasPrefix(text.Value, `"--`) || i > 0 && isOption(list[i-1])) {
				return true
			}
		}
		return false
	}
	switch n := n.(type) {
	case *ast.KeyValueExpr:
		key, is := n.Key.(*ast.Ident)
		return is && strings.HasSuffix(key.Name, "Addr") && named(n.Value)
	case *ast.CompositeLit:
		return options(n.Elts)
	case *ast.CallExpr:
		f, is := n.Fun.(*ast.SelectorExpr)
		return options(n.Args) || is && f.Sel.Name == "Listen" && len(n.Args) > 0 && named(n.Args[len(n.Args)-1])
	}
	return false
}

// isOption reports whether an argument is an option of an address: "--client-addr".
func isOption(e ast.Expr) bool {
	text, is := e.(*ast.BasicLit)
	return is && strings.HasPrefix(text.Value, `"--`) && strings.HasSuffix(text.Value, `-addr"`)
}
