package archtest

import (
	"regexp"
	"slices"
	"strings"
	"testing"
)

// listens are the files that open listeners, and how each keeps the pages of browsers away.
var listens = map[string]string{
	"server/listen.go":                                  "the server notes it in its fence",
	"bridge/chrome/egress.go":                           "isolate.go notes it in the fence",
	"internal/cluster/nats/cmd/cdphub-cluster/serve.go": "the server notes it in its fence",
	"internal/httpserver/unix.go":                       "no page reaches a Unix socket",
	"internal/cli/connect.go":                           "the hub takes requests of pages for those without a token",
	"internal/cli/replay.go":                            "it wants a key",
	"internal/cli/demo.go":                              "its apps are there to be shown",
	"internal/cli/doctor_server.go":                     "it is closed at once",
}

// TestR255WhoListens wants each file that opens a listener in the table, so that nobody
// forgets what a page of a hub's browser could do there.
func TestR255WhoListens(t *testing.T) {
	opens := regexp.MustCompile(`\bnet\.(Listen|ListenTCP|ListenUnix|ListenPacket|ListenConfig)\b|\.ListenAndServe(TLS)?\(`)
	found := map[string]bool{}
	for _, f := range goFiles(t) {
		if f.isTest() || slices.ContainsFunc([]string{"internal/e2e", "internal/hubtest", "internal/chaos", "internal/tcpstate/tcptest", "packaging"}, f.isBelow) {
			continue
		}
		for line := range strings.Lines(string(f.source)) {
			if code, _, _ := strings.Cut(line, "//"); opens.MatchString(code) {
				found[f.name] = true
			}
		}
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
