package chrome

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/cdphub/cdphub/bridge"
	"github.com/cdphub/cdphub/targets"
)

// kindsSite serves below each folder a page that makes targets of every type: a frame of another site with a
// frame of a third in it and a worker, a shared worker, a service worker and a popup. The address of
// each target begins with the folder.
func kindsSite(t *testing.T) (url string) {
	var port string
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, rest, _ := strings.Cut(r.URL.Path, "/")
		folder, name, _ := strings.Cut(rest, "/")
		w.Header().Set("Content-Type", "text/html")
		switch name {
		case "":
			fmt.Fprintf(w, `<title>main</title><iframe src="http://localhost:%s/%s/frame"></iframe><script>
				new SharedWorker("shared.js"); navigator.serviceWorker.register("service.js"); open("popup")</script>`, port, folder)
		case "frame":
			fmt.Fprintf(w, `<iframe src="http://in.localhost:%s/%s/inner"></iframe><script>new Worker("worker.js")</script>`, port, folder)
		case "popup", "inner":
		default:
			w.Header().Set("Content-Type", "text/javascript")
		}
	}))
	t.Cleanup(s.Close)
	_, port, _ = strings.Cut(strings.TrimPrefix(s.URL, "http://"), ":")
	return s.URL
}

// kindsOfTargets is how many targets a folder has: two pages, each in a tab, two frames, and a worker of each type.
const kindsOfTargets = 9

// testWhoSeesWhat has pages of three Clients in one browser, and each look at all targets: by events, by the list, and by
// each id.
func testWhoSeesWhat(t *testing.T, h *liveHub, _ string) {
	url := kindsSite(t)
	host := h.host.(*Host)
	enter := func(at bridge.Attachment) {
		h.mu.Lock()
		host.Attached(at)
		h.mu.Unlock()
		h.call(at.SessionID, "Target.setDiscoverTargets", `{"discover":true,"filter":[{}]}`, "")
		h.call(at.SessionID, "Target.setAutoAttach", `{"autoAttach":true,"waitForDebuggerOnStart":false,"flatten":true,"filter":[{"type":"tab","exclude":true},{}]}`, "")
	}
	h.attach("all")
	given := new(targets.Tabs)
	enter(bridge.Attachment{SessionID: "private"})
	enter(bridge.Attachment{SessionID: "own", Tabs: new(targets.Tabs)})
	enter(bridge.Attachment{SessionID: "given", Tabs: given})
	context := fmt.Sprintf(`,"browserContextId":%q`, h.call("private", "Target.createBrowserContext", "{}", "browserContextId"))
	pages := make(map[string]string)
	for folder, in := range map[string]string{"private": context, "own": "", "all": ""} {
		pages[folder] = h.call(folder, "Target.createTarget", fmt.Sprintf(`{"url":"%s/%s/"%s}`, url, folder, in), "targetId")
	}
	h.await("all targets", func() bool {
		n := make(map[string]int)
		for _, folder := range foldersOf(host, url) {
			n[folder]++
		}
		return n["private"] == kindsOfTargets && n["own"] == kindsOfTargets && n["all"] == kindsOfTargets
	})
	enter(bridge.Attachment{SessionID: "view", PrivateOf: pages["private"]})
	keep := func(do func(*targets.Tabs, string)) {
		h.mu.Lock()
		defer h.mu.Unlock()
		do(given, pages["all"])
	}
	given.Give(pages["all"])
	keep(host.Given)
	defer h.release("all", "private", "own", "given", "view")
	see := map[string][]string{"all": {"all", "own"}, "private": {"all", "own", "private"}, "view": {"all", "own", "private"}, "own": {"own"}, "given": {"all"}}
	h.wantSeen(host, url, see, "")
	keep(host.Taken)
	see["given"] = nil
	h.wantSeen(host, url, see, "given") // which has heard of the targets while it saw them
}

// foldersOf are the folders of all targets of a site, by their ids. The worker of a frame has no address yet, and the
// tab of a popup may never get one.
func foldersOf(host *Host, url string) map[string]string {
	host.mu.Lock()
	defer host.mu.Unlock()
	found := make(map[string]string)
	for id := range host.targets {
		i := host.targets[id]
		switch {
		case i.Type == "worker":
			i = host.targets[i.ParentTarget]
		case i.Type == "tab" && i.URL == "": // of a popup
			i = host.targets[i.Opener]
		}
		_, path, is := strings.Cut(i.URL, url[strings.LastIndexByte(url, ':'):]+"/")
		if folder, _, below := strings.Cut(path, "/"); is && below {
			found[id] = folder
		}
	}
	return found
}

// wantSeen has each Client look at each target: see are the folders of those that it sees. Workers of several
// pages, and what was opened before its page was given, come to Clients with tabs of their own by sessions alone.
func (h *liveHub) wantSeen(host *Host, url string, see map[string][]string, knew string) {
	h.t.Helper()
	for who, folders := range see {
		list := h.call(who, "Target.getTargets", `{"filter":[{}]}`, "")
		for id, folder := range foldersOf(host, url) {
			host.mu.Lock()
			i := host.targets[id]
			host.mu.Unlock()
			mayMiss := (who == "own" || who == "given") && strings.Contains(i.Type, "_worker") || who == "given" && (strings.HasSuffix(i.URL, "/popup") || i.Type == "tab" && i.URL == "")
			found := !strings.HasPrefix(h.answer(who, "Target.getTargetInfo", fmt.Sprintf(`{"targetId":%q}`, id)), "error")
			listed := strings.Contains(list, id)
			heard := who != knew && h.hears(who, id)
			switch sees := slices.Contains(folders, folder); {
			case !sees && (found || listed || heard):
				h.t.Errorf("%s finds %s %s: %v, lists it: %v, hears of it: %v", who, i.Type, i.URL, found, listed, heard)
			case sees && !mayMiss && (!found || !listed):
				h.t.Errorf("%s finds %s %s: %v, lists it: %v", who, i.Type, i.URL, found, listed)
			}
		}
	}
}
