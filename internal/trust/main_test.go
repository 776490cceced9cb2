package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
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

func TestOutcome(t *testing.T) {
	want := 0
	for _, s := range sections {
		want += len(s.list)
	}
	if want < 95 {
		t.Errorf("%d lines, of which 75 requirements and 20 faults are old", want)
	}
	for _, tt := range []struct{ name, in, want string }{
		{"everything", everything(), ""},
		{"a test less", strings.Replace(everything(), "TestR24X", "TestX", 1), "not proven: R-24 (no test)"},
		{"a failure", everything() + `{"Action":"fail","Package":"github.com/cdphub/cdphub/p","Test":"TestR24X"}`, "not proven: R-24 (fail)"},
		{"a test skipped", everything() + `{"Action":"skip","Package":"q","Test":"TestR107X"}`, "not proven: R-107 (skip)"},
	} {
		err := run(".", "", "", true, strings.NewReader(tt.in))
		if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
			t.Errorf("%s: %v, want %q", tt.name, err, tt.want)
		}
	}
}

// TestTable reads names from files, and wants a stale table to be noticed.
func TestTable(t *testing.T) {
	root := t.TempDir()
	var all strings.Builder
	all.WriteString("package p\n")
	for _, s := range sections {
		for _, r := range s.list {
			if id := strings.Replace(r.id, "-", "", 1); r.id == "R-24" {
				all.WriteString("func TestScopes(t *testing.T) { t.Run(\"R-24 writes\", nil) }\n")
			} else {
				all.WriteString("func Test" + id + "X(t *testing.T) {}\n")
			}
		}
	}
	write := func(name, text string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(filepath.Join(root, name)), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(root, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("p/p_test.go", all.String())
	file := filepath.Join(root, "trust.md")
	if err := run(root, file, "", false, nil); err != nil {
		t.Fatal(err)
	}
	table, err := os.ReadFile(file)
	if err != nil || !strings.Contains(string(table), "| p: `TestScopes` |") {
		t.Errorf("the subtest is missing: %v\n%s", err, table)
	}
	if err := run(root, "", file, false, nil); err != nil {
		t.Error(err)
	}
	write("web/test/pages/R-24_page.js", "")
	if err := run(root, "", file, false, nil); err == nil || !strings.Contains(err.Error(), "stale") {
		t.Errorf("one more test: %v", err)
	}
	write("p/p_test.go", strings.Replace(all.String(), "R-24", "none", 1))
	write("q/node_modules/x_test.go", "no Go at all")
	if err := os.RemoveAll(filepath.Join(root, "web")); err != nil {
		t.Fatal(err)
	}
	if err := run(root, "", file, false, nil); err == nil || !strings.Contains(err.Error(), "R-24") {
		t.Errorf("a test less: %v", err)
	}
}
