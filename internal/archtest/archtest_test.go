// Package archtest holds the module's import graph, in which arrows point down only, and
// doc comments to their names.
package archtest

import (
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"path"
	"regexp"
	"strings"
	"testing"
)

const module = "github.com/cdphub/cdphub"

// allowed says which packages of this module each may import. A folder that
// ends in "/..." stands for all below it; "*" allows everything.
var allowed = map[string]string{
	"cmd/cdphub":                "internal/cli",
	"internal/cli":              "actions actions/mcp actions/remote bridge/chrome internal/browsers internal/downloads internal/journal internal/journal/... internal/auth internal/httpserver internal/logging internal/plain internal/version internal/urlpolicy relay server web internal/devtools internal/link internal/wsconn internal/optionname internal/tempdir",
	"server":                    "actions actions/... bridge bridge/chrome bridge/extension bridge/page internal/browsers internal/cluster internal/doors internal/downloads httpdiscovery internal/journal internal/live internal/named internal/advice internal/auth internal/fence internal/httpserver relay/quota internal/uiwire internal/webpage internal/scope internal/version internal/urlpolicy internal/wsconn internal/proxy internal/wire relay session targets web internal/devtools internal/link internal/held internal/optionname server/internal/... internal/tempdir",
	"internal/journal":          "relay/quota internal/scope internal/secrets internal/wire relay internal/held internal/optionname",
	"internal/live":             "internal/advice internal/secrets internal/wire relay internal/held",
	"internal/named":            "internal/advice internal/ordered relay/quota internal/wire relay session internal/wsconn internal/held",
	"internal/journal/export":   "internal/secrets internal/version internal/journal internal/tempdir",
	"internal/journal/replay":   "internal/auth internal/uiwire internal/version internal/webpage internal/journal web",
	"internal/browsers":         "bridge bridge/chrome internal/advice relay/quota relay internal/optionname",
	"relay":                     "bridge session targets internal/advice internal/downloads internal/ordered relay/quota internal/scope internal/secrets internal/wire internal/held",
	"bridge":                    "targets internal/wire",
	"bridge/page":               "bridge targets internal/wire internal/wsconn",
	"bridge/share":              "bridge targets internal/wire internal/held",
	"bridge/extension":          "bridge bridge/share targets internal/wire internal/wsconn internal/held",
	"bridge/chrome":             "bridge internal/advice internal/downloads internal/fence internal/scope internal/version internal/urlpolicy internal/wire internal/wsconn targets internal/held internal/optionname internal/tempdir",
	"targets":                   "internal/ordered internal/wire",
	"internal/link":             "relay/quota internal/wsconn",
	"session":                   "internal/wire",
	"internal/devtools":         "",
	"internal/devtools/pack":    "",
	"httpdiscovery":             "internal/auth internal/urlhost internal/version targets",
	"actions":                   "targets internal/advice internal/bounds internal/downloads relay/quota internal/secrets internal/urlpolicy internal/wire web",
	"actions/...":               "actions actions/envelope internal/downloads relay/quota internal/wire internal/wsconn", // what internal/wsconn takes and gives is in wire's types
	"actions/bap":               "actions actions/envelope actions/extract relay/quota internal/wire internal/wsconn",
	"actions/envelope":          "actions internal/wire",
	"actions/extract":           "",
	"internal/advice":           "",
	"actions/actionstest":       "actions actions/remote",
	"web":                       "",
	"web/test":                  "",
	"internal/httpserver":       "internal/auth internal/logging internal/tempdir",
	"internal/proxy":            "internal/advice internal/auth internal/webpage internal/wire internal/wsconn internal/proxy/rewrite web",
	"internal/proxy/rewrite":    "",
	"internal/hubtest":          "bridge internal/wire targets internal/wsconn",
	"internal/waittest":         "",
	"internal/browsertest":      "bridge/chrome internal/wire internal/urlpolicy internal/wsconn",
	"internal/fence":            "",
	"internal/limittest":        "",
	"internal/logging":          "internal/plain",
	"internal/plain":            "",
	"internal/logging/...":      "internal/logging",
	"internal/optionname":       "",
	"internal/ordered":          "",
	"internal/held":             "",
	"internal/held/...":         "internal/held",
	"relay/quota":               "internal/advice internal/held",
	"internal/uiwire":           "internal/journal relay",
	"internal/webpage":          "web",
	"internal/wire":             "",
	"internal/wsconn":           "relay/quota internal/tcpstate internal/version internal/wire",
	"internal/tcpstate":         "",
	"internal/tcpstate/tcptest": "",
	"internal/version":          "",
	"internal/auth":             "internal/advice internal/scope internal/urlhost relay/quota internal/optionname",
	"internal/bounds":           "internal/wire",
	"internal/scope":            "internal/bounds internal/secrets internal/urlhost internal/wire",
	"internal/secrets":          "web",
	"internal/urlhost":          "",
	"internal/urlpolicy":        "internal/urlhost",
	"internal/cluster":          "",
	"internal/archtest":         "",
	"internal/wiretest":         "",
	"internal/bench":            "",
	"internal/chaos":            "*",
	"internal/docgen":           "actions/mcp internal/bounds internal/methods internal/scope",
	"internal/downloads":        "bridge internal/wire relay/quota internal/tempdir",
	"internal/docstest":         "",
	"internal/tempdir":          "",
	"internal/doors":            "internal/wire",
	"internal/methods":          "",
	"internal/mutate":           "",

	// The rooms of server.
	"server/internal/dashboard":  "internal/auth internal/browsers internal/journal internal/live internal/named internal/scope internal/uiwire internal/version internal/wsconn relay relay/quota server/internal/front server/internal/handover server/internal/sandboxes",
	"server/internal/front":      "internal/auth internal/doors internal/uiwire internal/wsconn relay relay/quota",
	"server/internal/forward":    "internal/auth internal/cluster internal/tcpstate relay server/internal/front server/internal/membership",
	"server/internal/handover":   "internal/auth internal/browsers internal/cluster internal/named internal/wsconn relay server/internal/front server/internal/membership",
	"server/internal/operators":  "internal/browsers internal/named internal/uiwire relay relay/quota server/internal/front server/internal/handover",
	"server/internal/sandboxes":  "internal/auth internal/browsers internal/cluster relay relay/quota server/internal/forward server/internal/front server/internal/membership",
	"server/internal/membership": "internal/auth internal/browsers internal/cluster internal/tcpstate internal/wsconn",
}

