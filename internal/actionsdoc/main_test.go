package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cdphub/cdphub/internal/testrun"
)

// everything is the output of a run in which each method has one case.
func everything() string {
	var b strings.Builder
	pass := func(test string) {
		b.WriteString(`{"Action":"pass","Package":"github.com/cdphub/cdphub/actions/conformance","Test":"` + test + `"}` + "\n")
	}
	for line := range strings.Lines(signatures) {
		name, _, _ := strings.Cut(line, " |")
		dialect, method, _ := strings.Cut(name, " ")
		pass("Test" + dialect + "Conformance/browser/" + method + "/the_normal_case")
		pass("Test" + dialect + "Conformance/frame/" + method + "/the_normal_case")
	}
	for _, d := range dialects {
		test := "Test" + d + "Security/no_token"
		b.WriteString(attr(test, "answer", "401"))
		pass(test)
		pass("Test" + d + "Seed/browser/an_example")
		pass("Test" + d + "Seed/frame/an_example")
		if d == "MCP" {
			b.WriteString(attr("TestMCPPlaywright/browser_click", "takes", "target") + attr("TestMCPPlaywright/browser_resume", "lacks", "nothing is paused"))
			pass("TestMCPPlaywright/browser_click")
			pass("TestMCPPlaywright/browser_resume")
		}
	}
	return b.String()
}

func attr(test, key, value string) string {
	return `{"Action":"attr","Package":"github.com/cdphub/cdphub/actions/conformance","Test":"` + test + `","Key":"` + key + `","Value":"` + value + `"}` + "\n"
}

func TestPage(t *testing.T) {
	file := filepath.Join(t.TempDir(), "actions.md")
	in := everything() + attr("TestBAPConformance/frame/observe/pdf/the_normal_case", "unsupported", "a frame | prints nothing") +
		attr("TestNDJSONConformance/frame/page.navigate/the_normal_case", "note", "more slowly")
	if err := testrun.Run(strings.NewReader(in), page, file, "", "actions-doc"); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{
		"| `observe/pdf` | options? format, landscape, scale, margin, printBackground | data | yes | no: a frame \\| prints nothing |",
		"| `observe/pdf` | the normal case | works | unsupported (a frame \\| prints nothing) |",
		"| `page.navigate` | the normal case | works | works, more slowly |",
		"| | NDJSON | browser.* | hooks | BAP | MCP |",
		"| no token | 401 | 401 | 401 | 401 | 401 |",
		"stand: an example.",
		"| `browser_click` |  | target |  | page, snapshot | yes | yes |",
		"| `browser_resume` | nothing is paused |",
	} {
		if !strings.Contains(string(text), line+"\n") {
			t.Errorf("there is no line %s", line)
		}
	}
	const pdf = "TestBAPConformance/frame/observe/pdf/the_normal_case"
	fail := func(test string) string {
		return `{"Action":"fail","Package":"github.com/cdphub/cdphub/actions/conformance","Test":"` + test + `"}`
	}
	for _, tt := range []struct{ name, in, want string }{
		{"the same", in, ""},
		{"what is supported now", everything(), "is stale"},
		{"a case less", strings.Replace(in, `"Test":"`+pdf, `"Test":"TestX`, 2), "is stale"},
		{"a failure", in + fail(pdf), "not proven: " + pdf + " (fail)"},
		{"a failure of all", in + fail("TestMCPSeed"), "not proven: TestMCPSeed (fail)"},
		{"a method without a test", strings.ReplaceAll(in, "/page.click/", "/page.press/"), "page.click (has no test)"},
		{"a method that is not described", strings.ReplaceAll(in, "/page.click/", "/page.fly/"), "page.fly (is not in methods.txt)"},
		{"two of a name", strings.Replace(in, pdf, pdf+"#01", 2), "(the name of another)"},
		{"no answer", strings.Replace(in, `"answer"`, `"question"`, 1), "TestNDJSONSecurity/no_token (tells no answer)"},
		{"no tests", "", "NDJSON (tests are missing)"},
	} {
		err := testrun.Run(strings.NewReader(tt.in), page, "", file, "actions-doc")
		if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
			t.Errorf("%s: %v, want %q", tt.name, err, tt.want)
		}
	}
}
