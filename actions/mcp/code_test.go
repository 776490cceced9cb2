package mcp

import (
	"slices"
	"strings"
	"testing"

	"github.com/cdphub/cdphub/actions"
)

func TestCompletesAddresses(t *testing.T) {
	for address, want := range map[string]string{
		"example.com":             "https://example.com",
		" example.com/a?b#c ":     "https://example.com/a?b#c",
		"example.com:8443/a":      "https://example.com:8443/a",
		"localhost":               "http://localhost",
		"localhost:3000":          "http://localhost:3000",
		"app.localhost:3000/x":    "http://app.localhost:3000/x",
		"127.0.0.1:9222":          "http://127.0.0.1:9222",
		"[::1]:80/x":              "http://[::1]:80/x",
		"intranet:8080":           "https://intranet:8080",
		"http://example.com":      "http://example.com",
		"about:blank":             "about:blank",
		"data:text/html,x":        "data:text/html,x",
		"javascript:alert(1)":     "javascript:alert(1)",
		"mailto:a@example.com":    "mailto:a@example.com",
		"file:///etc/passwd":      "file:///etc/passwd",
		"nowhere":                 "nowhere",
		"two words":               "two words",
		"view-source:example.com": "view-source:example.com",
		"":                        "",
	} {
		if got := completeAddress(address); got != want {
			t.Errorf("%q is %q, want %q", address, got, want)
		}
	}
}

func TestCodeFindsElementsByRole(t *testing.T) {
	const snapshot = `- main [ref=e1]:
  - button "Save" [ref=e2]
  - button "Save all" [active] [ref=e3]
  - button "Open" [ref=e4]
  - link "More" [ref=e5]
  - link "More" [ref=e6]
  - generic [ref=e7]: Only "this"
  - generic [ref=e8]
  - textbox "Say \"it\"" [ref=e9]: "[REDACTED]"
  - button "[REDACTED]" [ref=e10]
`
	for ref, want := range map[string]string{
		"e1": "getByRole('main')",
		"e2": "getByRole('button', { name: 'Save', exact: true })",
		"e3": "getByRole('button', { name: 'Save all' })",
		"e4": "getByRole('button', { name: 'Open' })",
		"e6": "getByRole('link', { name: 'More', exact: true }).nth(1)",
		"e7": `getByText('Only "this"')`,
		"e8": "", "e9": `getByRole('textbox', { name: 'Say "it"' })`, "e10": "", "e99": "", "f1e2": "",
	} {
		if got := byRole(snapshot, ref); got != want {
			t.Errorf("%s is %s, want %s", ref, got, want)
		}
	}
	part := "- button \"Add\" [ref=e1]\n- button \"Add\" [ref=e2]\n- button \"Pay\" [ref=e3]\n- generic [ref=e4]: Total\n# cut: the snapshot is longer than 78 KiB"
	for ref, want := range map[string]string{
		"e2": "getByRole('button', { name: 'Add', exact: true }).nth(1)", "e3": "getByRole('button', { name: 'Pay', exact: true }).nth(0)", "e4": "getByText('Total').first()",
	} {
		if got := byRole(part, ref); got != want {
			t.Errorf("in a part, %s is %s, want %s", ref, got, want)
		}
	}
	if got, want := jsLiteral("a'b\\\n\u2028"), `'a\'b\\\n\u2028'`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// TestTabsAreTheClientsOwn follows pages that come and go on a hub.
func TestTabsAreTheClientsOwn(t *testing.T) {
	page := func(id, opener string) actions.PageInfo { return actions.PageInfo{ID: id, Opener: opener} }
	all := []actions.PageInfo{page("other", ""), page("a", ""), page("b", ""), page("popup", "a"), page("theirs", "other"), page("inner", "popup")}
	without := func(ids ...string) []actions.PageInfo {
		return slices.DeleteFunc(slices.Clone(all), func(p actions.PageInfo) bool { return slices.Contains(ids, p.ID) })
	}
	var own tabs
	for _, step := range []struct {
		name  string
		add   string
		pages []actions.PageInfo
		want  string
	}{
		{"none", "", without("a", "b", "popup", "inner"), " at "},
		{"opened, the later first in the hub's list", "b", without("popup", "inner"), "b at b"},
		{"another", "a", without("popup", "inner"), "b a at a"},
		{"what those open", "", all, "b a popup inner at a"},
		{"the last one closes", "inner", without("inner"), "b a popup at popup"},
		{"the current one closes", "a", without("a"), "b popup inner at popup"},
		{"one in front of it closes", "", without("a", "b"), "popup inner at popup"},
		{"several close", "", without("a", "popup", "inner", "b"), " at "},
		{"others do not follow", "", without("a", "b", "popup", "inner"), " at "},
	} {
		if step.add != "" {
			own.add(step.add)
			own.current = step.add
		}
		own.update(step.pages)
		if got := strings.Join(own.list, " ") + " at " + own.current; got != step.want {
			t.Errorf("%s: %s, want %s", step.name, got, step.want)
		}
	}
}

// TestIndicesAreThoseThatTheClientKnows has a page close after the client was told of the list.
func TestIndicesAreThoseThatTheClientKnows(t *testing.T) {
	own := tabs{list: []string{"a", "b", "c"}, listed: []string{"a", "b", "c"}, current: "c"}
	own.update([]actions.PageInfo{{ID: "b"}, {ID: "c"}})
	for index, want := range map[float64]string{0: "a", 1: "b", 2: "c", 3: "", -1: "", 0.5: ""} {
		if got, ok := own.toldAt(index); got != want || ok != (want != "") {
			t.Errorf("index %g is %q, %v, want %q", index, got, ok, want)
		}
	}
}

func TestPatternsOfRoutes(t *testing.T) {
	for _, tt := range []struct {
		glob, url string
		want      bool
	}{
		{"**/api/users", "https://a.example/v1/api/users", true},
		{"**/api/users", "https://a.example/api/users", true},
		{"**/api/users", "https://a.example/api/users/1", false},
		{"**/*.{png,jpg}", "https://a.example/b/c.jpg", true},
		{"**/*.{png,jpg}", "https://a.example/b/c.gif", false},
		{"https://a.example/*", "https://a.example/b", true},
		{"https://a.example/*", "https://a.example/b/c", false},
		{"**/a?b=1", "https://a.example/a?b=1", true},
		{"**/a.b", "https://a.example/aXb", false},
	} {
		pattern, err := actions.CompileURLGlob(tt.glob)
		if err != nil {
			t.Fatal(err)
		}
		if found, err := pattern.Match(t.Context(), tt.url); found != tt.want || err != nil {
			t.Errorf("%s, %s: %v, want %v", tt.glob, tt.url, err, tt.want)
		}
	}
	if _, err := actions.CompileURLGlob(""); err == nil {
		t.Error("an empty pattern is one")
	}
}
