package chrome

import (
	"encoding/json"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/cdphub/cdphub/bridge"
	"github.com/cdphub/cdphub/internal/scope"
	"github.com/cdphub/cdphub/internal/wire"
)

// guarded are the methods whose params are judged, each with good ones.
var guarded = []struct{ method, params string }{
	{"Page.navigate", `{"url":"http://a/","referrer":"r","frameId":"F"}`},
	{"Target.createTarget", `{"url":"http://a/","browserContextId":"D","newWindow":true,"width":5}`},
	{"Target.createBrowserContext", `{"disposeOnDetach":true,"proxyServer":"","proxyBypassList":"","originsWithUniversalNetworkAccess":[]}`},
	{"Target.attachToTarget", `{"targetId":"T0","flatten":false}`},
	{"Target.setAutoAttach", `{"autoAttach":true,"waitForDebuggerOnStart":true,"flatten":false,"filter":[{"type":"page"}]}`},
	{"Target.autoAttachRelated", `{"targetId":"T0","waitForDebuggerOnStart":true}`},
	{"Target.getTargetInfo", `{"targetId":"T0"}`},
	{"Target.closeTarget", `{"targetId":"T0"}`},
	{"Target.disposeBrowserContext", `{"browserContextId":"D"}`},
	{"Browser.setDownloadBehavior", `{"behavior":"allow","downloadPath":"/good","browserContextId":"D","eventsEnabled":true}`},
	{"Browser.setWindowBounds", `{"windowId":1,"bounds":{"left":1}}`},
	{"Browser.getWindowBounds", `{"windowId":1}`},
	{"Storage.getCookies", `{"browserContextId":"D"}`},
	{"Storage.setCookies", `{"cookies":[{"name":"n","value":"v","url":"http://a/"}],"browserContextId":"D"}`},
	{"Network.loadNetworkResource", `{"url":"http://a/","frameId":"F","options":{"disableCache":true,"includeCredentials":true}}`},
	{"Fetch.continueRequest", `{"requestId":"R","url":"http://a/","headers":[{"name":"n","value":"v"}]}`},
	{"Input.dispatchDragEvent", `{"type":"drop","x":1,"y":2,"data":{"items":[{"mimeType":"t","data":"d","baseURL":"b"}],"files":[],"dragOperationsMask":1}}`},
	{"Page.setDownloadBehavior", `{"behavior":"allow","downloadPath":"/good"}`},
	{"DOM.setFileInputFiles", `{"files":["/etc/passwd"],"nodeId":1}`},
	{"Target.getTargets", `{"filter":[{"type":"page","exclude":false}]}`},
	{"Target.setDiscoverTargets", `{"discover":true,"filter":[{}]}`},
	{"Target.newMethod", `{"targetId":"T0","browserContextId":"D"}`},
}

// evil are values that no guarded member may have for scope full, by name.
var evil = map[string]func(value any) bool{
	"url": func(v any) bool { s, is := v.(string); return !is || !scope.Web(s) },
	"downloadPath": func(v any) bool {
		s, is := v.(string)
		return !is || s != "/good" && !strings.Contains(s, "cdphub-downloads-")
	},
	"files":                             func(v any) bool { l, is := v.([]any); return !is || len(l) > 0 },
	"proxyServer":                       func(v any) bool { return v != "" },
	"proxyBypassList":                   func(v any) bool { return v != "" },
	"originsWithUniversalNetworkAccess": func(v any) bool { l, is := v.([]any); return !is || len(l) > 0 },
	"targetId":                          func(v any) bool { return v == "TA" || v == "TF" },
	"browserContextId":                  func(v any) bool { return v == "CA" },
	"flatten":                           func(v any) bool { return v != true },
	"windowId":                          func(v any) bool { return v != 1.0 },
	"waitForDebuggerOnStart":            func(v any) bool { _, is := v.(bool); return !is },
}

// values are what a stranger tries in any place.
var values = []string{
	`"file:///etc/passwd"`, `"FILE:/etc/passwd"`, `"\u0066ile:///etc"`, `"\tfile:///x"`, `"chrome://version"`, `"about:version"`, `"blob:file:///x"`, `"view-source:file:///x"`,
	`"/etc"`, `""`, `"TA"`, `"\u0054A"`, `"TF"`, `"CA"`, `["/etc/passwd"]`, `[]`, `{}`, `{"a":1}`, `[[]]`, `null`, `true`, `false`, `2`, `1e400`, `-1`, `1.0`, `123456789012345678901234567890`,
	`{"files":["/etc/passwd"]}`, `{"items":[],"files":["/etc/passwd"],"files":[]}`, `"javascript:1"`, `"http://b/"`,
}

// FuzzGuard sends guarded methods with params that were tampered with: members
// doubled, renamed in another case or by escapes, of other types, nested, huge. A
// fake browser must get no value that the strict reader does not allow, and
// each name only once.
func FuzzGuard(f *testing.F) {
	for n := range guarded {
		f.Add(uint64(n), uint64(1), []byte(nil))
		f.Add(uint64(n), uint64(2), []byte(`{"url":"file:///etc/passwd"}`))
	}
	f.Fuzz(func(t *testing.T, which, seed uint64, raw []byte) {
		g := guarded[which%uint64(len(guarded))]
		rnd := rand.New(rand.NewPCG(which, seed))
		params := []byte(tamper(rnd, g.params))
		if len(raw) > 0 && wire.ReadObject(raw, func(string, []byte) error { return nil }) == nil {
			params = raw
		}
		if wire.ReadObject(params, func(string, []byte) error { return nil }) != nil {
			return // the hub has refused it before
		}
		h, browser := guardedHost(t)
		var args wire.Object
		var written []byte
		err := error(nil)
		if why := scope.Full.Refuse(g.method); why != "" {
			err = wire.ServerError(why)
		} else if a, w, refused := scope.Full.Read(g.method, append([]byte(nil), params...)); refused != nil {
			err = refused
		} else {
			args, written = a, w
			err = h.Send(bridge.Command{Call: 1, SessionID: "s", Method: g.method, Params: written, Args: args, NoFiles: true})
		}
		var refused *wire.Error
		if err != nil && !errors.As(err, &refused) {
			t.Fatalf("%s %s: %v", g.method, params, err)
		}
		for _, m := range browser.sent {
			check(t, g.method, params, m)
		}
		if err != nil && len(browser.sent) > 0 {
			t.Fatalf("%s %s was refused, and the browser was sent %s", g.method, params, browser.sent)
		}
	})
}

