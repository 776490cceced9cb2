package chrome

import (
	"strings"

	"github.com/cdphub/cdphub/bridge"
	"github.com/cdphub/cdphub/internal/wire"
)

// A browser shows the files of its machine at file:// addresses, and its own
// secrets at chrome:// ones. Renderers may not go there by themselves (Chromium
// 156), so for a Client that may have no files it is enough to look at the
// commands that go there for it.

// ofFiles holds the methods that name files, and with false those that do so by
// their url.
var ofFiles = map[string]bool{
	"DOM.getFileInfo":             true,
	"DOM.setFileInputFiles":       true,
	"Extensions.loadUnpacked":     true,
	"Network.loadNetworkResource": false,
	"PWA.launchFilesInApp":        true,
	"Page.navigate":               false,
	"Target.createTarget":         false,
}

// refuseFiles refuses a command that reads a file for a Client that may not.
func refuseFiles(c *bridge.Command) error {
	switch files, known := ofFiles[c.Method]; {
	case !known:
		return nil
	case files:
		return notAllowed(c.Method + " names files of the machine that the browser runs on")
	}
	var refused error
	err := wire.ReadObject(c.Params, func(key string, value []byte) error {
		if address, _ := wire.Text(value); key == "url" && !ofTheWeb(address) {
			refused = notAllowed("only http, https, about, data and blob addresses may be opened")
		}
		return nil
	})
	if err != nil && c.Params != nil {
		return invalid(err.Error())
	}
	return refused
}

func notAllowed(why string) *wire.Error {
	return wire.ServerError("Not allowed: " + why + "; more needs a token of scope privileged")
}

// ofTheWeb reports whether an address, as Chromium reads it, is no file and no
// page of the browser's own. One without a scheme is no address.
func ofTheWeb(address string) bool {
	address = strings.Map(func(r rune) rune {
		if r == '\t' || r == '\n' || r == '\r' {
			return -1
		}
		return r
	}, address)
	scheme, _, ok := strings.Cut(strings.TrimLeftFunc(address, func(r rune) bool { return r <= ' ' }), ":")
	switch strings.ToLower(scheme) {
	case "http", "https", "about", "data", "blob", "javascript":
		return true
	}
	return !ok
}