// only says which packages alone may import what lies outside.
var only = map[string]string{
	"github.com/gobwas/":         "internal/wsconn",
	"github.com/google/uuid":     "session",
	"github.com/mailru/easyjson": "internal/wire bridge/page bridge/chrome targets actions actions/...",
	"net/http":                   "internal/cli server server/internal/... internal/journal/replay internal/hubtest internal/httpserver internal/fence internal/link internal/wsconn internal/auth httpdiscovery internal/proxy web/test internal/webpage actions/... bridge/chrome internal/devtools",
	"github.com/alecthomas/kong": "internal/cli",
}

// lookup finds the row of a folder.
func lookup(table map[string]string, folder string) (row string, ok bool) {
	if row, ok = table[folder]; ok {
		return row, true
	}
	for i := strings.LastIndexByte(folder, '/'); i >= 0; i = strings.LastIndexByte(folder[:i], '/') {
		if row, ok = table[folder[:i]+"/..."]; ok {
			return row, true
		}
	}
	return "", false
}

// names reports whether a space-separated row names a folder.
func names(row, folder string) bool {
	set := make(map[string]string)
	for _, f := range strings.Fields(row) {
		set[f] = ""
	}
	_, ok := lookup(set, folder)
	return ok || row == "*"
}

type pkg struct {
	ImportPath string
	Imports    []string
}

// listPackages asks the go command for packages.
func listPackages(t *testing.T, args ...string) []pkg {
	t.Helper()
	cmd := exec.Command("go", append([]string{"list", "-json=ImportPath,Imports"}, args...)...)
	out, err := cmd.Output()
	if err != nil {
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			t.Fatalf("go list: %v\n%s", err, exit.Stderr)
		}
		t.Fatalf("go list: %v", err)
	}
	var list []pkg
	for dec := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p pkg
		if err := dec.Decode(&p); err == io.EOF {
			return list
		} else if err != nil {
			t.Fatal(err)
		}
		list = append(list, p)
	}
}

func TestImports(t *testing.T) {
	list := listPackages(t, module+"/...")
	if len(list) < 8 {
		t.Fatalf("go list found %d packages only", len(list))
	}
	for _, p := range list {
		folder := strings.TrimPrefix(p.ImportPath, module+"/")
		row, known := lookup(allowed, folder)
		if !known {
			t.Errorf("%s is not in the table of this test: a new folder needs a reason", folder)
			continue
		}
		for _, imported := range p.Imports {
			if inside, is := strings.CutPrefix(imported, module+"/"); is && !names(row, inside) {
				t.Errorf("%s imports %s; it may import: %s", folder, inside, row)
			}
			for outside, who := range only {
				if (imported == strings.TrimSuffix(outside, "/") || strings.HasPrefix(imported, strings.TrimSuffix(outside, "/")+"/")) && !names(who, folder) {
					t.Errorf("%s imports %s; only these may: %s", folder, imported, who)
				}
			}
		}
	}
}

