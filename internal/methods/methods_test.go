package methods

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestProtocolHasEveryRow wants each row to be a method of the protocol, or one of the hub's own domain.
func TestProtocolHasEveryRow(t *testing.T) {
	raw, err := os.ReadFile("../../httpdiscovery/protocol.json")
	if err != nil {
		t.Fatal(err)
	}
	var p struct {
		Domains []struct {
			Domain   string
			Commands []struct{ Name string }
		}
	}
	if err := json.Unmarshal(raw, &p); err != nil {
		t.Fatal(err)
	}
	known := map[string]bool{}
	for _, d := range p.Domains {
		known[d.Domain+".*"] = true
		for _, c := range d.Commands {
			known[d.Domain+"."+c.Name] = true
		}
	}
	for _, m := range readRows(t) {
		if domain, _ := m.Domain(); !known[m.Name] && domain != "CdpHub" {
			t.Errorf("%s is not in the protocol", m.Name)
		}
	}
}

// TestEveryAnswerHasATest wants each method for which something is done in a test of pages, the Host or the hub.
func TestEveryAnswerHasATest(t *testing.T) {
	var tests strings.Builder
	for _, pattern := range []string{"web/test/pages/*.js", "web/src/*/*.test.ts", "testdata/transcripts/*", "relay/*_test.go"} {
		files, err := filepath.Glob(filepath.Join("../..", pattern))
		if err != nil || files == nil {
			t.Fatal(pattern, err)
		}
		for _, f := range files {
			text, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			tests.Write(text)
		}
	}
	for _, m := range readRows(t) {
		done := slices.ContainsFunc(m.Answers[:], func(steps []Step) bool {
			return len(steps) > 0 && steps[0].Done()
		})
		_, verb := m.Domain()
		if done && verb != "*" && !strings.Contains(tests.String(), m.Name) && !strings.Contains(tests.String(), `"`+verb+`"`) {
			t.Errorf("%s is in no test", m.Name)
		}
	}
}

func readRows(t *testing.T) []Method {
	t.Helper()
	rows, err := Read()
	if err != nil {
		t.Fatal(err)
	}
	return rows
}
