package advice

import "testing"

// TestR354NamesThatAreMeant finds what was meant by a name that does not exist, and nothing where that is not clear.
func TestR354NamesThatAreMeant(t *testing.T) {
	known := []string{"page.click", "page.fill", "page.navigate", "tab.new", "tab.list", "session.list", "browser_click", "browser_take_screenshot", "action/dblclick"}
	for given, want := range map[string]string{
		"page.clik": "page.click", "page.cilck": "page.click", "Page.Click": "page.click", "page_click": "page.click", "pageClick": "page.click",
		"page.navigat": "page.navigate", "page.navigete": "page.navigate", "navigate": "page.navigate", "dblclick": "action/dblclick",
		"mcp__cdphub__browser_click": "browser_click", "browser_screenshot": "", "take_screenshot": "browser_take_screenshot",
		"page.fly": "", "page.dance": "", "list": "", "click": "", "": "", "…": "", "tab.now": "tab.new", "page.fil": "page.fill",
	} {
		if got := nearestName(given, known); got != want {
			t.Errorf("%q is %q, want %q", given, got, want)
		}
		if text := DidYouMean(given, known); (text == "") != (want == "") {
			t.Errorf("%q: %s", given, text)
		}
	}
	long := make([]byte, 1<<20)
	for i := range long {
		long[i] = 'x'
	}
	if got := nearestName(string(long), known); got != "" {
		t.Errorf("a long name is %q", got)
	}
}
