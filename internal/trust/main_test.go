package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cdphub/cdphub/internal/testrun"
)

func TestNames(t *testing.T) {
	for test, want := range map[string][]string{
		"TestR24ScopesRefuseWrites":          {"R-24"},
		"TestR04R05OriginsOfClients":         {"R-04", "R-05"},
		"TestR100Drain":                      {"R-100"},
		"FuzzR58Scanner":                     {"R-58"},
		"TestF01HostBreaks":                  {"F-01"},
		"TestMessages/R-50_no_message":       {"R-50"},
		"TestMessages/R-50,_R-53_in_strings": {"R-50", "R-53"},
		"TestR24ScopesRefuseWrites/readonly": nil,
		"TestReady":                          nil,
		"TestR5":                             nil,
	} {
		if got := requirementsOf(test); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", test, got, want)
		}
	}
}

// everything is the output of a run in which each requirement has one test.
func everything() string {
	var b strings.Builder
	for _, s := range sections {
		for _, r := range s.list {
			b.WriteString(`{"Action":"pass","Package":"github.com/cdphub/cdphub/p","Test":"Test` + strings.Replace(r.id, "-", "", 1) + `X"}` + "\n")
		}
	}
	return b.String()
}

func TestRun(t *testing.T) {
	file := filepath.Join(t.TempDir(), "trust.md")
	if err := testrun.Run(strings.NewReader(everything()), page, file, "", "trust-doc"); err != nil {
		t.Fatal(err)
	}
	table, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	want := 0
	for _, s := range sections {
		want += len(s.list)
	}
	if n := strings.Count(string(table), "| pass |"); n != want || n < 95 {
		t.Errorf("%d lines, want %d, of which 75 requirements and 20 faults are old", n, want)
	}
	for _, tt := range []struct{ name, in, want string }{
		{"the same", everything(), ""},
		{"a test less", strings.Replace(everything(), "TestR24X", "TestX", 1), "not proven: R-24 (no test)"},
		{"a failure", everything() + `{"Action":"fail","Package":"github.com/cdphub/cdphub/p","Test":"TestR24X"}`, "not proven: R-24 (fail)"},
		{"a test skipped", everything() + `{"Action":"skip","Package":"q","Test":"TestR107X"}`, "not proven: R-107 (skip)"},
		{"a test more", everything() + `{"Action":"pass","Package":"q","Test":"TestR24Y"}`, "is stale"},
	} {
		err := testrun.Run(strings.NewReader(tt.in), page, "", file, "trust-doc")
		if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
			t.Errorf("%s: %v, want %q", tt.name, err, tt.want)
		}
	}
}
