package archtest

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// listens are the files that open listeners, and how each keeps the pages of browsers away.
var listens = map[string]string{
	"server/listen.go":                         "the server notes it in its fence",
	"internal/egress/egress.go":                "package chrome notes it in the fence",
	"cluster/nats/cmd/cdphub-cluster/serve.go": "the server notes it in its fence",
	"internal/httpserver/unix.go":              "no page reaches a Unix socket",
	"internal/cli/connect.go":                  "the hub takes requests of pages for those without a token",
	"internal/cli/replay.go":                   "it wants a key",
	"internal/cli/demo.go":                     "its apps are there to be shown",
	"internal/cli/doctor_server.go":            "it is closed at once",
}

// TestR255WhoListens wants each file that opens a listener in the table, so that nobody
// forgets what a page of a hub's browser could do there.
func TestR255WhoListens(t *testing.T) {
	opens := regexp.MustCompile(`\bnet\.(Listen|ListenTCP|ListenUnix|ListenPacket|ListenConfig)\b|\.ListenAndServe(TLS)?\(`)
	const root = "../.."
	found := map[string]bool{}
	err := filepath.WalkDir(root, func(path string, entry os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		name = filepath.ToSlash(name)
		if entry.IsDir() {
			if base := entry.Name(); base == "node_modules" || base != ".." && strings.HasPrefix(base, ".") && name != "." || name == "internal/e2e" || name == "internal/bench" || name == "internal/hubtest" || name == "internal/chaos" || name == "packaging" {
				return filepath.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for line := range strings.Lines(string(text)) {
			if code, _, _ := strings.Cut(line, "//"); opens.MatchString(code) {
				found[name] = true
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for name := range found {
		if listens[name] == "" {
			t.Errorf("%s opens a listener: note it in the server's fence, and add it to the table", name)
		}
	}
	for name := range listens {
		if !found[name] {
			t.Errorf("%s opens no listener: take it out of the table", name)
		}
	}
}
