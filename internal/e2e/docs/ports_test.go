package docs

import (
	"regexp"
	"strings"
	"testing"

	"github.com/cdphub/cdphub/internal/hubtest"
)

// ports gives each port of the documentation one that is free here.
type ports map[string]string

// documented are the ports that cdphub and its examples use by default.
var documented = []string{"9222", "9223", "9224", "9225", "8080"}

var number = regexp.MustCompile(`\b(` + strings.Join(documented, "|") + `|3000)\b`)

// freePorts finds them. The app at port 3000 is already there.
func freePorts(t testing.TB, app string) ports {
	t.Helper()
	p := ports{"3000": app}
	for i, addr := range hubtest.FreeAddrs(t, len(documented)) {
		_, p[documented[i]], _ = strings.Cut(addr, ":")
	}
	return p
}

// in puts the free ports into a text of the documentation.
func (p ports) in(text string) string {
	text = strings.ReplaceAll(text, "https://example.com", "http://127.0.0.1:"+p["3000"])
	return number.ReplaceAllStringFunc(text, func(n string) string { return p[n] })
}

// env makes a cdphub listen there, whose command line says nothing else.
func (p ports) env() []string {
	return []string{"CDPHUB_CLIENT_ADDR=127.0.0.1:" + p["9222"], "CDPHUB_HOST_ADDR=127.0.0.1:" + p["9223"], "CDPHUB_APP_ADDR=127.0.0.1:" + p["9224"]}
}
