package scope

import (
	"strings"

	"github.com/cdphub/cdphub/internal/urlhost"
)

// Web reports whether an address, as Chromium reads it, is a document of the
// web: http, https, about:blank, data, or a blob of http or https. It is no
// file, no page of the browser's own and none of an extension. The address of a
// script, javascript:, is the page's own. One without a scheme is no address.
func Web(address string) bool {
	scheme, rest, ok := urlhost.CutScheme(address)
	switch scheme {
	case "http", "https", "data", "javascript":
		return true
	case "about": // Chromium 156 opens chrome://version for about:version
		page, _, _ := strings.Cut(rest, "#")
		page, _, _ = strings.Cut(page, "?")
		page = strings.ToLower(page)
		return page == "blank" || page == "srcdoc"
	case "blob":
		inner, _, _ := urlhost.CutScheme(rest)
		return inner == "http" || inner == "https"
	}
	return !ok
}
