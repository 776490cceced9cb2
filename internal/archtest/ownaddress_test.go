package archtest

import (
	"go/ast"
	"go/token"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// askers are the files that read of a request by which host and whether by TLS it came, or what a
// proxy says of that, and why they do not need auth.OwnAddressOf, which alone says where a client
// reaches the server.
var askers = map[string]string{
	"internal/auth/ownaddress.go":              "it finds the answer",
	"internal/auth/auth.go":                    "a name is refused as the client has written it",
	"internal/auth/gate.go":                    "it reads for whom a proxy relays",
	"internal/fence/fence.go":                  "it tells the spellings of loopback apart that Chromium does",
	"server/links.go":                          "it tells the spellings of loopback apart that Chromium does",
	"server/internal/forward/forward.go":       "a node passes the header on as it is",
	"server/internal/forward/receive.go":       "for nodes of older versions, whose assertions do not have the address",
	"server/internal/membership/assertions.go": "a node signs the header that it passes on",
	"internal/wsconn/through.go":               "it sends a request",
	"internal/proxy/provenance.go":             "it tells what an app was asked",
	"bridge/chrome/egress.go":                  "it is where a browser wants to go",
}

// TestR325WhoAsksForTheHost wants each file that reads Host or TLS of a request in the table, so
// that no answer and no origin is made without what --public-url and trusted proxies say.
func TestR325WhoAsksForTheHost(t *testing.T) {
	found := map[string]bool{}
	for _, f := range goFiles(t) {
		if f.isTest() || slices.ContainsFunc(testOnly, f.isBelow) {
			continue
		}
		requests := map[string]bool{"In": true, "Out": true, "Request": true} // of httputil.ProxyRequest and http.Response
		f.eachNode(func(n ast.Node) {
			if field, is := n.(*ast.Field); is {
				for _, name := range field.Names {
					requests[name.Name] = requests[name.Name] || isRequest(field.Type)
				}
			}
		})
		f.eachNode(func(n ast.Node) {
			switch n := n.(type) {
			case *ast.SelectorExpr:
				if n.Sel.Name == "Host" || n.Sel.Name == "TLS" {
					found[f.name] = found[f.name] || requests[lastName(n.X)]
				}
			case *ast.BasicLit:
				found[f.name] = found[f.name] || n.Kind == token.STRING && strings.HasPrefix(n.Value, `"X-Forwarded-`)
			}
		})
	}
	wantRows(t, found, askers, "asks a request for its host or TLS: ask auth.OwnAddressOf")
}

// schemes are the files that write the scheme of an address of this program, and whose it is.
var schemes = map[string]string{
	"internal/proxy/params.go":    "they are those of other sites",
	"internal/auth/ownaddress.go": "it writes those of answers",
	"server/app.go":               "of an app",
	"internal/cli/":               "of a hub that the command connects to, or has just started",
	"server/internal/membership/": "of another node",
	"actions/":                    "of pages that are opened",
}

// TestR325WhoWritesSchemes wants each file that writes "http://", or makes it "ws://", in the table.
func TestR325WhoWritesSchemes(t *testing.T) {
	scheme := regexp.MustCompile(`^"(ws|http)s?://("$|%)`)
	found := map[string]bool{}
	for _, f := range goFiles(t) {
		if f.isTest() || slices.ContainsFunc(testOnly, f.isBelow) {
			continue
		}
		f.eachNode(func(n ast.Node) {
			if text, is := n.(*ast.BasicLit); is && scheme.MatchString(text.Value) {
				name := f.name
				for row := range schemes {
					if strings.HasSuffix(row, "/") && strings.HasPrefix(name, row) {
						name = row
					}
				}
				found[name] = true
			}
		})
	}
	wantRows(t, found, schemes, "writes the scheme of an address: ask auth.OwnAddressOf")
}

// testOnly are folders with what tests alone use.
var testOnly = []string{"internal/e2e", "internal/hubtest", "internal/chaos", "internal/bench", "internal/browsertest", "actions/actionstest", "packaging", "web"}

// eachNode calls look for each node of the file.
func (f *goFile) eachNode(look func(ast.Node)) {
	ast.Inspect(f.ast, func(n ast.Node) bool { look(n); return true })
}

// isRequest reports whether a type is *http.Request.
func isRequest(e ast.Expr) bool {
	star, is := e.(*ast.StarExpr)
	return is && lastName(star.X) == "Request"
}

// lastName is the name at the end of a chain such as p.In.
func lastName(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.SelectorExpr:
		return e.Sel.Name
	}
	return ""
}

// wantRows compares the files that were found to do something with a table of those that may.
func wantRows(t *testing.T, found map[string]bool, table map[string]string, what string) {
	t.Helper()
	for name, does := range found {
		if does && table[name] == "" {
			t.Errorf("%s %s, or say in the table why not", name, what)
		}
	}
	for name := range table {
		if !found[name] {
			t.Errorf("%s does nothing of this any more: take out its row", name)
		}
	}
}