// guardedHost has a Client's session s, another's context CA with the target TA,
// a file's target TF, and the folder /good.
func guardedHost(t *testing.T) (*Host, *fakeBrowser) {
	t.Helper()
	browser := &fakeBrowser{}
	h := newHost(browser, &Options{}, nil, nil)
	s := &session{id: "s", upstream: "S", tail: wire.SessionTail("S"), noFiles: true, windows: map[int64]struct{}{1: {}}, folder: "/tmp/cdphub-downloads-x/client-1"}
	other := &session{id: "o", upstream: "O"}
	s.client, other.client = s, other
	h.sessions["s"], h.context, h.downloads.dir = s, "D", "/tmp/cdphub-downloads-x"
	h.downloads.folders[""] = "/tmp/cdphub-downloads-x/context-1"
	h.contexts["CA"] = other
	h.targets["T0"] = target{info: info{ID: "T0"}, web: true}
	h.targets["TA"] = target{info: info{ID: "TA", Context: "CA"}, owner: other, web: true}
	h.targets["TF"] = target{info: info{ID: "TF", URL: "file:///x"}}
	return h, browser
}

// check looks at what the browser was sent, as it reads it: exactly.
func check(t *testing.T, method string, in []byte, message string) {
	t.Helper()
	var params []byte
	sent := ""
	if err := wire.ReadObject([]byte(message), func(name string, value []byte) error {
		switch name {
		case "params":
			params = value
		case "method":
			sent, _ = wire.Text(value)
		}
		return nil
	}); err != nil {
		t.Fatalf("%s %s: the browser was sent %s: %v", method, in, message, err)
	}
	var walk func(raw []byte, judged bool)
	walk = func(raw []byte, judged bool) {
		var list []json.RawMessage
		if json.Unmarshal(raw, &list) == nil {
			for _, item := range list {
				walk(item, false)
			}
			return
		}
		seen := map[string]bool{}
		_ = wire.ReadObject(raw, func(name string, value []byte) error {
			if seen[name] {
				t.Fatalf("%s %s: the browser was sent %s twice: %s", method, in, name, message)
			}
			seen[name] = true
			for right, is := range evil {
				var v any
				if err := json.Unmarshal(value, &v); err != nil {
					v = string(value)
				}
				switch {
				case !judged: // paths and addresses have no effect there
				case name == right && is(v):
					t.Fatalf("%s %s: the browser was sent %s %s = %s", method, in, sent, name, value)
				case name != right && strings.EqualFold(name, right):
					t.Fatalf("%s %s: the browser was sent %s %s", method, in, sent, name)
				}
			}
			walk(value, judged && name == "data")
			return nil
		})
	}
	walk(params, true)
}

// tamper changes an object: at random members are doubled, renamed, left out or
// given other values, inside as well.
func tamper(rnd *rand.Rand, object string) string {
	var out []string
	_ = wire.ReadObject([]byte(object), func(name string, value []byte) error {
		v := string(value)
		switch {
		case v[0] == '{' && rnd.IntN(2) == 0:
			v = tamper(rnd, v)
		case rnd.IntN(4) == 0:
			v = values[rnd.IntN(len(values))]
		case rnd.IntN(40) == 0:
			v = strings.Repeat(`[`, 50) + strings.Repeat(`]`, 50)
		}
		member := func(name, v string) { out = append(out, `"`+name+`":`+v) }
		switch rnd.IntN(9) {
		case 0:
			member(respell(rnd, name), values[rnd.IntN(len(values))])
			member(name, v)
		case 1:
			member(name, v)
			member(respell(rnd, name), values[rnd.IntN(len(values))])
		case 2:
			member(respell(rnd, name), v)
		case 3:
		default:
			member(name, v)
		}
		return nil
	})
	for name := range evil { // members that belong elsewhere
		if rnd.IntN(12) == 0 {
			out = append(out, `"`+respell(rnd, name)+`":`+values[rnd.IntN(len(values))])
		}
	}
	rnd.Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
	space := strings.Repeat(" \n", rnd.IntN(2))
	return "{" + space + strings.Join(out, ","+space) + space + "}"
}

// respell writes a name in another way, or as it is.
func respell(rnd *rand.Rand, name string) string {
	switch rnd.IntN(6) {
	case 0:
		return strings.ToUpper(name)
	case 1:
		return strings.ToUpper(name[:1]) + name[1:]
	case 2:
		return strings.Replace(name, "s", "\u017f", 1) // folds to s
	case 3:
		return strings.Replace(strings.Replace(name, "k", "\u212a", 1), "K", "\u212a", 1) // folds to k
	case 4:
		const hex = "0123456789abcdef"
		i := rnd.IntN(len(name))
		return name[:i] + `\u00` + string([]byte{hex[name[i]>>4], hex[name[i]&15]}) + name[i+1:]
	}
	return name
}
