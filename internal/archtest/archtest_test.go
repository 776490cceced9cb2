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
	"cmd/cdphub":           "internal/cli",
	"internal/cli":         "actions actions/mcp actions/remote bridge/chrome browsers journal journal/... internal/auth internal/httpserver internal/logging internal/plain internal/version urlpolicy relay server web devtools link wsconn",
	"server":               "actions actions/... bridge browsers cluster httpdiscovery journal live named internal/advice internal/auth internal/closelog internal/fence internal/httpserver quota internal/uiwire internal/webpage internal/scope internal/version urlpolicy wsconn proxy relay session targets web devtools link internal/held",
	"journal":              "quota internal/scope internal/secrets internal/wire relay internal/held",
	"live":                 "internal/secrets internal/wire relay internal/held",
	"named":                "internal/advice internal/ordered quota internal/wire relay session wsconn internal/held",
	"journal/export":       "internal/secrets internal/version journal",
	"journal/replay":       "internal/auth internal/closelog internal/uiwire internal/version internal/webpage journal web",
	"browsers":             "bridge bridge/chrome internal/advice quota relay",
	"relay":                "bridge session targets internal/advice internal/ordered quota internal/scope internal/secrets internal/wire internal/held",
	"bridge":               "targets internal/wire wsconn",
	"bridge/chrome":        "bridge internal/egress internal/fence internal/scope internal/version urlpolicy internal/wire wsconn targets internal/held",
	"targets":              "internal/ordered internal/wire",
	"link":                 "quota wsconn",
	"session":              "internal/wire",
	"devtools":             "",
	"devtools/pack":        "",
	"httpdiscovery":        "internal/version targets",
	"actions":              "targets internal/advice internal/bounds quota internal/secrets urlpolicy internal/wire web",
	"actions/...":          "actions actions/envelope quota internal/wire wsconn", // what wsconn takes and gives is in wire's types
	"actions/bap":          "actions actions/envelope actions/extract quota internal/wire wsconn",
	"actions/envelope":     "",
	"actions/extract":      "",
	"internal/advice":      "",
	"internal/closelog":    "",
	"actions/actionstest":  "actions actions/remote",
	"web":                  "",
	"web/test":             "",
	"proxy":                "internal/advice internal/webpage internal/wire wsconn web",
	"internal/httpserver":  "internal/auth internal/logging",
	"internal/hubtest":     "bridge internal/wire targets wsconn",
	"internal/waittest":    "",
	"internal/browsertest": "bridge/chrome internal/wire urlpolicy wsconn",
	"internal/fence":       "",
	"internal/limittest":   "",
	"internal/logging":     "internal/plain",
	"internal/plain":       "",
	"internal/logging/...": "internal/logging",
	"internal/ordered":     "",
	"internal/held":        "",
	"internal/held/...":    "internal/held",
	"quota":                "internal/advice internal/held",
	"internal/uiwire":      "internal/closelog journal relay",
	"internal/webpage":     "web",
	"internal/wire":        "",
	"wsconn":               "quota internal/version internal/wire",
	"internal/version":     "",
	"internal/auth":        "internal/advice internal/scope internal/urlhost quota",
	"internal/bounds":      "internal/wire",
	"internal/scope":       "internal/bounds internal/secrets internal/urlhost internal/wire",
	"internal/secrets":     "web",
	"internal/docgen":      "actions/mcp internal/bounds internal/scope",
	"internal/urlhost":     "",
	"urlpolicy":            "internal/urlhost",
	"internal/egress":      "urlpolicy",
	"cluster":              "",
	"internal/archtest":    "",
	"internal/wiretest":    "",
	"internal/bench":       "",
	"internal/chaos":       "*",
	"internal/docstest":    "",
	"internal/mutate":      "",
}

// only says which packages alone may import what lies outside.
var only = map[string]string{
	"github.com/gobwas/":         "wsconn",
	"github.com/google/uuid":     "session",
	"github.com/mailru/easyjson": "internal/wire bridge bridge/chrome targets actions actions/...",
	"net/http":                   "internal/cli server journal/replay internal/hubtest internal/httpserver internal/fence link wsconn internal/auth httpdiscovery proxy web/test internal/webpage actions/... bridge/chrome internal/egress devtools",
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

func packages(t *testing.T) []pkg {
	t.Helper()
	cmd := exec.Command("go", "list", "-json=ImportPath,Imports", module+"/...")
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
	list := packages(t)
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

// TestExportedTypes wants the exported names of public packages to need no type
// of an internal package: a program outside of this module could not use them.
// What is an alias for such a type, in a public package, can be used.
func TestExportedTypes(t *testing.T) {
	inner := regexp.MustCompile(`(?m)^(?:func|type|var|const|\t[A-Z])[^\n/]*?\b(\w+)\.[A-Z]`)
	internal := map[string]bool{}
	var public []string
	for _, p := range packages(t) {
		folder := strings.TrimPrefix(p.ImportPath, module+"/")
		switch name := path.Base(folder); {
		case strings.HasPrefix(folder, "internal/"):
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
			if internal[m[1]] && !strings.Contains(m[0], " = ") {
				t.Errorf("%s exports what only this module can use: %s…", folder, strings.TrimSpace(m[0]))
			}
		}
	}
}

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
