package chrome

import (
	"testing"
	"testing/synctest"
)

func TestClientWithoutFiles(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := greeted(t, Options{})
		r.clients("a")
		r.hub.noFiles = true
		r.refuses("a", "Target.createTarget", `{"url":"http://x","url":"file:///x"}`, "-32000 Not allowed: only http")
		r.refuses("a", "Target.createTarget", `{"url":"file:///x","url":"http://x"}`, "-32000 Not allowed: only http")
		r.refuses("a", "DOM.setFileInputFiles", `{"files":[]}`, "-32000 Not allowed: DOM.setFileInputFiles")
		r.refuses("a", "Extensions.loadUnpacked", `{"path":"/x"}`, "-32000 Not allowed")
		r.refuses("a", "Page.navigate", `[]`, "-32602 ")
		r.must("a", "Target.createTarget", `{"url":"about:blank"}`)
		r.must("a", "Target.createTarget", ``)
		r.forget()
		// Its downloads stay in the Host's folder.
		r.must("a", "Browser.setDownloadBehavior", `{"behavior":"allow","downloadPath":"/home/user","eventsEnabled":true}`)
		own := r.folder()
		r.must("a", "Browser.setDownloadBehavior", `{"behavior":"allow","downloadPath":"/home/user","browserContextId":"X"}`)
		n := r.numberOf("Browser.getVersion")
		r.wantSent(
			`{"id":-5,"method":"Browser.setDownloadBehavior","params":{"behavior":"allowAndName","downloadPath":"`+own+`","eventsEnabled":true}}`,
			`{"id":`+n+`,"method":"Browser.getVersion","params":{},"sessionId":"A"}`,
			`{"id":`+r.numberOf("Browser.setDownloadBehavior")+`,"method":"Browser.setDownloadBehavior","params":{"behavior":"allow","browserContextId":"X","downloadPath":"`+own+`"},"sessionId":"A"}`,
		)
	})
}

func TestAddressesOfTheWeb(t *testing.T) {
	for address, want := range map[string]bool{
		"http://a/": true, "HTTPS://a": true, "\x20about:blank": true, "data:text/html,x": true, "blob:http://a/1": true, "": true, "a/b": true, "javascript:1": true,
		"file:///x": false, "FiLe:/x": false, "\tfi\nle:///x": false, "\x00\x1ffile:///x": false, "view-source:http://a": false, "chrome://version": false, "filesystem:http://a/t": false,
		"devtools://x": false, "C:/x": false, "\u00a0file:///x": false,
	} {
		if got := ofTheWeb(address); got != want {
			t.Errorf("ofTheWeb(%q) = %v, want %v", address, got, want)
		}
	}
}