// unreachable says what a package must not reach, through whatever it imports, but for what these
// libraries bring: zap can serve its level over HTTP, easyjson can answer requests.
var unreachable = map[string][]string{
	"relay":  {"net/http", "crypto/tls", "github.com/gobwas/ws", module + "/internal/wsconn"},
	"bridge": {"net/http", "crypto/tls", "github.com/gobwas/ws", module + "/internal/wsconn"},
}

// TestTransitiveImports follows the imports of packages that know nothing of HTTP and WebSocket.
func TestTransitiveImports(t *testing.T) {
	for folder, banned := range unreachable {
		imports := make(map[string][]string)
		for _, p := range listPackages(t, "-deps", module+"/"+folder) {
			imports[p.ImportPath] = p.Imports
		}
		from := map[string]string{module + "/" + folder: ""}
		for next := []string{module + "/" + folder}; len(next) > 0; next = next[1:] {
			for _, imported := range imports[next[0]] {
				if _, seen := from[imported]; seen || strings.HasPrefix(imported, "go.uber.org/zap") || imported == "github.com/mailru/easyjson" {
					continue
				}
				from[imported] = next[0]
				next = append(next, imported)
			}
		}
		if len(from) < 20 {
			t.Errorf("%s reaches %d packages only", folder, len(from))
		}
		for _, b := range banned {
			if by, reached := from[b]; reached {
				t.Errorf("%s reaches %s, by %s", folder, b, by)
			}
		}
	}
}

// ours are exported names that only this module can use, and why they are where they are.
var ours = map[string]string{
	"actions.URLs":          "server sets it from Options.Network",
	"actions.Names":         "server sets it from Options.Network",
	"bridge/chrome.Network": "server sets it from Options.Network",
	"bridge/page.Limits":    "a Host page needs a connection of the server",
	"server.Directory":      "the program cdphub-cluster has one",
}

// TestExportedTypes wants the exported names of public packages to need no type
// of an internal package: a program outside of this module could not use them.
// What is an alias for such a type, in a public package, can be used.
func TestExportedTypes(t *testing.T) {
	inner := regexp.MustCompile(`(?m)^(?:func|type|var|const|\t[A-Z])[^\n/]*?\b(\w+)\.[A-Z]`)
	internal := map[string]bool{}
	var public []string
	for _, p := range listPackages(t, module+"/...") {
		folder := strings.TrimPrefix(p.ImportPath, module+"/")
		switch name := path.Base(folder); {
		case strings.HasPrefix(folder, "internal/"), strings.Contains(folder, "/internal/"):
			internal[name] = true
		case !strings.HasPrefix(folder, "cmd/") && folder != "web/test" && !strings.HasSuffix(folder, "test"):
			public = append(public, folder)
		}
	}
	if len(public) < 15 || !internal["wire"] {
		t.Fatalf("public are %q, internal %v", public, internal)
	}
	for _, folder := range public {
		if folder == "actions/conformance" { // tests alone
			continue
		}
		text, err := exec.Command("go", "doc", "-all", module+"/"+folder).Output()
		if err != nil {
			t.Errorf("go doc %s: %v", folder, err)
		}
		for _, m := range inner.FindAllStringSubmatch(string(text), -1) {
			name := folder + "." + exportedName.FindString(m[0])
			if internal[m[1]] && !strings.Contains(m[0], " = ") && ours[name] == "" {
				t.Errorf("%s exports what only this module can use: %s…", folder, strings.TrimSpace(m[0]))
			}
		}
	}
}

// exportedName finds the name in a line of go doc.
var exportedName = regexp.MustCompile(`\b[A-Z]\w*`)

func TestLookup(t *testing.T) {
	table := map[string]string{"a": "1", "a/...": "2", "a/b": "3"}
	for folder, want := range map[string]string{"a": "1", "a/b": "3", "a/c": "2", "a/c/d": "2", "b": ""} {
		if got, _ := lookup(table, folder); got != want {
			t.Errorf("lookup of %s is %q, want %q", folder, got, want)
		}
	}
	if !names("x actions/...", "actions/ndjson") || names("x", "y") {
		t.Error("names does not read its row")
	}
}
